"""A query's Chinese words → English words of the hub, and the other way round: dictionary, segmentation, formula."""
