"""One wording for every refusal of an index: where, what, and what to do next."""

from hub_index.errors import IndexCorrupt


def refusal(where: str, what: str) -> IndexCorrupt:
    """The error to raise; `what` must not quote untrusted text but by `repr`."""
    return IndexCorrupt(f"{where}: {what}; sync the hub again, or make the index anew with `hub-index build`")
