"""The lexical index in the user's cache folder: opened if it was made from just this source, else made.

An entry is a folder named by the digest of its source and of the versions of tokens and fields. It is written beside
its place and renamed, under a kernel lock, so that two processes never see half of it and do not both do the work.
If little has changed since another entry, it is made from that one; else from the documents alone, and documents of
other entries are not tokenised again. An entry from files that git does not know in this state has a name for its
checkout alone (`loose`). An entry whose files changed since they were written (by size, time and samples), or that
tantivy cannot open, is thrown away. If nothing can be written, or others may write, the index is made in memory. If
the source moved while it was read, the entry serves the one answer that asked for it, and lends later entries its
tokenised documents. It is no base of another entry: a mixture of two states would change the scores of a later state.
"""

from __future__ import annotations

import os
import time
from hashlib import sha256

from hub_index.base.file_permissions import make_private_folder
from hub_index.errors import CopyDamaged
from hub_index.frozen import FrozenValue
from hub_index.search.lexical.cache.edited_files import are_as_noted, has_loose, loose_name, may_have_moved
from hub_index.search.lexical.cache.entry import (
    KEYS,
    KIND,
    VERSIONS,
    is_own_place,
    new_folder,
    open_entry,
    remove_folder,
    write_seal,
)
from hub_index.search.lexical.lexical import LexicalIndex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hub_index.search.lexical.cache.documents import DocumentSource, Progress
    from hub_index.search.lexical.cache.entry import EntryNote

    Source = Callable[[], DocumentSource]
    IsSettled = Callable[[], bool]

_MOVED = "moved-"  # begins the name of an entry of a source that moved while it was read


class Making:
    """The options of making an entry: the user's display, and whether a small change of another entry may do."""

    __slots__ = ("from_nothing", "progress", "waiting")

    def __init__(
        self,
        progress: Progress | None = None,
        waiting: Callable[[str], None] | None = None,
        *,
        from_nothing: bool = False,
    ) -> None:
        self.progress = progress
        self.waiting = waiting  # called with the process that is waited for
        self.from_nothing = from_nothing  # also where a changed entry is there: its scores are a little off


def entry_key(*source: str) -> str:
    """The name of the entry that is made from this source."""
    return sha256("\0".join((VERSIONS, *source)).encode("utf-8", "surrogateescape")).hexdigest()[:32]


def find_lexical(cache: str, key: str, place: str = "") -> LexicalIndex | None:
    """The lexical index of this name, if it is there; first the one of what a checkout has besides git's blobs."""
    root = os.path.join(cache, KIND)
    if place and is_own_place(root):  # else a pipe in a note's place would be waited for
        loose = os.path.join(root, loose_name(key, place))
        if are_as_noted(loose) and (entry := open_entry(loose)) is not None:
            return entry
    return open_entry(os.path.join(root, key))


def open_lexical(  # noqa: PLR0913 - what it is called, what it is made of, and how
    cache: str,
    key: str,
    source: Source,
    is_settled: IsSettled = lambda: True,
    making: Making | None = None,
    *,
    place: str = "",
) -> LexicalIndex:
    """The lexical index of a source; `source` is called only if it has to be made.

    `is_settled` is called after the documents were read: is the source still the key's? `place` is the checkout of the
    files.
    """
    making = making or Making()
    lexical = find_lexical(cache, key, place)
    if lexical is None or (making.from_nothing and lexical.is_changed):
        return _make_entry(cache, _Name(key, place), source, is_settled, making)
    return lexical


class _Name(FrozenValue):
    """The name of a requested entry."""

    key: str
    place: str


def _make_entry(cache: str, name: _Name, source: Source, is_settled: IsSettled, making: Making) -> LexicalIndex:
    from hub_index.search.lexical.cache.turn import WorkTurn

    root = os.path.join(cache, KIND)
    try:
        make_private_folder(root)
        # what is written where others may write would not be believed
        turn = WorkTurn(root, making.waiting) if is_own_place(root) else None
    except OSError:
        turn = None
    if turn is None:
        return _make_in_memory(source(), making)
    with turn:
        # the earlier process has probably made it
        lexical = find_lexical(cache, name.key, name.place)
        if lexical is None or (making.from_nothing and lexical.is_changed):
            wanted = source()
            try:
                maker = _Maker(root, name, wanted, is_settled, making)
                lexical = maker.make()
            except OSError:  # the disk is full, or was taken away
                return _make_in_memory(wanted, making)
            from hub_index.search.lexical.cache.pruning import prune_entries

            prune_entries(root, maker.made_name)
    return lexical or _make_in_memory(source(), making)


def _make_in_memory(source: DocumentSource, making: Making) -> LexicalIndex:
    from hub_index.search.lexical.cache.full_build import FreshEntry

    return LexicalIndex(FreshEntry(source, (), making.progress).write(None))


class _Maker:
    """Makes one entry while its turn lasts."""

    def __init__(self, root: str, name: _Name, source: DocumentSource, is_settled: IsSettled, making: Making) -> None:
        self.made_name = name.key  # its name in the end
        self._root = root
        self._name = name
        self._began_ns = time.time_ns()
        self._source = source
        self._is_settled = is_settled
        self._making = making

    def make(self) -> LexicalIndex | None:
        """The entry, open. Raises OSError."""
        from hub_index.search.lexical.cache.reusable_documents import list_entries

        entries = list_entries(self._root)
        temporary = new_folder(self._root, ".new-")
        try:
            if not self._change_base(entries, temporary):
                remove_folder(temporary)
                os.mkdir(temporary, 0o700)
                self._write_fresh(entries, temporary)
            return self._put(temporary)
        finally:
            remove_folder(temporary)

    def _change_base(self, entries: Sequence[EntryNote], folder: str) -> bool:
        if self._making.from_nothing:
            return False
        from hub_index.search.lexical.cache.incremental_build import Change, ChangedEntry

        for base in [entry for entry in entries if not entry.base and not entry.name.startswith(_MOVED)]:
            try:
                change = Change(base, self._source)
                if change.is_small:
                    os.utime(base.folder)  # used now
                    return ChangedEntry(change, entries).write(folder)
            except (FileNotFoundError, CopyDamaged):  # somebody has removed it, or it is removed now
                continue
        return False

    def _write_fresh(self, entries: Sequence[EntryNote], folder: str) -> None:
        from hub_index.search.lexical.cache.full_build import FreshEntry

        FreshEntry(self._source, entries, self._making.progress).write(folder)

    def _put(self, folder: str) -> LexicalIndex | None:
        """Renames the entry into its place."""
        self.made_name = self._choose_name(folder)
        write_seal(folder, self.made_name)
        target = os.path.join(self._root, self.made_name)
        if os.path.lexists(target):  # damaged, or it is made from nothing now
            os.rename(target, new_folder(self._root, ".old-"))  # over an empty folder
        os.rename(folder, target)
        return open_entry(target)

    def _choose_name(self, folder: str) -> str:
        """The name of the new entry; after a move of the source, a name that is never asked for."""
        if self._is_settled():
            if not has_loose(folder):
                return self._name.key
            if self._name.place and not may_have_moved(folder, self._began_ns):
                return loose_name(self._name.key, self._name.place)
        return self._name_by_content(folder)

    def _name_by_content(self, folder: str) -> str:
        with open(os.path.join(folder, KEYS), "rb") as file:
            return _MOVED + sha256(file.read()).hexdigest()[:26]
