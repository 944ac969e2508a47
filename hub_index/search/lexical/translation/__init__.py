"""Chinese words of a query → English words of the hub: dictionary, segmentation and the formula that weighs them."""
