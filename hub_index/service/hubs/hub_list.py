"""`~/.axon/hubs.toml`: the hubs that a user searches together, by name; a folder, or an address that `sync` keeps.

    [hubs]
    team = "https://example.com/team/hub.git"   # `hub-index sync` keeps it in ~/.axon/hubs/team
    mine = "~/.claude/skills"                   # any folder with skills, with git or without
    project = ".claude/skills"                  # of the current folder, if it is there

The file is the user's own, so that it may name any place; an address must not hold a password.
"""

import os

from hub_index.base.characters import short_line
from hub_index.base.safe_open import read_regular
from hub_index.base.shown_address import is_address
from hub_index.errors import ConfigError
from hub_index.frozen import FrozenValue
from hub_index.limits import MAX_CONFIG_CHARS, MAX_HUB_NAME_CHARS, MAX_HUBS_FILE_BYTES, MAX_OPEN_HUBS
from hub_index.service.hubs.open_hubs import HUBS_FILE, RESERVED_NAMES, is_hub_name

_CLONES = "hubs"  # below the home: the clones of addresses


class ListedHub(FrozenValue):
    """One line of hubs.toml: its folder, and the address where `sync` keeps it."""

    name: str
    folder: str
    address: str = ""
    is_relative: bool = False  # of the current folder, and not expected to be everywhere


def read_hub_list(home: str) -> tuple[ListedHub, ...]:
    """The user's hubs in the order of the file; empty without the file. Raises ConfigError."""
    path = os.path.join(home, HUBS_FILE)
    if not os.path.lexists(path):
        return ()
    content = _parse(path)
    if content and "hubs" not in content:
        raise ConfigError(f"{path}: write the hubs below a line [hubs]; without it none of them is known")
    hubs = content.get("hubs", {})
    if not isinstance(hubs, dict) or len(hubs) > MAX_OPEN_HUBS:
        raise ConfigError(f'{path}: [hubs] must be at most {MAX_OPEN_HUBS} lines, each NAME = "folder or address"')
    return tuple([_listed(path, home, name, value) for name, value in hubs.items()])


def _parse(path: str) -> dict[str, object]:
    import tomllib

    try:
        return tomllib.loads(read_regular(os.path.realpath(path), MAX_HUBS_FILE_BYTES).decode("utf-8-sig"))
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{path} is not TOML: {short_line(str(error), 120)}") from error


def _listed(path: str, home: str, name: str, value: object) -> ListedHub:
    if name in RESERVED_NAMES:
        raise ConfigError(f"{path}: {name} cannot be a hub's name, since the name is reserved; choose another")
    if not is_hub_name(name):
        raise ConfigError(
            f"{path}: {name[:MAX_HUB_NAME_CHARS]!a} cannot be a hub's name; write lowercase letters, digits and hyphens"
        )
    if not isinstance(value, str) or not value.strip() or len(value) > 4 * MAX_CONFIG_CHARS:
        raise ConfigError(f"{path}: {name} must be a text: a folder, or an address that `hub-index sync` keeps")
    if (":" in value or "//" in value) and _is_address(value):
        return ListedHub(name, os.path.join(home, _CLONES, name), value)
    folder = os.path.expanduser(value)
    return ListedHub(name, folder, is_relative=not os.path.isabs(folder))


def _is_address(text: str) -> bool:
    """True if `sync` fetches from there; for a mistyped address it reports the mistake."""
    return is_address(text) and not os.path.isdir(os.path.expanduser(text))
