"""What moves hits after both legs have scored them: functions from ranking to ranking, a file each.

A step is named after its option, and runs where that is given; `search_options.STEPS` is the order.
"""
