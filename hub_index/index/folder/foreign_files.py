"""The owner of the files in an index's place: foreign files and system folders are never replaced (F78).

Asked before anything is read or paid for. Nothing is changed here.
"""

import os
from collections.abc import Sequence
from pathlib import Path

from hub_index.base.characters import quote_line
from hub_index.base.safe_open import open_regular
from hub_index.errors import ConfigError, IndexMissing, IndexTooNew, IndexUnusable
from hub_index.hub.config_values import is_git_folder
from hub_index.index.folder.damaged_index import TrackedNames, is_damaged_index
from hub_index.index.folder.our_files import ATTRIBUTES, ATTRIBUTES_FILE, OUR_FILES, holds, part_names
from hub_index.index.folder.reading import read_manifest
from hub_index.index.format.parts import MANIFEST_FILE

_BEGINNING_BYTES = 256
_SYSTEM_FOLDERS = frozenset(
    ("bin", "boot", "dev", "etc", "lib", "lib32", "lib64", "libx32", "proc", "sbin", "sys", "usr", "Library", "System")
)


def check_no_strangers(folder: Path, tracked: TrackedNames = frozenset) -> None:
    """Raises ConfigError if files have our names and the manifest beside them is not readable by our reader.

    The writer of the manifest does not matter: other programs publish these folders too, and a build repairs a damaged
    set. The same holds for a certainly damaged manifest; `tracked` are the names of the hub's committed index.
    """
    if folder.is_symlink():
        return  # the lock refuses to write through it
    taken = [name for name in (*OUR_FILES, *part_names(folder)) if os.path.lexists(folder / name)]
    if ATTRIBUTES_FILE in taken and holds(folder / ATTRIBUTES_FILE, ATTRIBUTES):
        taken.remove(ATTRIBUTES_FILE)  # what we would write ourselves: `rm search/*` leaves it behind
    if not taken or not (error := _why_unreadable(folder)):
        return
    if not is_damaged_index(error, _beginning(folder / MANIFEST_FILE), set(taken), tracked):
        another = "name another folder (--out, or `output` in hub-index.toml)"
        raise strangers_refusal(str(folder), taken, error, f"{another}, or remove these files")


def strangers_refusal(place: str, taken: Sequence[str], error: IndexUnusable | None, remedy: str) -> ConfigError:
    """The error for files of our names that do not belong to an index; `error` says what is wrong with the manifest."""
    is_missing = error is None or isinstance(error, IndexMissing)
    reason = str(error).removeprefix(f"{quote_line(place)}: ").partition("; ")[0]
    why = f"there is no {MANIFEST_FILE}" if is_missing else reason
    upgrade = "upgrade hub-index, or " if isinstance(error, IndexTooNew) else ""
    return ConfigError(
        f"{place} holds {', '.join(taken)}, which may be somebody else's, since {why}: {upgrade}{remedy} if it is an "
        "old index of yours"
    )


def check_place(folder: Path) -> None:
    """Raises ConfigError for a folder that is not the builder's own to exchange, and holds no index yet."""
    try:
        names = os.listdir(folder)
        if MANIFEST_FILE in names and _why_unreadable(folder) is None:
            return
        owner = os.stat(folder).st_uid
    except OSError:
        return  # missing or unreadable: the lock reports it
    place = Path(os.path.realpath(folder))
    reason = why_not_exchanged(place, is_mount=os.path.ismount(place), is_own=owner == os.geteuid())
    if reason and (names or _is_of_system(place)):
        raise ConfigError(
            f"the index cannot be written to {folder}: the folder would be exchanged for a new one, and {reason}; name "
            f"a separate folder, such as {folder / 'search'}"
        )


def is_gits_own(folder: Path) -> bool:
    """Whether a folder is, or lies in, a repository's `.git`, wherever links lead."""
    return any(map(is_git_folder, Path(os.path.realpath(folder)).parts))


def why_not_exchanged(place: Path, *, is_mount: bool, is_own: bool) -> str:
    """Why a folder in use must keep its identity, though all its files would stay; empty if it need not."""
    if _is_of_system(place):
        return "it is a folder of the system"
    if Path(os.path.expanduser("~")).is_relative_to(place):
        return "it holds your home folder"
    if is_mount:
        return "something is mounted there"
    return "" if is_own else "it belongs to another user"


def _is_of_system(place: Path) -> bool:
    """Whether a folder belongs to the machine; deeper in /var and in /dev/shm there are people's own folders too."""
    depth = len(place.parts) - 1
    if place.parts[1:3] == ("dev", "shm"):
        return depth < 3
    return depth < 2 or place.parts[1] in _SYSTEM_FOLDERS or (place.parts[1] == "var" and depth < 3)


def _beginning(path: Path) -> bytes:
    """The first bytes of a regular file; empty if it is not one."""
    try:
        with open_regular(path) as file:
            return file.read(_BEGINNING_BYTES)
    except OSError:
        return b""


def _why_unreadable(folder: Path) -> IndexUnusable | None:
    try:
        read_manifest(folder)
    except IndexUnusable as error:
        return error
    return None
