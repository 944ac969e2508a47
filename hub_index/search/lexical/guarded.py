"""tantivy's searcher over files of the cache, which a disk may have damaged: all errors of damage become one of ours.

tantivy believes its files: a flipped bit is a ValueError, a panic of Rust, another document's record or a wrong word.
So each document carries checksums of its record and its tokens, together with its number.
"""

from __future__ import annotations

from binascii import crc32

from hub_index.errors import CopyDamaged

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, TypeVar

    import tantivy

    Answer = TypeVar("Answer")

SUMS = "sums"  # the field of the checksums
_SUM_BYTES = 4
_NUMBER_BYTES = 8


def document_sums(number: int, record: bytes, tokens: bytes) -> bytes:
    """The checksums that a document of this number is stored with."""
    return _sum(number, record) + _sum(number, tokens)


def _sum(number: int, stored: bytes) -> bytes:
    start = crc32(number.to_bytes(_NUMBER_BYTES, "little"))
    return crc32(stored, start).to_bytes(_SUM_BYTES, "little")


def is_damage(error: BaseException) -> bool:
    """Whether tantivy, or what reads after it, fails so over a damaged file.

    A panic of Rust is no Exception, and its class can only be known by its name.
    """
    is_panic = type(error).__name__ == "PanicException" and type(error).__module__ == "pyo3_runtime"
    return is_panic or isinstance(error, (OSError, ValueError, IndexError, CopyDamaged))


class GuardedSearcher:
    """The methods of tantivy's Searcher that the lexical leg uses. Each raises CopyDamaged."""

    def __init__(self, searcher: tantivy.Searcher, drop: Callable[[], None], rows: int | None = None) -> None:
        """`drop` removes the files from the cache; `rows` is how many documents were written, where others may count.

        Raises as tantivy does over damaged files.
        """
        self._searcher = searcher
        self._drop = drop
        self._rows = searcher.num_docs if rows is None else rows
        self.is_damaged = False

    def doc_freq(self, field: str, term: object) -> int:
        """The number of documents with the term."""
        return self._ask(self._searcher.doc_freq, field, term)

    def terms_with_prefix(self, field: str, prefix: str, limit: int = 10) -> list[tuple[str, int]]:
        """Terms that documents hold, each with how many do."""
        return self._ask(self._searcher.terms_with_prefix, field, prefix, limit=limit)

    def search(self, query: tantivy.Query, limit: int = 10, *, count: bool = True) -> tantivy.SearchResult:
        """The best documents."""
        return self._ask(self._searcher.search, query, limit=limit, count=count)

    def fast_field_values(self, field: str, addresses: Sequence[tantivy.DocAddress]) -> list[int | float | bool | None]:
        """A number of each document."""
        return self._ask(self._read_numbers, field, list(addresses))

    def doc(self, address: tantivy.DocAddress) -> tantivy.Document:
        """The stored document, its record as it was written."""
        return self._ask(self._read, address, "record", 0)

    def read_tokens(self, address: tantivy.DocAddress) -> bytes:
        """The stored tokens of a document, as they were written."""
        return _stored(self._ask(self._read, address, "tokens", _SUM_BYTES), "tokens")

    def _ask(self, question: Callable[..., Answer], *arguments: Any, **options: Any) -> Answer:
        if not self.is_damaged:
            try:
                return question(*arguments, **options)
            except BaseException as error:
                if not is_damage(error):
                    raise
            self.is_damaged = True
            self._drop()
        raise CopyDamaged("the index of words in the cache folder was damaged, and is removed; search again")

    def _read_numbers(self, field: str, addresses: list[tantivy.DocAddress]) -> list[int | float | bool | None]:
        values = self._searcher.fast_field_values(field, addresses)
        if field == "row" and not all(0 <= int(value or 0) < self._rows for value in values):
            raise ValueError("a row that was never written")
        return values

    def _read(self, address: tantivy.DocAddress, field: str, at: int) -> tantivy.Document:
        document = self._searcher.doc(address)
        number = int(self._searcher.fast_field_values("row", [address])[0] or 0)
        if _stored(document, SUMS)[at : at + _SUM_BYTES] != _sum(number, _stored(document, field)):
            raise ValueError("a document that is not as it was written")
        return document


def _stored(document: tantivy.Document, field: str) -> bytes:
    """A stored field; empty if it is missing or of another kind."""
    value = document.get_first(field)
    return value if isinstance(value, bytes) else b""
