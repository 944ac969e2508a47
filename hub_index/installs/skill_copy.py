"""The files of one skill as they are to be installed: read from a commit, or from a folder without git.

The whole folder, in memory. Of a commit every file is checked against its id in the commit's tree; of a folder no link
is followed. Anything but a plain file (a link, submodule, device or pipe) refuses the whole skill: half of a skill may
do something else than the whole.
"""

import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha1, sha256
from pathlib import Path

from hub_index.base.characters import quote_line
from hub_index.base.safe_open import open_below, open_folder_below
from hub_index.errors import SourceError
from hub_index.hub.git.repository import Repository
from hub_index.installs.file_names import check_amount, check_files, refusal
from hub_index.installs.lock_file import LockedFile
from hub_index.limits import MAX_SKILL_FOLDER_BYTES
from hub_index.models import TreeEntry

_LINK, _SUBMODULE, _FILE_MODES = "120000", "160000", {"100644": False, "100664": False, "100755": True}
_LFS_POINTER = b"version https://git-lfs.github.com/spec/"
_SHOWN_CHARS = 80


@dataclass(frozen=True, slots=True)
class CopiedFile:
    """One file of a skill, from the skill's folder."""

    path: str
    executable: bool
    content: bytes

    @property
    def locked(self) -> LockedFile:
        """What the lock says of this file."""
        return LockedFile(self.path, self.executable, len(self.content), sha256(self.content).hexdigest())


def lock_files(files: Sequence[CopiedFile]) -> tuple[LockedFile, ...]:
    """What the lock says of these files."""
    return tuple(sorted((file.locked for file in files), key=lambda file: file.path))


def read_committed(repo: Repository, commit: str, path: str) -> tuple[CopiedFile, ...]:
    """The files of a skill's folder (`.`: of the whole repository) at a commit; none if it is not there.

    Raises SourceError if git cannot read them, SkillError for a skill that must not be installed.
    """
    place = "" if path == "." else f"{path}/"
    entries = repo.list_tree(commit, *([path] if place else []))
    for entry in entries:
        _check_entry(path, entry, place)
    check_files(path, [(entry.path[len(place) :], entry.size) for entry in entries]) if entries else None
    contents = repo.read_blobs(entry.blob for entry in entries)
    return tuple(
        CopiedFile(entry.path[len(place) :], _FILE_MODES[entry.mode], _checked(path, entry, content))
        for entry, (_, content) in zip(entries, contents, strict=True)
    )


def _check_entry(skill: str, entry: TreeEntry, place: str) -> None:
    """Raises SkillError for an entry that is no plain file below the skill's folder."""
    shown = quote_line(entry.path, _SHOWN_CHARS)
    if entry.mode == _LINK:
        raise refusal(skill, f"{shown} is a link, and links are not copied")
    if entry.mode == _SUBMODULE:
        raise refusal(skill, f"{shown} is a submodule, whose files are in another repository")
    if entry.mode not in _FILE_MODES or not entry.path.startswith(place):
        raise refusal(skill, f"{shown} is not a plain file")


def _checked(skill: str, entry: TreeEntry, content: bytes) -> bytes:
    """The bytes of a blob. Raises SourceError if its id is of others, SkillError if they only point elsewhere."""
    new = sha1 if len(entry.blob) == 40 else sha256
    if new(b"blob %d\0" % len(content) + content).hexdigest() != entry.blob:
        raise SourceError(f"git's blob {entry.blob} is damaged: run `git fsck` in the hub, or clone it again")
    if content.startswith(_LFS_POINTER):
        raise refusal(skill, f"{quote_line(entry.path, _SHOWN_CHARS)} is kept by Git LFS, and not in the hub itself")
    return content


def read_plain(folder: Path, path: str) -> tuple[CopiedFile, ...]:
    """The files of a skill's folder in a folder without git; none if it is missing. Raises SkillError, SourceError."""
    start = "" if path == "." else path
    try:
        names = list(_walk(folder, start, path))
        files = [_read_file(folder, start, name, path) for name in names]
    except FileNotFoundError:
        return ()
    except OSError as error:
        raise SourceError(f"{folder / start} cannot be read: {error.strerror}; check its rights") from error
    if files:
        check_files(path, [(file.path, len(file.content)) for file in files])
    return tuple(sorted(files, key=lambda file: file.path))


def _walk(root: Path, start: str, skill: str) -> Iterator[str]:
    """The paths of all files, from the skill's folder. Raises OSError, and SkillError for other things and too much."""
    todo, seen = [""], 0
    while todo:
        below = todo.pop()
        handle = open_folder_below(root, "/".join(filter(None, (start, below))))
        try:
            with os.scandir(handle) as entries:
                for entry in entries:
                    seen += 1
                    check_amount(skill, seen, 0)
                    name = f"{below}/{entry.name}" if below else entry.name
                    if entry.is_dir(follow_symlinks=False):
                        todo.append(name)
                    elif entry.is_file(follow_symlinks=False):
                        yield name
                    else:
                        kind = "a link" if entry.is_symlink() else "a pipe or a device"
                        raise refusal(skill, f"{quote_line(name, _SHOWN_CHARS)} is {kind}, and only files are copied")
        finally:
            os.close(handle)


def _read_file(root: Path, start: str, name: str, skill: str) -> CopiedFile:
    with open_below(root, "/".join(filter(None, (start, name)))) as file:
        status = os.fstat(file.fileno())
        check_amount(skill, 0, status.st_size)
        content = b""
        while chunk := file.read(MAX_SKILL_FOLDER_BYTES + 1 - len(content)):
            content += chunk
            check_amount(skill, 0, len(content))
    return CopiedFile(name, bool(status.st_mode & stat.S_IXUSR), content)


def find_difference(files: Sequence[CopiedFile], locked: Sequence[LockedFile]) -> str:
    """Why these files are not the locked ones; empty if they are."""
    found, wanted = {file.path: file.locked for file in files}, {file.path: file for file in locked}
    other = sorted(path for path in found.keys() | wanted.keys() if found.get(path) != wanted.get(path))
    return f"{quote_line(other[0], _SHOWN_CHARS)} differs from the digest in the lock" if other else ""
