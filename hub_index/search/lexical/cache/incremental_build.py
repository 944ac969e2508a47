"""An entry made from another one by deleting and adding documents: the work grows with the change, not with the hub.

Always from a base that was made in full, never from an entry that was itself changed: so the way there does not
matter, and there are at most as many deleted documents as the base may lose before a new one is made (`MAX_CHANGE`).
"""

from __future__ import annotations

import os
from itertools import zip_longest
from operator import eq

import tantivy

from hub_index.search.lexical.build import MARKER, feed_document, feed_gone
from hub_index.search.lexical.cache.documents import prepare_rows
from hub_index.search.lexical.cache.edited_files import write_loose
from hub_index.search.lexical.cache.entry import (
    DELTA,
    KEYS,
    SIDE_FILES,
    copy_file,
    new_folder,
    read_keys,
    remove_folder,
    write_note,
    write_rows,
)
from hub_index.search.lexical.cache.reusable_documents import KnownDocuments, StoredDocuments
from hub_index.search.lexical.guarded import is_damage
from hub_index.search.lexical.preparing import KEY_BYTES
from hub_index.search.lexical.searcher import NO_ROW

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from hub_index.search.lexical.cache.documents import DocumentSource, KeyedDocument
    from hub_index.search.lexical.cache.entry import EntryNote

MAX_CHANGE = 0.01  # of the base's documents: average lengths of fields, which count deleted ones, stay nearly the same
_WRITER_HEAP_BYTES = 30_000_000  # of a writer of a few documents; tantivy wants 15
MEMORY_FOLDER = "/dev/shm"  # noqa: S108 - tantivy syncs ten files one by one: a disk takes 80 ms for it
WORK_PREFIX = "hub-index-lexical-"


class Change:
    """The difference between a base and the wanted rows."""

    def __init__(self, base: EntryNote, source: DocumentSource) -> None:
        """Raises OSError if the base has been removed."""
        self.base = base
        self.source = source
        keys = read_keys(base.folder)
        is_same = list(map(eq, keys, source.keys))  # in C: a base has many, a change few
        others = [row for row, same in enumerate(is_same) if not same]
        rows = [*others, *range(len(is_same), len(source.keys))]
        # a key names its skill, so that the keys of the rows above are nowhere else
        self._others = {keys[number]: number for number in (*others, *range(len(is_same), len(keys)))}
        self._moved = [row for row in rows if source.keys[row] in self._others]
        self.added = [row for row in rows if source.keys[row] not in self._others]
        kept = {source.keys[row] for row in self._moved}
        self.gone = {number: key for key, number in self._others.items() if key not in kept}  # by number

    def find_number(self, key: bytes) -> int | None:
        """The number of the base's document of this key, unless it is where its row is."""
        return self._others.get(key)

    def number_rows(self) -> list[int | None]:
        """The number of each row's document in the base; None for those that are added."""
        numbers: list[int | None] = list(range(len(self.source.keys)))
        for row in self.added:
            numbers[row] = None
        for row in self._moved:
            numbers[row] = self._others[self.source.keys[row]]
        return numbers

    @property
    def is_small(self) -> bool:
        """Whether the base may be changed by so much."""
        return max(len(self.added), len(self.gone)) <= self.base.count * MAX_CHANGE


class ChangedEntry:
    """Writes the entry that a change leads to."""

    def __init__(self, change: Change, entries: Sequence[EntryNote]) -> None:
        """Reads what goes, and reads and prepares what is added. Raises CopyDamaged if the base is gone, too."""
        self._change = change
        self._left = StoredDocuments(change.base.folder).read(sorted(change.gone))
        source = change.source
        stored = KnownDocuments(source, change.added, [entry for entry in entries if entry.base], only_added=True)
        documents: dict[int, KeyedDocument | None] = dict(stored.read(change.added))
        unknown = [row for row in change.added if row not in documents]
        # an edited body has the record that it had before
        records = {change.gone[number][:KEY_BYTES]: left.record for number, left in self._left.items()}
        documents.update(zip(unknown, prepare_rows(source, unknown, records), strict=True))
        self._added: list[KeyedDocument] = []
        self._numbers: list[int] = []  # by row
        self._others: list[int] = []  # rows that are not what their keys say
        self._order(documents)

    def _order(self, documents: dict[int, KeyedDocument | None]) -> None:
        """Gives every row that is there the number of its document."""
        change = self._change
        numbers = change.number_rows()
        gone = set(change.gone)
        for row in change.added:
            document = documents[row]
            if document is None or document.key != change.source.keys[row]:
                self._others.append(row)
            if document is None:
                continue
            number = change.find_number(document.key)
            if number is None:  # else the file was the same when the base was made, whatever git's index says
                number = change.base.count + len(self._added)
                self._added.append(document)
            gone.discard(number)
            numbers[row] = number
        self._numbers = [number for number in numbers if number is not None]
        self._gone = sorted(gone)

    def write(self, folder: str) -> bool:
        """Fills a folder; False if that cannot be done from this base, and nothing is in it. Raises OSError."""
        base = self._change.base.folder
        is_in_memory = os.access(MEMORY_FOLDER, os.W_OK)
        work = new_folder(MEMORY_FOLDER, WORK_PREFIX) if is_in_memory else new_folder(os.path.dirname(folder), ".new-")
        try:
            shared = _lay_out(base, work)
            try:
                if not self._write_tantivy(work):
                    return False
            except BaseException as error:
                if not is_damage(error):
                    raise
                return False  # the base is damaged, or the disk is full: a full build reports it
            for name in os.listdir(work):
                path = os.path.join(work, name)
                if name not in shared and not name.endswith(".lock"):
                    copy_file(path, os.path.join(folder, name))
        finally:
            remove_folder(work)
        for name in (*shared, KEYS):
            _link(os.path.join(base, name), os.path.join(folder, name))
        self._write_sides(folder)
        return True

    def _write_tantivy(self, work: str) -> bool:
        index = tantivy.Index.open(work)
        gone = {number: self._left[number] for number in self._gone if number in self._left}
        writer = index.writer(_WRITER_HEAP_BYTES, 1)
        writer.delete_documents_by_query(tantivy.Query.term_set_query(index.schema, "row", self._gone))
        first = self._change.base.count
        # what is gone rides on what is added: documents that hold nothing would make the average length shrink
        for at, (added, left) in enumerate(zip_longest(self._added, gone.values())):
            writer.add_document(feed_document(first + at, added.prepared, left) if added else feed_gone(left))
        writer.commit()
        writer.wait_merging_threads()
        index.reload()
        searcher = index.searcher()
        # a merge would have dropped some of the deleted ones, whose terms are subtracted nevertheless
        is_unmerged = searcher.doc_freq("all", MARKER) == first + len(self._added)
        is_whole = searcher.num_docs == first - len(gone) + max(len(self._added), len(gone))
        return is_unmerged and is_whole and len(gone) == len(self._gone)

    def _write_sides(self, folder: str) -> None:
        count = self._change.base.count + len(self._added)
        rows = [NO_ROW] * count
        for row, number in enumerate(self._numbers):
            rows[number] = row
        write_rows(folder, rows, self._numbers)
        with open(os.path.join(folder, DELTA), "xb") as file:
            file.write(b"".join([document.key for document in self._added]))
        write_note(folder, self._change.base.name, self._change.base.count)
        write_loose(folder, self._change.source.loose_files(self._others))


def _lay_out(base: str, work: str) -> set[str]:
    """Puts the base's index into a folder where tantivy can change it; the names of the files that stay the same."""
    shared = set()
    for name in os.listdir(base):
        path = os.path.join(base, name)
        if name in SIDE_FILES or name.endswith(".lock"):
            continue
        if name.endswith(".json"):  # tantivy's own lists of files: replaced with every change
            copy_file(path, os.path.join(work, name))
        else:
            os.symlink(os.path.abspath(path), os.path.join(work, name))
            shared.add(name)
    return shared


def _link(path: str, other: str) -> None:
    """Gives a file of the cache a second name, or copies it where the file system cannot."""
    try:
        os.link(path, other)
    except FileNotFoundError:
        raise
    except OSError:
        import shutil

        shutil.copy2(path, other)
