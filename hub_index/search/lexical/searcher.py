"""tantivy's searcher over an index that was changed in place: counts and rows as if it had been made anew.

Deleted documents still count in tantivy, until their segment is merged away; their terms are in `gone` and are
subtracted here. A document keeps its number, while its row, its place among the records, moves with every skill that
comes or goes: `RowMap` maps one to the other.
"""

from __future__ import annotations

from hub_index.search.lexical.build import GONE_FIELDS, GONE_MARKER, MARKER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from array import array
    from collections.abc import Sequence

    import tantivy

    from hub_index.search.lexical.guarded import GuardedSearcher

NO_ROW = 0xFFFFFFFF


class RowMap:
    """Document numbers ↔ rows."""

    __slots__ = ("numbers", "rows")

    def __init__(self, rows: array[int], numbers: array[int]) -> None:
        self.rows = rows  # by document number; NO_ROW of one that is gone
        self.numbers = numbers  # by row


class ChangedSearcher:
    """The methods of tantivy's Searcher that the lexical leg uses."""

    def __init__(self, searcher: GuardedSearcher, row_map: RowMap) -> None:
        self._searcher = searcher
        self._map = row_map
        self.search = searcher.search
        self.doc = searcher.doc

    def doc_freq(self, field: str, term: object) -> int:
        """The number of present documents with the term."""
        count = self._searcher.doc_freq(field, term)
        return count - self._searcher.doc_freq("gone", f"{GONE_FIELDS[field]}{term}") if count else 0

    def terms_with_prefix(self, field: str, prefix: str, limit: int = 10) -> list[tuple[str, int]]:
        """Terms that documents hold, each with how many do."""
        mark = GONE_FIELDS[field]
        raw = self._searcher.terms_with_prefix(field, prefix, limit=limit)
        counts = [(term, count - self._searcher.doc_freq("gone", mark + term)) for term, count in raw]
        return [(term, count) for term, count in counts if count > 0]

    def fast_field_values(self, field: str, addresses: list[tantivy.DocAddress]) -> list[int | float | bool | None]:
        """A number of each document; a row is the document's present one."""
        values = self._searcher.fast_field_values(field, addresses)
        return [self._map.rows[int(value or 0)] for value in values] if field == "row" else values

    def numbers_of(self, rows: Sequence[int]) -> list[int]:
        """The numbers under which the documents of these rows were written."""
        return [self._map.numbers[row] for row in rows]

    def raw_counts(self, field: str, term: str) -> tuple[int, int]:
        """tantivy's own counts: of all documents, and of those that hold the term, deleted ones included."""
        total = self._searcher.doc_freq("all", MARKER) + self._searcher.doc_freq("gone", GONE_MARKER)
        return total, self._searcher.doc_freq(field, term)
