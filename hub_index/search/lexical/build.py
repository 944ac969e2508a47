"""Documents → a tantivy index whose per-field BM25, boosted term by term, gives our lexical score.

`all` holds each document's set of tokens with a marker in every document and another where it has CJK, so that
document counts cost one look-up; `words` holds the written words, for prefixes and for typos, because the other
fields hold stems. The records that a result shows are stored here too: a keyword query decodes no skills.jsonl.
"""

from __future__ import annotations

import tantivy

from hub_index.frozen import FrozenValue
from hub_index.limits import MAX_BODY_CHARS
from hub_index.record import Record
from hub_index.search.lexical.tokens import has_cjk, is_cjk, split_words, tokenize

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

LEXICAL_VERSION = 3  # part of the cache's key: raise it with every change of the fields

MARKER = "*"  # no token holds a sign, so no text can forge these
CJK_MARKER = "*cjk"
FOREIGN = "~"  # before a CJK token of a body whose name and description have no CJK
_REFRAIN = "*again"
_MAX_SAID = 3  # times that a word counts in a name, a description or the keywords
_SEPARATOR = "\x1f"  # between stored fields; records hold no control character but line feeds
_KEYWORD_SEPARATOR = "\n"

_WRITER_HEAP_BYTES = 256_000_000  # 25,000 skills with bodies in one segment: equal scores, and nothing to merge


class LexicalDocument(FrozenValue):
    """One record and the body of its file; rows come sorted by id."""

    record: Record
    body: str = ""


def make_schema() -> tantivy.Schema:
    """The fields of the index."""
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("id", tokenizer_name="raw", index_option="basic")
    builder.add_text_field("key", tokenizer_name="raw", index_option="basic")
    builder.add_text_field("lang", tokenizer_name="raw", index_option="basic")
    builder.add_unsigned_field("row", indexed=True, fast=True)
    builder.add_unsigned_field("name_size", fast=True)
    builder.add_unsigned_field("day", indexed=True, fast=True)
    for field in ("name", "description", "keywords", "body", "path"):
        builder.add_text_field(field, tokenizer_name="whitespace", index_option="position")
    for field in ("all", "words"):
        builder.add_text_field(field, tokenizer_name="whitespace", index_option="basic")
    builder.add_bytes_field("record", stored=True)
    return builder.build()


def write_lexical(documents: Iterable[LexicalDocument], folder: str | None) -> tantivy.Index:
    """An index of the documents in an empty folder, or in memory where there is none."""
    index = tantivy.Index(make_schema(), path=folder)
    writer = index.writer(_WRITER_HEAP_BYTES, 1)  # one thread: rows keep the order of the ids
    for row, document in enumerate(documents):
        writer.add_document(_encode_document(row, document))
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    return index


def exact_keys(text: str) -> tuple[str, ...]:
    """The forms under which an id or a name is found: any case, with or without hyphens."""
    plain = " ".join(text.casefold().split())
    squeezed = "".join([c for c in plain if c not in "-_ ./:"])
    return (plain, squeezed) if squeezed and squeezed != plain else (plain,)


def parse_day(text: str) -> int | None:
    """`2026-01-31…` as the number 20260131; None where it is not a date."""
    year, month, day = text[:4], text[5:7], text[8:10]
    if text[4:5] != "-" or text[7:8] != "-" or not (year + month + day).isascii() or not (year + month + day).isdigit():
        return None
    if len(day) != 2 or not 1 <= int(month) <= 12 or not 1 <= int(day) <= 31:
        return None
    return int(year + month + day)


def decode_record(stored: bytes) -> Record:
    """The record that a document of the index carries, without its text_hash."""
    id_, name, path, description, lang, updated_at, keywords = stored.decode().split(_SEPARATOR)
    words = tuple(keywords.split(_KEYWORD_SEPARATOR)) if keywords else ()
    # by name: as quick as a tuple, and five are made for every query
    return Record(
        id=id_, path=path, name=name, description=description, updated_at=updated_at, keywords=words, lang=lang
    )


def _encode_record(record: Record) -> bytes:
    # no text_hash: nobody searches for it, and it does not compress (the store would grow by 40 %)
    texts = (record.id, record.name, record.path, record.description, record.lang, record.updated_at)
    fields = [*texts, _KEYWORD_SEPARATOR.join(record.keywords)]
    # another writer's record may hold anything
    return _SEPARATOR.join([field.replace(_SEPARATOR, " ") for field in fields]).encode("utf-8", "replace")


def _without_refrain(tokens: list[str]) -> list[str]:
    """The tokens with a sign in place of what is said for the fourth time: the field stays as long as it is.

    A description that repeats a word a thousand times would stand first for it otherwise.
    """
    if len(tokens) <= _MAX_SAID:
        return tokens
    said: dict[str, int] = {}
    kept: list[str] = []
    for token in tokens:
        said[token] = said.get(token, 0) + 1
        kept.append(token if said[token] <= _MAX_SAID else _REFRAIN)
    return kept


def _encode_document(row: int, source: LexicalDocument) -> tantivy.Document:
    skill = source.record
    name, description = tokenize(skill.name), tokenize(skill.description)
    keywords = tokenize(" ".join(skill.keywords))
    body = tokenize(source.body[:MAX_BODY_CHARS])
    tokens = {*name, *description, *keywords, *body}
    cjk = {token for token in tokens if is_cjk(token[0])}
    markers = [MARKER, CJK_MARKER] if cjk else [MARKER]
    if cjk and not has_cjk(skill.name) and not has_cjk(skill.description):
        body = [FOREIGN + token if token in cjk else token for token in body]

    document = tantivy.Document()
    document.add_text("id", skill.id)
    document.add_unsigned("row", row)
    document.add_unsigned("name_size", len(set(name)))
    document.add_unsigned("day", parse_day(skill.updated_at) or 0)
    for key in {*exact_keys(skill.id), *exact_keys(skill.name)}:
        document.add_text("key", key)
    for lang in {skill.lang.lower(), skill.lang.lower().split("-")[0]} - {""}:
        document.add_text("lang", lang)
    short = (("name", name), ("description", description), ("keywords", keywords))
    for field, value in (*((field, _without_refrain(tokens)) for field, tokens in short), ("body", body)):
        if value:
            document.add_text(field, " ".join(value))
    document.add_text("path", " ".join(tokenize(skill.path)))
    document.add_text("all", " ".join([*tokens, *markers]))
    written = " ".join((skill.name, skill.description, *skill.keywords))
    document.add_text("words", " ".join({word.lower() for word in split_words(written) if word.isascii()}))
    document.add_bytes("record", _encode_record(skill))
    return document
