"""Documents that other entries have tokenised already: found by their keys, read from their entries."""

from __future__ import annotations

import os

import tantivy

from hub_index.errors import CopyDamaged
from hub_index.search.lexical.cache.documents import KeyedDocument
from hub_index.search.lexical.cache.entry import DELTA, EntryNote, drop_entry, guard_index, read_keys, read_note
from hub_index.search.lexical.guarded import is_damage
from hub_index.search.lexical.prepared import PreparedDocument
from hub_index.search.lexical.preparing import KEY_BYTES, NO_BODY, task_record
from hub_index.search.lexical.searcher import NO_ROW

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from hub_index.search.lexical.cache.documents import DocumentSource

_ENTRIES_TRIED = 16  # those used last


def list_entries(root: str) -> list[EntryNote]:
    """The whole entries of our versions, those used last first."""
    try:
        folders = [entry for entry in os.scandir(root) if not entry.name.startswith(".") and entry.is_dir()]
        folders.sort(key=lambda entry: entry.stat().st_mtime_ns, reverse=True)
    except OSError:  # one of them has just been removed
        return []
    notes = (read_note(entry.path) for entry in folders[:_ENTRIES_TRIED])
    return [note for note in notes if note is not None]


class KnownDocuments:
    """The stored ones among the wanted rows, and their entries."""

    def __init__(
        self, source: DocumentSource, rows: Iterable[int], entries: Sequence[EntryNote], *, only_added: bool = False
    ) -> None:
        """`only_added`: looks only among the documents that changed entries have added, not in a base."""
        self._source = source
        self._only_added = only_added
        self._places: dict[int, tuple[str, int]] = {}  # row → an entry's folder, and the document's number there
        self._other_records: set[int] = set()  # rows with only their body stored there
        self._open: dict[str, StoredDocuments] = {}
        missing = {source.keys[row]: row for row in rows}
        for by_body in (
            (False,) if only_added else (False, True)
        ):  # the same document, else the same body under another record
            for entry in entries if missing else ():
                self._look_in(entry, missing, by_body=by_body)

    def __contains__(self, row: int) -> bool:
        return row in self._places

    def _look_in(self, entry: EntryNote, missing: dict[bytes, int], *, by_body: bool) -> None:
        try:
            keys = [] if self._only_added else read_keys(entry.folder)
            first = entry.count - len(keys) if entry.base else 0
            keys += read_keys(entry.folder, DELTA) if entry.base else []
        except OSError:  # it has just been removed
            return
        wanted = missing
        if by_body:
            wanted = {key[KEY_BYTES:]: row for key, row in missing.items() if self._may_share_body(key, row)}
            keys = [key[KEY_BYTES:] for key in keys]
        numbers = {wanted[key]: number for number, key in enumerate(keys, first) if key in wanted}
        for row, number in numbers.items():
            self._places[row] = (entry.folder, number)
            if by_body:
                self._other_records.add(row)
            missing.pop(self._source.keys[row], None)

    def _may_share_body(self, key: bytes, row: int) -> bool:
        return key[KEY_BYTES:] != NO_BODY and task_record(self._source.task(row)) is not None

    def read(self, rows: Iterable[int]) -> dict[int, KeyedDocument]:
        """The documents of these rows that are stored and can be read."""
        by_folder: dict[str, dict[int, int]] = {}
        for row in rows:
            if row in self._places:
                folder, number = self._places[row]
                by_folder.setdefault(folder, {})[number] = row
        documents: dict[int, KeyedDocument] = {}
        for folder, wanted in by_folder.items():
            try:
                stored = self._open[folder] = self._open.get(folder) or StoredDocuments(folder)
                for number, prepared in stored.read(list(wanted)).items():
                    documents[wanted[number]] = self._as_wanted(wanted[number], prepared)
            except CopyDamaged:  # or it has just been removed
                continue
        return documents

    def _as_wanted(self, row: int, prepared: PreparedDocument) -> KeyedDocument:
        record = task_record(self._source.task(row)) if row in self._other_records else None
        return KeyedDocument(self._source.keys[row], prepared if record is None else prepared.with_record(record))


class StoredDocuments:
    """The documents of an entry, as they are stored."""

    def __init__(self, folder: str) -> None:
        """Raises CopyDamaged for a missing entry, or for a damaged one, which is then removed."""
        try:
            index = tantivy.Index.open(folder)
            self._searcher = guard_index(index, folder, NO_ROW)
        except BaseException as error:
            if not is_damage(error):
                raise
            drop_entry(folder)
            raise CopyDamaged(f"{folder}: it cannot be read") from error
        self._schema = index.schema

    def read(self, numbers: list[int]) -> dict[int, PreparedDocument]:
        """Those of these numbers, but for deleted ones. Raises CopyDamaged, which has removed the entry."""
        query = tantivy.Query.term_set_query(self._schema, "row", numbers)
        hits = self._searcher.search(query, limit=max(1, len(numbers)), count=False).hits
        addresses = [address for _, address in hits]
        rows = self._searcher.fast_field_values("row", addresses)
        return {int(row or 0): self._read(address) for row, address in zip(rows, addresses, strict=True)}

    def _read(self, address: tantivy.DocAddress) -> PreparedDocument:
        record = bytes(self._searcher.doc(address).get_first("record") or b"")
        return PreparedDocument(record, self._searcher.read_tokens(address))
