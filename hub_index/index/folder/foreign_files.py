"""The owner of the files in an index's place: foreign files and system folders are never replaced (F78).

Asked before anything is read or paid for. Nothing is changed here.

Files of our names beside a damaged manifest are certainly an index, and not a stranger's (F78), in two cases: the
damaged manifest begins byte for byte as we write it, or the hub's own history has an index there, in the commit that is
read or just before its manifest was damaged, and no file that the index does not have.
"""

import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path

from hub_index.base.characters import quote_line
from hub_index.base.safe_open import open_regular
from hub_index.errors import ConfigError, IndexMissing, IndexTooNew, IndexUnusable, SourceError
from hub_index.hub.config_values import is_git_folder
from hub_index.hub.git.repository import Repository
from hub_index.index.folder.our_files import ATTRIBUTES, ATTRIBUTES_FILE, OUR_FILES, holds, is_our_name, part_names
from hub_index.index.folder.reading import read_manifest
from hub_index.index.format.manifest import decode_manifest
from hub_index.index.format.parts import MANIFEST_FILE

_OUR_BEGINNING = re.compile(rb'\{\n  "index_version": [12],\n  "created_at": "')

TrackedNames = Callable[[], frozenset[str]]  # asked only where it matters, since git is
_BEGINNING_BYTES = 256
_SYSTEM_FOLDERS = frozenset(
    ("bin", "boot", "dev", "etc", "lib", "lib32", "lib64", "libx32", "proc", "sbin", "sys", "usr", "Library", "System")
)


def is_damaged_index(error: IndexUnusable, manifest: bytes, taken: set[str], tracked: TrackedNames) -> bool:
    """True if files of our names are an index whose manifest our reader refuses with this error.

    An index of a later format is not damaged, with any beginning and any history.
    """
    if isinstance(error, IndexTooNew):
        return False
    return _OUR_BEGINNING.match(manifest) is not None or taken <= tracked()


def tracked_index(repo: Repository, commit: str, folder: str) -> frozenset[str]:
    """The names of an index's files in a folder of the hub, as the commit has them, or had before the last change.

    None if the commit has no manifest there, or if our reader accepts neither.
    """
    place = f"{folder}/{MANIFEST_FILE}"
    if repo.read_file(commit, place) is None:
        return frozenset()
    try:
        for version in repo.read_fields("log", "-2", "-z", "--format=%H", commit, "--", place):
            if _is_accepted(repo.read_file(version, place)):
                return _our_names(repo, version, folder)
    except SourceError:  # a shallow or damaged history is no evidence
        pass
    return frozenset()


def _is_accepted(manifest: bytes | None) -> bool:
    try:
        decode_manifest(manifest or b"")
    except IndexUnusable:
        return False
    return True


def _our_names(repo: Repository, commit: str, folder: str) -> frozenset[str]:
    paths = (entry.path.rpartition("/") for entry in repo.list_tree(commit, f"{folder}/"))
    return frozenset(name for place, _, name in paths if place == folder and is_our_name(name))


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
