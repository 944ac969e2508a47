"""A digest of the state of all open hubs, without reading an index: for ETags and long-lived doors."""

from hashlib import sha256

from hub_index.errors import HubIndexError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from hub_index.service.hubs import OpenHub


def digest_hubs(hubs: "Sequence[OpenHub]") -> str:
    """A digest of every hub's name, of git's state there and of its manifests' stamps."""
    digest = sha256()
    for hub in hubs:
        digest.update("\0".join((hub.name, _stamp(hub), "\n")).encode("utf-8", "surrogateescape"))
    return digest.hexdigest()[:16]


def _stamp(hub: "OpenHub") -> str:
    try:
        return hub.index.reader.stamp()
    except HubIndexError:  # a database that is away
        return ""
