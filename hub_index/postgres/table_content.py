"""A document → its values in the tables: lexemes with a mark for their field, lengths, rows in binary COPY.

A lexeme is a mark and a term (`npdf`: the name holds pdf), so that one index answers for every field.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from hashlib import sha256

import numpy as np

from hub_index.search.lexical.build import GONE_FIELDS, distinct_terms, parse_day
from hub_index.search.lexical.prepared import decode_record, token_count

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Set

    from numpy.typing import NDArray

    from hub_index.postgres.index_source import StoreRow
    from hub_index.search.lexical.prepared import PreparedDocument

LENGTH_FIELDS = ("name", "description", "keywords", "body", "path")  # those whose lengths BM25 goes by
MARKS = {field: GONE_FIELDS[field] for field in (*LENGTH_FIELDS, "key", "lang")}
COPY_HEADER = b"PGCOPY\n\xff\r\n\0" + bytes(8)
COPY_END = b"\xff\xff"
_MAX_LEXEME_BYTES = 1_000  # PostgreSQL's own limit is 2,046; an id may be longer
_MAX_PLAIN_CHARS = _MAX_LEXEME_BYTES // 4 - 1  # of a term that is short enough in any script, with its mark
_NO_POSITIONS = b"\0\0\0"  # after each lexeme: the end of its text, and how many positions are known


@dataclass(frozen=True, slots=True)
class Content:
    """The searched parts of one document."""

    day: int
    terms: dict[str, set[str]]  # of each field
    lengths: tuple[int, ...]  # how many tokens each of LENGTH_FIELDS has


def read_content(document: PreparedDocument) -> Content:
    """The document as the tables hold it."""
    lengths = tuple([token_count(getattr(document, field)) for field in LENGTH_FIELDS])
    return Content(parse_day(decode_record(document.record).updated_at) or 0, distinct_terms(document), lengths)


def encode_lexemes(terms: Mapping[str, Set[str]]) -> bytes:
    """The lexemes of all fields as a tsvector is sent; in one piece as long as all are plain, ten times as fast."""
    fields = {mark: terms[field] for field, mark in MARKS.items() if terms[field]}
    joined = "\n".join([mark + f"\n{mark}".join(words) for mark, words in fields.items()])
    count = sum(map(len, fields.values()))
    is_short = max([max(map(len, words)) for words in fields.values()], default=0) <= _MAX_PLAIN_CHARS
    if is_short and "\0" not in joined and joined.count("\n") == count - 1:
        encoded = joined.encode("utf-8", "replace").replace(b"\n", _NO_POSITIONS)
    else:
        names = {lexeme(mark, term) for mark, words in fields.items() for term in words}
        encoded, count = _NO_POSITIONS.join(names), len(names)
    return struct.pack("!i", count) + (encoded + _NO_POSITIONS if count else b"")


def lexeme(mark: str, term: str) -> bytes:
    """A term of a field as the tsvector holds it; one that is too long by its digest."""
    encoded = f"{mark}{term}".encode("utf-8", "replace").replace(b"\0", b" ")
    return encoded if len(encoded) <= _MAX_LEXEME_BYTES else mark.encode() + sha256(encoded).hexdigest().encode()


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
    return copy_tuple(fields)


def lexeme_tuple(number: int, content: Content) -> bytes:
    """A row of the lexemes."""
    return copy_tuple((struct.pack("!i", number), struct.pack("!i", content.day), encode_lexemes(content.terms)))


def vector_bytes(vector: NDArray[np.float32], kind: str) -> bytes:
    """A vector as pgvector sends and receives it."""
    return struct.pack("!HH", len(vector), 0) + vector.astype(">f2" if kind == "halfvec" else ">f4").tobytes()


def read_vector(data: bytes, kind: str) -> NDArray[np.float32]:
    """The vector of bytes that pgvector has sent."""
    vector: NDArray[np.float32] = np.frombuffer(data, ">f2" if kind == "halfvec" else ">f4", offset=4).astype(
        np.float32
    )
    return vector


def copy_tuple(fields: tuple[bytes, ...]) -> bytes:
    """A row in PostgreSQL's binary COPY."""
    return struct.pack("!h", len(fields)) + b"".join([struct.pack("!i", len(field)) + field for field in fields])
