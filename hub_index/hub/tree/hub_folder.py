"""Whether a folder is a hub or only a part of one: the one rule for every hub folder that a user names.

A hub may be a folder of a larger repository. A folder among the skills of a surrounding hub is a separate hub only if
it has a `skills` folder or a hub-index.toml. Looks at names alone. Searches import it, so it imports nothing heavy.
"""

import os

from hub_index.base.safe_open import read_below
from hub_index.errors import ConfigError
from hub_index.hub.config import parse_readable
from hub_index.hub.record_file import DOCUMENT_FOLDERS
from hub_index.limits import MAX_HUB_CONFIG_BYTES

_CONFIG_FILE = "hub-index.toml"
_SKILLS = "skills"
_MANIFEST_FILE = "index_manifest.json"  # what makes a folder an index


def check_is_hub(folder: "str | os.PathLike[str]") -> None:
    """Raises ConfigError for a folder of skills, or an index, inside of a hub; names the hub."""
    if hub := hub_around(os.path.realpath(folder)):
        raise ConfigError(
            f"{os.fspath(folder)} is a folder inside the hub {hub}: name that; a separate hub has a {_CONFIG_FILE}"
        )


def looks_like_hub(folder: str) -> bool:
    """Whether a folder has what only hubs have."""
    return any(os.path.exists(os.path.join(folder, name)) for name in (".git", _CONFIG_FILE, _SKILLS))


def hub_around(folder: str) -> str:
    """The hub of the same repository that keeps skills, or its index, in this folder; empty if it may be a hub."""
    if looks_like_hub(folder):
        return ""
    is_index = os.path.isfile(os.path.join(folder, _MANIFEST_FILE))
    parent, hub = os.path.dirname(folder), ""
    while parent != os.path.dirname(parent):
        if not hub and (
            _keeps_skills_in(parent, os.path.relpath(folder, parent)) or (is_index and looks_like_hub(parent))
        ):
            hub = parent
        if os.path.exists(os.path.join(parent, ".git")):
            return hub
        parent = os.path.dirname(parent)
    return ""  # no repository: the hub's beginning is unknown


def _keeps_skills_in(hub: str, path: str) -> bool:
    first = path.partition(os.sep)[0]
    if not os.path.isfile(os.path.join(hub, _CONFIG_FILE)):
        return first in (_SKILLS, *DOCUMENT_FOLDERS)
    return first in DOCUMENT_FOLDERS or any(f"{path}/".startswith(f"{root}/") or not root for root in _roots_of(hub))


def _roots_of(hub: str) -> tuple[str, ...]:
    try:
        config = parse_readable(read_below(hub, _CONFIG_FILE, MAX_HUB_CONFIG_BYTES)).config
    except (OSError, ConfigError):  # reading that hub reports its settings
        return (_SKILLS,)
    return config.roots if config.roots is not None else (_SKILLS,)
