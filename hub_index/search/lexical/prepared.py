"""A record and its body → the tokens of all fields, ready to be fed to tantivy, kept and fed again.

Tokenising is the slow part of a lexical index, so its outcome is stored beside each document. What follows from it
quickly (the set of all tokens, exact keys, the mark of foreign CJK tokens) is worked out when a document is fed.
"""

from __future__ import annotations

from hub_index.limits import MAX_BODY_CHARS
from hub_index.record import Record
from hub_index.search.lexical.tokens import join_tokens, split_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Self

SEPARATOR = "\x1f"  # between stored fields; records hold no control character but line feeds
_KEYWORD_SEPARATOR = "\n"


class PreparedDocument:
    """One document's record as it is stored, and the tokens of its fields, each joined by spaces."""

    __slots__ = ("body", "description", "keywords", "name", "path", "record", "words")

    def __init__(self, record: bytes, tokens: bytes) -> None:
        """From the two stored fields. Raises ValueError where the tokens are not those of a document."""
        self.record = record
        fields = tokens.decode().split(SEPARATOR)
        self.name, self.description, self.keywords, self.path, self.words, self.body = fields

    def encode_tokens(self) -> bytes:
        """The stored field of tokens."""
        fields = (self.name, self.description, self.keywords, self.path, self.words, self.body)
        return SEPARATOR.join(fields).encode()

    def with_record(self, record: bytes) -> Self:
        """The same body under another record."""
        return self if record == self.record else type(self)(record, prepare_tokens(decode_record(record), self.body))


def prepare_tokens(record: Record, body_tokens: str) -> bytes:
    """The stored field of a document whose body is tokenised already."""
    written = " ".join((record.name, record.description, *record.keywords))
    words = {word.lower(): None for word in split_words(written) if word.isascii()}
    fields = (
        *map(join_tokens, (record.name, record.description, " ".join(record.keywords), record.path)),
        " ".join(words),
        body_tokens,
    )
    return SEPARATOR.join(fields).encode()


def tokenize_body(body: str) -> str:
    """The body's tokens, joined by spaces."""
    return join_tokens(body[:MAX_BODY_CHARS])


def prepare_document(record: Record, body: str) -> PreparedDocument:
    """The document, tokenised."""
    return PreparedDocument(encode_record(record), prepare_tokens(record, tokenize_body(body)))


def encode_record(record: Record) -> bytes:
    """The record as a document of the index carries it."""
    # no text_hash: nobody searches for it, and it does not compress (the store would grow by 40 %)
    texts = (record.id, record.name, record.path, record.description, record.lang, record.updated_at)
    fields = [*texts, _KEYWORD_SEPARATOR.join(record.keywords)]
    # another writer's record may hold anything
    return SEPARATOR.join([field.replace(SEPARATOR, " ") for field in fields]).encode("utf-8", "replace")


def decode_record(stored: bytes) -> Record:
    """The record that a document of the index carries, without its text_hash."""
    id_, name, path, description, lang, updated_at, keywords = stored.decode().split(SEPARATOR)
    words = tuple(keywords.split(_KEYWORD_SEPARATOR)) if keywords else ()
    # by name: as quick as a tuple, and five are made for every query
    return Record(
        id=id_, path=path, name=name, description=description, updated_at=updated_at, keywords=words, lang=lang
    )
