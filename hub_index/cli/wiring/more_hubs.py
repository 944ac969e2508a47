"""`sync URL` of another hub than the synced one: its name, its clone, and its line in `~/.axon/hubs.toml`."""

import os
import tomllib
from pathlib import Path

from hub_index.base.characters import quote_line
from hub_index.errors import ConfigError, HubIndexError
from hub_index.hub.git.address import Address, is_same_place, parse_address
from hub_index.hub.git.repository import open_repository
from hub_index.service.hubs.hub_list import ListedHub, read_hub_list
from hub_index.service.hubs.open_hubs import HUBS_FILE, name_folder


def find_other_hub(url: str, home: str) -> ListedHub | None:
    """The hub of hubs.toml that an address means, or a new one; None for the synced hub. Raises ConfigError."""
    address = parse_address(url)
    repo = Path(home, "repo")
    if not os.path.lexists(repo / ".git") or _is_clone_of(repo, address):
        return None
    if address.notices:
        raise ConfigError(
            f"{address.shown} is given with a password, which {HUBS_FILE} would keep in the clear; give the address "
            "without it, and the password to a git credential helper"
        )
    listed = read_hub_list(home)
    return next((hub for hub in listed if hub.address and _is_same(hub.address, address)), None) or _new_hub(
        address, home, [hub.name for hub in listed]
    )


def add_to_list(hub: ListedHub, home: str) -> bool:
    """Writes the hub's line into hubs.toml; False if it stands there. Raises ConfigError."""
    listed = read_hub_list(home)
    if hub.name in [known.name for known in listed]:
        return False
    path = os.path.join(home, HUBS_FILE)
    old = Path(path).read_text(encoding="utf-8-sig") if os.path.lexists(path) else ""
    new = _with_line(old, f'{hub.name} = "{hub.address}"')
    expected = {known.name for known in listed} | {hub.name}
    if {*_names(new)} != expected:
        raise ConfigError(f'{path}: add the line {hub.name} = "{hub.address}" below [hubs], then run `hub-index sync`')
    half = f"{path}.{os.getpid()}.part"
    Path(half).write_text(new, encoding="utf-8")
    os.replace(half, os.path.realpath(path))  # a link to the user's own settings stays one
    return True


def _new_hub(address: Address, home: str, taken: list[str]) -> ListedHub:
    """A hub with a name that neither the list nor the clone of another address has."""
    url = f"file://{address.url}" if address.url.startswith("/") else address.url
    if any(sign in url for sign in '"\\'):
        raise ConfigError(f"{quote_line(address.shown)} cannot stand in {HUBS_FILE}; write it without quotation marks")
    last = address.url.rstrip("/").removesuffix(".git").replace(":", "/").rpartition("/")[2]
    while True:
        name = name_folder(last, ["hub", *taken])
        folder = Path(home, "hubs", name)
        if not os.path.lexists(folder) or _is_clone_of(folder, address):
            return ListedHub(name, str(folder), url)
        taken = [*taken, name]


def _is_clone_of(folder: Path, address: Address) -> bool:
    """Whether the clone's remote is the address; also if git cannot say, so that `sync` reports what is wrong."""
    try:
        remote = open_repository(folder).remote_address()
        return not remote or is_same_place(parse_address(remote, must_exist=False), address)
    except HubIndexError:
        return True


def _is_same(listed: str, address: Address) -> bool:
    try:
        return is_same_place(parse_address(listed, must_exist=False), address)
    except ConfigError:
        return False


def _with_line(content: str, line: str) -> str:
    """The file with one more line below [hubs]; comments and order stay."""
    lines = content.splitlines()
    for at, text in enumerate(lines):
        if text.split("#")[0].strip() == "[hubs]":
            return "\n".join([*lines[: at + 1], line, *lines[at + 1 :], ""])
    return "\n".join([*lines, "[hubs]", line, ""])


def _names(content: str) -> list[str]:
    try:
        return list(tomllib.loads(content).get("hubs", {}))
    except ValueError:
        return []
