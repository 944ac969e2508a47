"""A record and its body → the tokens of all fields, ready to be fed to tantivy, kept and fed again.

Tokenising is the slow part of a lexical index, so its result is stored beside each document. Facts that follow from it
quickly (the set of all tokens, exact keys, the mark of foreign CJK tokens) are computed when a document is fed; a
document that was just tokenised brings the set along, which knows equal tokens without comparing them.
"""

from __future__ import annotations

from itertools import chain

from hub_index.limits import MAX_BODY_CHARS
from hub_index.record import Record
from hub_index.search.words.tokens import encode_text, join_distinct, split_words, token_runs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Self

SEPARATOR = "\x1f"  # between stored fields; records hold no control character but line feeds
_KEYWORD_SEPARATOR = "\n"


class PreparedDocument:
    """One document's record as it is stored, and the tokens of its fields, each joined by spaces."""

    __slots__ = ("_distinct", "body", "description", "keywords", "name", "path", "record", "tokens", "words")

    def __init__(self, record: bytes, tokens: bytes, distinct: bytes = b"") -> None:
        """From the two stored fields. Raises ValueError if the tokens are not those of a document."""
        self.record = record
        self.tokens = tokens
        self._distinct = distinct.decode()
        fields = tokens.decode().split(SEPARATOR)
        self.name, self.description, self.keywords, self.path, self.words, self.body = fields

    @property
    def distinct(self) -> str:
        """The tokens of name, description, keywords and body, each once, joined by spaces."""
        if not self._distinct:
            fields = (self.name, self.description, self.keywords, self.body)
            self._distinct = " ".join(dict.fromkeys(" ".join(fields).split()))
        return self._distinct

    def with_record(self, record: bytes) -> Self:
        """The same body under another record."""
        if record == self.record:
            return self
        return type(self)(record, *prepare_tokens(decode_record(record), self.body.encode().split()))


def token_count(text: str) -> int:
    """The number of tokens in a stored field; they are joined by single spaces."""
    return text.count(" ") + 1 if text else 0


def prepare_tokens(record: Record, body: Sequence[bytes]) -> tuple[bytes, bytes]:
    """The stored field of a document whose body is tokenised already, and its distinct tokens."""
    keywords = " ".join(record.keywords)
    written = " ".join((record.name, record.description, keywords))
    words = {word.lower().encode(): None for word in split_words(written) if word.isascii()}
    texts = map(encode_text, (record.name, record.description, keywords, record.path))
    name, description, said, path = map(token_runs, texts)
    stored = SEPARATOR.encode().join(map(b" ".join, (name, description, said, path, words, body)))
    return stored, join_distinct(chain(body, name, description, said))


def tokenize_body(body: str) -> list[bytes]:
    """The body's tokens, in runs."""
    return token_runs(encode_text(body[:MAX_BODY_CHARS]))


def prepare_document(record: Record, body: str) -> PreparedDocument:
    """The document, tokenised."""
    return PreparedDocument(encode_record(record), *prepare_tokens(record, tokenize_body(body)))


def encode_record(record: Record) -> bytes:
    """The record as a document of the index carries it."""
    # no text_hash: it is never searched, and it does not compress (the store would grow by 40 %)
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
