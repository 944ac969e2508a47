"""What tells one state of the open hubs from another, without reading an index: for ETags and long-lived doors."""

import os
from hashlib import sha256

from hub_index.search.checkout.state import read_state
from hub_index.search.published_index import MANIFEST

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from hub_index.service.hubs import OpenHub


def read_revision(hubs: "Sequence[OpenHub]") -> str:
    """A digest of every hub's name, of git's state there and of its manifests' stamps."""
    digest = sha256()
    for hub in hubs:
        reader = hub.index.reader
        stamps = [_stamp(os.path.join(place.index_dir, MANIFEST)) for place in reader.places]
        digest.update("\0".join((hub.name, reader.hub, read_state(reader.hub).index, *stamps, "\n")).encode())
    return digest.hexdigest()[:16]


def _stamp(path: str) -> str:
    try:
        status = os.lstat(path)
    except OSError:
        return ""
    return f"{status.st_mtime_ns}-{status.st_size}-{status.st_ino}"
