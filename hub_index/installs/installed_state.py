"""The state of an installed skill's folder beside its lock: untouched, edited (and in which files), or missing.

What programs leave behind when a skill's scripts run (`__pycache__`, `.DS_Store`) is nobody's edit.
"""

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from hub_index.base.safe_open import read_below
from hub_index.installs.lock_file import LockedFile, LockedSkill
from hub_index.limits import MAX_SKILL_FILES

_BYTECODE, _FINDER = "__pycache__", ".DS_Store"
_MAX_SEEN = 4 * MAX_SKILL_FILES  # a folder with more was edited, whatever else is in it


@dataclass(frozen=True, slots=True)
class FolderState:
    """What became of the folder since it was installed."""

    is_missing: bool = False
    edited: tuple[str, ...] = ()  # changed, removed and new files

    @property
    def is_untouched(self) -> bool:
        """Whether the folder holds exactly what was installed."""
        return not self.is_missing and not self.edited


def read_state(folder: Path, skill: LockedSkill) -> FolderState:
    """The state of a skill's folder. A file that cannot be read counts as edited; links are not followed."""
    try:
        status = folder.lstat()
    except OSError:
        return FolderState(is_missing=True)
    if not stat.S_ISDIR(status.st_mode):
        return FolderState(edited=(".",))
    wanted = {file.path: file for file in skill.files}
    edited = [path for path, mode in _walk(folder) if path not in wanted or not _is_same(folder, wanted[path], mode)]
    gone = [path for path in wanted if not os.path.lexists(folder / path)]
    return FolderState(edited=tuple(sorted({*edited, *gone})))


def _walk(folder: Path) -> Iterator[tuple[str, int]]:
    """Everything below the folder but folders, with its mode; a folder that cannot be listed as itself."""
    todo, seen = [""], 0
    while todo and seen < _MAX_SEEN:
        below = todo.pop()
        try:
            names = sorted(os.listdir(folder / below))
        except OSError:
            yield below or ".", 0
            continue
        for name in names:
            path = f"{below}/{name}" if below else name
            mode = _mode_of(folder / path)
            seen += 1
            if stat.S_ISDIR(mode):
                todo.append(path)
            elif not _is_left_behind(path):
                yield path, mode
    if todo:
        yield ".", 0


def _mode_of(path: Path) -> int:
    """The mode; 0 where the file went a moment ago."""
    try:
        return path.lstat().st_mode
    except OSError:
        return 0


def _is_left_behind(path: str) -> bool:
    above, _, name = path.rpartition("/")
    return name == _FINDER or (above.rpartition("/")[2] == _BYTECODE and name.endswith(".pyc"))


def _is_same(folder: Path, file: LockedFile, mode: int) -> bool:
    if not stat.S_ISREG(mode) or bool(mode & stat.S_IXUSR) != file.executable:
        return False
    try:
        content = read_below(folder, file.path, file.size)
    except OSError:
        return False
    return len(content) == file.size and sha256(content).hexdigest() == file.sha256
