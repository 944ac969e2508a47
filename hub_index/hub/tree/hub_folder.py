"""Whether a folder is a hub or only a part of one: the one rule for every hub folder that a user names.

A hub may be a folder of a larger repository. A folder among the skills of a surrounding hub is a separate hub only if
it has a `skills` folder or a hub-index.toml. `enclosing_hub` finds the hub that a user stands in. Looks at names alone.
Searches import it, so it imports nothing heavy.
"""

import os

from hub_index.base.safe_open import read_below
from hub_index.errors import ConfigError
from hub_index.hub.config import parse_readable
from hub_index.hub.record_file import TEXT_FOLDERS
from hub_index.limits import MAX_HUB_CONFIG_BYTES

_CONFIG_FILE = "hub-index.toml"
_SKILLS = "skills"
_OUTPUT = "search"
_MANIFEST_FILE = "index_manifest.json"  # what makes a folder an index
_SKILLS_DEPTH = 3  # skills/OWNER/GROUP/NAME, the deepest of the hubs that were read
_MOST_SEEN = 1_000  # folders: a listing each, 10 ms


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
        return first in (_SKILLS, *TEXT_FOLDERS)
    return first in TEXT_FOLDERS or any(f"{path}/".startswith(f"{root}/") or not root for root in _roots_of(hub))


def _roots_of(hub: str) -> tuple[str, ...]:
    try:
        config = parse_readable(read_below(hub, _CONFIG_FILE, MAX_HUB_CONFIG_BYTES)).config
    except (OSError, ConfigError):  # reading that hub reports its settings
        return (_SKILLS,)
    return config.roots if config.roots is not None else (_SKILLS,)


def enclosing_hub(folder: str) -> str:
    """The hub that this folder is or lies in; empty without one. Never above the folder's own repository."""
    repository = _repository_of(folder)
    path = folder
    while not (is_hub(path) and _belongs_to(path, os.path.relpath(folder, path), repository) and not hub_around(path)):
        parent = os.path.dirname(path)
        if path in (repository, parent):
            return ""
        path = parent
    return path


def is_hub(folder: str) -> bool:
    """Whether the folder publishes skills: by its settings, an index, a `skills` folder, or a repository of skills.

    A program's repository is no hub, even if it keeps its agents' skills in a hidden folder.
    """
    if any(os.path.isfile(os.path.join(folder, name)) for name in (_CONFIG_FILE, f"{_OUTPUT}/{_MANIFEST_FILE}")):
        return True
    if _holds_skill(os.path.join(folder, _SKILLS), _SKILLS_DEPTH):
        return True
    return os.path.lexists(os.path.join(folder, ".git")) and _holds_skill(folder, 1)


def _belongs_to(hub: str, path: str, repository: str) -> bool:
    """Whether a path below the hub is the hub's: without a repository or settings only where hubs keep things."""
    if repository or path == os.curdir or os.path.isfile(os.path.join(hub, _CONFIG_FILE)):
        return True
    return path.partition(os.sep)[0] in (_SKILLS, _OUTPUT, *TEXT_FOLDERS)


def _repository_of(folder: str) -> str:
    """The root of the git repository around the folder; empty without one."""
    while not os.path.lexists(os.path.join(folder, ".git")):
        parent = os.path.dirname(folder)
        if parent == folder:
            return ""
        folder = parent
    return folder


def _holds_skill(folder: str, depth: int) -> bool:
    """Whether a SKILL.md lies in a visible folder at most so deep; of a huge folder only the beginning is seen."""
    level = [folder]
    seen = 0
    for _ in range(depth + 1):
        below: list[str] = []
        for place in level:
            if os.path.isfile(os.path.join(place, "SKILL.md")):
                return True
            below += _visible_folders(place)
            seen += 1
            if seen > _MOST_SEEN:
                return False
        level = below
    return False


def _visible_folders(folder: str) -> list[str]:
    try:
        with os.scandir(folder) as entries:
            return [entry.path for entry in entries if entry.name[:1] != "." and entry.is_dir(follow_symlinks=False)]
    except OSError:
        return []
