"""A hub's name for systems that hold several hubs, such as a Prefect server: readable, stable and unique.

It has lowercase letters, digits and hyphens, which all these systems accept. Of an address it shows the last part
alone: the parts before it may hold a user, a password or a token (F43).
"""

import os
import re
import socket
from hashlib import sha256
from pathlib import Path

from hub_index.errors import HubIndexError
from hub_index.hub.git.address import parse_address
from hub_index.hub.git.repository import open_repository

_READABLE_CHARS = 40
_DIGEST_CHARS = 8
_OTHER_SIGNS = re.compile(r"[^a-z0-9]+")


def name_hub(hub: Path) -> str:
    """`team-skills-3f2a9c1d`: the repository's name, and a digest of its address and of the clone's place.

    Two clones of one address have two names: what is done on a schedule to one must not be done to the other.
    """
    place = os.path.realpath(hub)
    address, prefix = _address_and_prefix(Path(place))
    # without an address, a path alone would be the same hub on every machine
    identity = "\0".join((address or socket.gethostname(), place))
    digest = sha256(identity.encode("utf-8", "surrogateescape")).hexdigest()[:_DIGEST_CHARS]
    words = [_last_part(address), os.path.basename(prefix)] if address else [os.path.basename(place)]
    readable = _OTHER_SIGNS.sub("-", "-".join(words).lower()).strip("-")
    return f"{readable[:_READABLE_CHARS].strip('-') or 'hub'}-{digest}"


def _address_and_prefix(hub: Path) -> tuple[str, str]:
    """The address of the clone without credentials, and the hub's folder in it; both empty if unknown."""
    try:
        repo = open_repository(hub)
        address = parse_address(repo.remote_address())
    except HubIndexError:  # the build itself says what is wrong with the hub
        return "", ""
    # a remote that is a folder may be relative, and then depends on where we were started
    return ("", "") if address.scheme == "file" else (address.shown, repo.prefix)


def _last_part(address: str) -> str:
    return re.split(r"[/:]", address.rstrip("/").removesuffix(".git"))[-1]
