"""A document → what the tables hold of it: lexemes with a mark for their field, counted words, lengths, binary COPY.

A lexeme is a mark and a term (`npdf`: the name holds pdf), so that one index answers for every field. Counts of words
stand beside it, because a tsvector's index cannot say how many rows hold a word without visiting them.
"""

from __future__ import annotations

import struct
from collections import Counter
from hashlib import sha256

import numpy as np

from hub_index.frozen import FrozenValue
from hub_index.search.lexical.build import GONE_FIELDS, document_terms, parse_day
from hub_index.search.lexical.prepared import decode_record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from hub_index.search.lexical.prepared import PreparedDocument
    from hub_index.store.source import StoreRow

LENGTH_FIELDS = ("name", "description", "keywords", "body", "path")  # those whose lengths BM25 goes by
MARKS = {field: GONE_FIELDS[field] for field in (*LENGTH_FIELDS, "key", "lang")}
COUNTED = {field: GONE_FIELDS[field] for field in ("all", "name", "description", "path", "words", "lang")}
COPY_HEADER = b"PGCOPY\n\xff\r\n\0" + bytes(8)
COPY_END = b"\xff\xff"
_MAX_LEXEME_BYTES = 1_000  # PostgreSQL's own limit is 2,046; an id may be longer
_MAX_PLAIN_CHARS = _MAX_LEXEME_BYTES // 4 - 1  # of a term that is short enough in any script, with its mark
_NO_POSITIONS = b"\0\0\0"  # after each lexeme: the end of its text, and how many positions are known


class Content(FrozenValue):
    """What is searched of one document."""

    day: int
    terms: dict[str, list[str]]  # of each field

    @property
    def lengths(self) -> list[int]:
        """How many tokens each field has."""
        return [len(self.terms[field]) for field in LENGTH_FIELDS]


class Totals:
    """What all documents of a hub hold together; while it changes, what came and what went."""

    def __init__(self, lengths: Iterable[int] = ()) -> None:
        self.lengths = list(lengths) or [0] * len(LENGTH_FIELDS)
        self._came: dict[str, Counter[str]] = {mark: Counter() for mark in COUNTED.values()}
        self._went: dict[str, Counter[str]] = {mark: Counter() for mark in COUNTED.values()}

    def add(self, content: Content) -> None:
        """Counts a document."""
        self._count(content, self._came)
        self.lengths = [total + length for total, length in zip(self.lengths, content.lengths, strict=True)]

    def remove(self, content: Content) -> None:
        """Counts a document that is gone."""
        self._count(content, self._went)
        self.lengths = [total - length for total, length in zip(self.lengths, content.lengths, strict=True)]

    def changes(self) -> Iterator[tuple[str, str, int]]:
        """Each field's mark and word whose count changed, and by how much."""
        for mark, came in self._came.items():
            went = self._went[mark]
            for word, count in came.items():
                if change := count - went.get(word, 0):
                    yield mark, word, change
            for word in went.keys() - came.keys():
                yield mark, word, -went[word]

    def _count(self, content: Content, counts: dict[str, Counter[str]]) -> None:
        for field, mark in COUNTED.items():
            terms = content.terms[field]
            counts[mark].update(terms if field == "all" else set(terms))  # most of them, each once already


def read_content(document: PreparedDocument) -> Content:
    """The document as the tables hold it."""
    return Content(parse_day(decode_record(document.record).updated_at) or 0, document_terms(document))


def encode_lexemes(terms: dict[str, list[str]]) -> bytes:
    """The lexemes of all fields as a tsvector is sent; in one piece as long as all are plain, ten times as fast."""
    fields = {mark: set(terms[field]) for field, mark in MARKS.items() if terms[field]}
    joined = "\n".join([mark + f"\n{mark}".join(words) for mark, words in fields.items()])
    count = sum(map(len, fields.values()))
    is_short = max([max(map(len, words)) for words in fields.values()], default=0) <= _MAX_PLAIN_CHARS
    if is_short and "\0" not in joined and joined.count("\n") == count - 1:
        found = joined.encode("utf-8", "replace").replace(b"\n", _NO_POSITIONS)
    else:
        names = {lexeme(mark, term) for mark, words in fields.items() for term in words}
        found, count = _NO_POSITIONS.join(names), len(names)
    return struct.pack("!i", count) + (found + _NO_POSITIONS if count else b"")


def lexeme(mark: str, term: str) -> bytes:
    """A term of a field as the tsvector holds it; one that is too long by its digest."""
    found = f"{mark}{term}".encode("utf-8", "replace").replace(b"\0", b" ")
    return found if len(found) <= _MAX_LEXEME_BYTES else mark.encode() + sha256(found).hexdigest().encode()


def skill_tuple(number: int, row: StoreRow, vectors: str) -> bytes:
    """A row of the skills in PostgreSQL's binary COPY."""
    fields = (
        struct.pack("!i", number),
        row.id.encode("utf-8", "replace"),
        row.key,
        struct.pack("!i", row.bucket),
        row.document.record,
        row.document.tokens,
        vector_bytes(row.vector, vectors),
        row.text,
    )
    return _tuple(fields)


def lexeme_tuple(number: int, content: Content) -> bytes:
    """A row of the lexemes."""
    return _tuple((struct.pack("!i", number), struct.pack("!i", content.day), encode_lexemes(content.terms)))


def word_tuple(mark: str, word: str, skills: int) -> bytes:
    """A row of the counted words."""
    return _tuple((mark.encode(), word.encode("utf-8", "replace").replace(b"\0", b" "), struct.pack("!i", skills)))


def vector_bytes(vector: NDArray[np.float32], kind: str) -> bytes:
    """A vector as pgvector sends and receives it."""
    return struct.pack("!HH", len(vector), 0) + vector.astype(">f2" if kind == "halfvec" else ">f4").tobytes()


def read_vector(data: bytes, kind: str) -> NDArray[np.float32]:
    """The vector of bytes that pgvector has sent."""
    found: NDArray[np.float32] = np.frombuffer(data, ">f2" if kind == "halfvec" else ">f4", offset=4).astype(np.float32)
    return found


def _tuple(fields: tuple[bytes, ...]) -> bytes:
    return struct.pack("!h", len(fields)) + b"".join([struct.pack("!i", len(field)) + field for field in fields])
