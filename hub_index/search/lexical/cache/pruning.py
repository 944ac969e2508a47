"""The entries of the lexical cache to drop: those long unused, and the oldest beyond a budget."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass

from hub_index.limits import MAX_LEXICAL_CACHE_BYTES, MAX_LEXICAL_ENTRIES, UNUSED_CACHE_DAYS
from hub_index.search.lexical.cache.entry import read_note, remove_folder
from hub_index.search.lexical.cache.incremental_build import MEMORY_FOLDER, WORK_PREFIX

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_YOUNG_S = 3600.0  # since then another process may still be writing it


def prune_entries(root: str, keep: str) -> None:
    """Removes entries over budget or long unused, and leftovers of dead processes; mapped files live on.

    The entry to keep and its base always stay.
    """
    note = read_note(os.path.join(root, keep))
    kept = {keep, note.base if note else ""}
    for path in (*_leftovers(root), *_too_much(root, kept)):
        remove_folder(path)


def _leftovers(root: str) -> Iterator[str]:
    dead_s = time.time() - _YOUNG_S
    for folder, prefix in ((root, "."), (MEMORY_FOLDER, WORK_PREFIX)):
        for leftover in _folders(folder, prefix):
            if leftover.is_ours and (leftover.name.startswith(".old-") or leftover.used_s <= dead_s):
                yield leftover.path


def _too_much(root: str, kept: set[str]) -> Iterator[str]:
    whole = [folder for folder in _folders(root) if not folder.name.startswith(".")]
    whole.sort(key=lambda folder: (folder.name in kept, folder.used_s), reverse=True)
    unused_s = time.time() - UNUSED_CACHE_DAYS * 86_400
    total = 0
    for place, folder in enumerate(whole):
        total += entry_bytes(folder.path)
        is_too_much = total > MAX_LEXICAL_CACHE_BYTES or place >= MAX_LEXICAL_ENTRIES
        if folder.name not in kept and (is_too_much or folder.used_s < unused_s):
            yield folder.path


def entry_bytes(folder: str) -> int:
    """About the bytes that removing the entry would free: a shared file's size is divided by its links."""
    try:
        stats = [entry.stat(follow_symlinks=False) for entry in os.scandir(folder)]
    except OSError:
        return 0
    return sum(status.st_size // max(1, status.st_nlink) for status in stats)


@dataclass(frozen=True, slots=True)
class _Folder:
    """A folder as it was found: its owner may have removed it since."""

    path: str
    name: str
    used_s: float
    is_ours: bool


def _folders(folder: str, prefix: str = "") -> list[_Folder]:
    """The folders of this beginning; those that go while they are looked at are left out."""
    try:
        entries = [entry for entry in os.scandir(folder) if entry.name.startswith(prefix)]
    except OSError:
        return []
    folders = [_look_at(entry) for entry in entries if entry.is_dir(follow_symlinks=False)]
    return [listed for listed in folders if listed is not None]


def _look_at(entry: os.DirEntry[str]) -> _Folder | None:
    try:
        status = entry.stat(follow_symlinks=False)
    except OSError:
        return None
    return _Folder(entry.path, entry.name, status.st_mtime, status.st_uid == os.geteuid())
