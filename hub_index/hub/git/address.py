"""A hub's address: text → an address that git may be given, and its form without credentials. No I/O but paths.

git understands addresses that run programs (`ext::sh -c …`), and options in the place of an address. A hub's address
is copied from web pages and chats, or stands in a stranger's `.git/config`. Only https, ssh, file and paths pass here,
and plain http to this machine.

A hub's name for systems that hold several hubs, such as a Prefect server, is made of it: readable, stable and unique.
It has lowercase letters, digits and hyphens, which all these systems accept. Of an address it shows the last part
alone: the parts before it may hold a user, a password or a token (F43).
"""

import os
import re
import socket
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from hub_index.base.shown_address import is_well_formed, shown_address, without_credentials
from hub_index.errors import ConfigError, HubIndexError
from hub_index.hub.git.repository import open_repository

_SCHEMES = ("https", "ssh", "file")
_HELPER = re.compile(r"[A-Za-z0-9+.-]*::")
_URL = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*)://(?P<place>[^/?#]*)(?P<rest>.*)", re.DOTALL)
_SHORT_SSH = re.compile(r"(?P<host>(?:[^/@]+@)?\[[^\]/]+\]|[^/:\[\]]+):(?!//)(?P<path>.+)", re.DOTALL)  # user@host:path
_LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
_READABLE_CHARS = 40
_DIGEST_CHARS = 8
_OTHER_SIGNS = re.compile(r"[^a-z0-9]+")


@dataclass(frozen=True, slots=True)
class Address:
    """A checked address. `url` may hold a password: it goes to git and nowhere else."""

    url: str
    shown: str
    scheme: str
    notices: tuple[str, ...] = ()

    def redact(self, text: str) -> str:
        """The text without what is secret in this address or in any other."""
        return without_credentials(text, (self.url,))


def parse_address(text: str, *, must_exist: bool = True) -> Address:
    """The address that a user, or a clone's settings, named. Raises ConfigError, which never quotes a password."""
    shown = shown_address(text)
    if not text or text.startswith("-") or not text.isprintable() or text != text.strip():
        raise ConfigError(f"{shown!a} is not an address of a hub; give an https or ssh address, or a folder")
    if _HELPER.match(text):
        raise ConfigError(f"{shown!a} makes git run a program; give an https or ssh address, or a folder")
    if match := _URL.fullmatch(text):
        return _parse_url(text, shown, match)
    if match := _SHORT_SSH.fullmatch(text):
        _check_host(match["host"].rpartition("@")[2], shown)
        _check_form(text, shown)
        return Address(text, shown, "ssh")
    path = os.path.abspath(os.path.expanduser(text))
    is_there = os.path.exists(path)
    if must_exist and not is_there:
        raise ConfigError(f"there is no folder {shown!a}; give an https or ssh address, or the path of a repository")
    return Address(path, path if is_there else shown_address(path), "file")


def is_same_place(first: Address, second: Address) -> bool:
    """Whether two addresses mean one repository, however they are spelled."""
    return _canonical(first) == _canonical(second)


def local_path(address: Address) -> str:
    """Where a repository on this machine is, links followed; empty for all others."""
    if address.scheme != "file":
        return ""
    return os.path.realpath(re.sub(r"(?i)^file://(localhost)?", "", address.url))


def _parse_url(text: str, shown: str, match: "re.Match[str]") -> Address:
    scheme = match["scheme"].lower()
    user, _, host = match["place"].rpartition("@")
    is_here = re.sub(r":\d*$", "", host.lower()) in _LOOPBACK
    if scheme not in _SCHEMES and not (scheme == "http" and is_here):
        why = "is not encrypted" if scheme in ("http", "git") else "is not a way to a hub"
        raise ConfigError(f"{shown!a}: {scheme!a} {why}; use one of {', '.join(_SCHEMES)}")
    if scheme != "file":
        _check_host(host, shown)
        _check_form(text, shown)
        if user.startswith("-"):
            raise ConfigError(f"{shown!a}: a user's name cannot begin with '-'; correct the address")
    notices: tuple[str, ...] = ()
    if ":" in user:
        notices += ("the address holds a password, which git keeps in the clone; a credential helper is safer",)
    return Address(text, shown, scheme, notices)


def _check_host(host: str, shown: str) -> None:
    if not host or host.startswith("-"):  # ssh would read it as an option
        raise ConfigError(f"{shown!a} names no host; give an https or ssh address, or a folder")


def _check_form(text: str, shown: str) -> None:
    """Raises ConfigError if a sign of the password, or a missing one, makes another host of a part of it."""
    if not is_well_formed(text):
        raise ConfigError(
            f"{shown!a} is not an address of a hub: write https://host/path or user@host:path, and in it %2F, %3F, %23 "
            "and %40 for a /, ?, # or @ of a password, or for an @ of a path"
        )


def _canonical(address: Address) -> str:
    if path := local_path(address):
        return path
    if match := _URL.fullmatch(address.url):
        user, _, host = match["place"].rpartition("@")
        account = user.partition(":")[0] if address.scheme == "ssh" else ""
        place = f"{address.scheme}://{account}@{host.lower()}"
        return place + match["rest"].rstrip("/").removesuffix(".git")
    return address.url.rstrip("/").removesuffix(".git")


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
