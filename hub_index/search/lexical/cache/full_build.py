"""An entry made from documents alone, in the order of its rows; stored documents are not tokenised again."""

from __future__ import annotations

import os

import tantivy

from hub_index.search.lexical.build import write_prepared
from hub_index.search.lexical.cache.documents import MANY_TASKS, prepare_rows
from hub_index.search.lexical.cache.edited_files import write_loose
from hub_index.search.lexical.cache.entry import KEYS, write_note
from hub_index.search.lexical.cache.reusable_documents import KnownDocuments

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from hub_index.search.lexical.cache.documents import DocumentSource, KeyedDocument, Progress
    from hub_index.search.lexical.cache.entry import EntryNote
    from hub_index.search.lexical.prepared import PreparedDocument

_CHUNK_ROWS = 1_000  # stored documents that are read at a time: some 5 MB


class FreshEntry:
    """Writes an entry into an empty folder, or an index into memory without a folder."""

    def __init__(self, source: DocumentSource, entries: Sequence[EntryNote], progress: Progress | None) -> None:
        self._source = source
        self._progress = progress
        self._known = KnownDocuments(source, range(len(source.keys)), entries)
        self._keys: list[bytes] = []
        self._others: list[int] = []  # rows that are not what their keys say

    def write(self, folder: str | None) -> tantivy.Index:
        """The index. Raises OSError if the disk is full."""
        try:
            index = write_prepared(self._documents(), folder)
        except ValueError as error:  # how tantivy reports a full disk
            raise OSError(str(error)) from error
        if folder is not None:
            with open(os.path.join(folder, KEYS), "xb") as file:
                file.write(b"".join(self._keys))
            write_note(folder, "", len(self._keys))
            write_loose(folder, self._source.loose_files(self._others))
        return index

    def _documents(self) -> Iterator[PreparedDocument]:
        for row, document in enumerate(self._in_order()):
            if document is None or document.key != self._source.keys[row]:
                self._others.append(row)
            if document is not None:
                self._keys.append(document.key)
                yield document.prepared

    def _in_order(self) -> Iterator[KeyedDocument | None]:
        """Every row's document: stored, else prepared now."""
        count = len(self._source.keys)
        unknown = [row for row in range(count) if row not in self._known]
        prepared: Iterator[KeyedDocument | None] = prepare_rows(self._source, unknown)
        if len(unknown) < MANY_TASKS:  # all are read at once: what moves from now on does no harm
            prepared = iter(list(prepared))
        for start in range(0, count, _CHUNK_ROWS):
            rows = range(start, min(start + _CHUNK_ROWS, count))
            stored = self._known.read(rows)
            for row in rows:
                if self._progress:
                    self._progress(row, count)
                if row not in self._known:
                    yield next(prepared)
                elif row in stored:
                    yield stored[row]
                else:  # its entry was removed or damaged meanwhile
                    yield from prepare_rows(self._source, [row])
