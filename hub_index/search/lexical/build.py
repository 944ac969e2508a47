"""Documents → a tantivy index whose per-field BM25, boosted term by term, gives our lexical score.

`all` holds each document's set of tokens with a marker in every document and another if it has CJK, so that document
counts cost one look-up; `words` holds the written words, for prefixes and for typos, because the other fields hold
stems. The records of results are stored here too: a keyword query decodes no skills.jsonl.

tantivy counts a deleted document's terms until its segment is merged away, so its terms are added to `gone`, one a
field and term: counts less these are those of the documents that are there.
"""

from __future__ import annotations

import tantivy

from hub_index.frozen import FrozenValue
from hub_index.record import Record
from hub_index.search.lexical.guarded import SUMS, document_sums
from hub_index.search.lexical.prepared import PreparedDocument, decode_record, prepare_document
from hub_index.search.words.tokens import cjk_tokens, has_cjk, is_mostly_cjk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

LEXICAL_VERSION = 8  # part of the cache's key: raise it with every change of the fields, or of how much a body has

MARKER = "*"  # no token holds a sign, so no text can forge these
CJK_MARKER = "*cjk"
CJK_TOLD_MARKER = "*told"  # described in CJK
MARKERS = (MARKER, CJK_MARKER, CJK_TOLD_MARKER)
FOREIGN = "~"  # before a CJK token of a body whose name and description have no CJK
REFRAIN = "*again"
MAX_SAID = 3  # times that a word counts in a name, a description or the keywords
GONE_MARKER = "*gone"  # in `gone`: a document that holds nothing else
# the field that a term in `gone` was deleted from
GONE_FIELDS = {
    "all": "a", "name": "n", "description": "d", "keywords": "k", "body": "b", "path": "p", "words": "w", "key": "y",
    "lang": "l",
}  # fmt: skip

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
    builder.add_unsigned_field("cjk", fast=True)
    for field in ("name", "description", "keywords", "body", "path"):
        builder.add_text_field(field, tokenizer_name="whitespace", index_option="position")
    for field in ("all", "words"):
        builder.add_text_field(field, tokenizer_name="whitespace", index_option="basic")
    builder.add_text_field("gone", tokenizer_name="raw", index_option="basic")
    builder.add_bytes_field("record", stored=True)
    builder.add_bytes_field("tokens", stored=True)
    builder.add_bytes_field(SUMS, stored=True)
    return builder.build()


def write_lexical(documents: Iterable[LexicalDocument], folder: str | None) -> tantivy.Index:
    """An index of the documents in an empty folder, or in memory without a folder."""
    return write_prepared((prepare_document(document.record, document.body) for document in documents), folder)


def write_prepared(documents: Iterable[PreparedDocument], folder: str | None) -> tantivy.Index:
    """The same of documents that are tokenised already."""
    index = tantivy.Index(make_schema(), path=folder)
    writer = index.writer(_WRITER_HEAP_BYTES, 1)  # one thread: rows keep the order of the ids
    for row, document in enumerate(documents):
        writer.add_document(feed_document(row, document))
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    return index


def exact_keys(text: str, *, with_signs: bool = False) -> tuple[str, ...]:
    """The forms under which an id or a name is found: any case, with or without hyphens unless these count."""
    plain = " ".join(text.casefold().split())
    squeezed = "".join([c for c in plain if c not in "-_ ./:"])
    return (plain, squeezed) if squeezed and squeezed != plain and not with_signs else (plain,)


def parse_day(text: str) -> int | None:
    """`2026-01-31…` as the number 20260131; None if it is not a date."""
    year, month, day = text[:4], text[5:7], text[8:10]
    if text[4:5] != "-" or text[7:8] != "-" or not (year + month + day).isascii() or not (year + month + day).isdigit():
        return None
    if len(day) != 2 or not 1 <= int(month) <= 12 or not 1 <= int(day) <= 31:
        return None
    return int(year + month + day)


def feed_document(row: int, prepared: PreparedDocument, gone: PreparedDocument | None = None) -> tantivy.Document:
    """The tantivy document of a row; `gone` adds the terms of a deleted document."""
    skill = decode_record(prepared.record)
    document = tantivy.Document()
    document.add_unsigned("row", row)
    document.add_unsigned("name_size", len(set(prepared.name.split())))
    document.add_text("id", skill.id)
    document.add_unsigned("day", parse_day(skill.updated_at) or 0)
    document.add_unsigned("cjk", is_told_in_cjk(skill))
    for field, values in _whole_terms(skill).items():
        for value in values:
            document.add_text(field, value)
    for field, text in _texts_of(prepared, skill).items():
        if text:
            document.add_text(field, text)
    document.add_bytes("record", prepared.record)
    document.add_bytes("tokens", prepared.tokens)
    document.add_bytes(SUMS, document_sums(row, prepared.record, prepared.tokens))
    if gone is not None:
        _leave_terms(document, gone)
    return document


def is_told_in_cjk(skill: Record) -> bool:
    """Whether a skill is described in CJK: a query in Latin letters shares hardly a word with it, and the other way."""
    return is_mostly_cjk(skill.description or skill.name)


def feed_gone(gone: PreparedDocument) -> tantivy.Document:
    """A document that holds nothing but what a deleted one left."""
    document = tantivy.Document()
    document.add_text("gone", GONE_MARKER)
    _leave_terms(document, gone)
    return document


def document_terms(prepared: PreparedDocument) -> dict[str, list[str]]:
    """The terms of every field, in their order, and those of `all`, `key` and `lang` once each."""
    skill = decode_record(prepared.record)
    return {field: text.split() for field, text in _texts_of(prepared, skill).items()} | _whole_terms(skill)


def distinct_terms(prepared: PreparedDocument) -> dict[str, set[str]]:
    """The terms of every field, each once: `document_terms` as sets, in a third of the time."""
    skill = decode_record(prepared.record)
    name, description, keywords = [text.split() for text in (prepared.name, prepared.description, prepared.keywords)]
    body = set(prepared.body.split())
    all_ = body.union(name, description, keywords)
    if not prepared.tokens.isascii() and (cjk := cjk_tokens(all_)):
        all_.update(_cjk_markers(skill))
        if is_foreign(skill):
            body = {FOREIGN + token if token in cjk else token for token in body}
    all_.add(MARKER)
    return {
        "name": set(without_refrain(name)),
        "description": set(without_refrain(description)),
        "keywords": set(without_refrain(keywords)),
        "path": set(prepared.path.split()),
        "words": set(prepared.words.split()),
        "body": body,
        "all": all_,
    } | {field: set(terms) for field, terms in _whole_terms(skill).items()}


def is_foreign(skill: Record) -> bool:
    """Whether CJK in a skill's body is foreign to it, having none in its name and description."""
    return not has_cjk(skill.name) and not has_cjk(skill.description)


def _cjk_markers(skill: Record) -> tuple[str, ...]:
    """The markers in `all` of a document with CJK."""
    return (CJK_MARKER, CJK_TOLD_MARKER) if is_told_in_cjk(skill) else (CJK_MARKER,)


def _texts_of(prepared: PreparedDocument, skill: Record) -> dict[str, str]:
    """The terms of the fields that tantivy splits, joined by spaces as they are stored: few have to be taken apart."""
    body, distinct = prepared.body, prepared.distinct
    markers: tuple[str, ...] = (MARKER,)
    cjk = () if distinct.isascii() else cjk_tokens(distinct.split())
    if cjk:
        markers += _cjk_markers(skill)
        if is_foreign(skill):
            body = " ".join([FOREIGN + token if token in cjk else token for token in body.split()])
    return {
        "name": _say_thrice(prepared.name),
        "description": _say_thrice(prepared.description),
        "keywords": _say_thrice(prepared.keywords),
        "path": prepared.path,
        "words": prepared.words,
        "body": body,
        "all": " ".join((distinct, *markers) if distinct else markers),
    }


def _whole_terms(skill: Record) -> dict[str, list[str]]:
    """The terms of the fields that tantivy takes as they are."""
    lang = skill.lang.lower()
    return {
        "key": list(dict.fromkeys((*exact_keys(skill.id), *exact_keys(skill.name)))),
        "lang": [tag for tag in dict.fromkeys((lang, lang.split("-")[0])) if tag],
    }


def _say_thrice(text: str) -> str:
    tokens = text.split()
    kept = without_refrain(tokens)
    return text if kept is tokens else " ".join(kept)


def without_refrain(tokens: list[str]) -> list[str]:
    """The tokens with a sign in the place of each token's fourth and later copy: the field keeps its length.

    Otherwise a description that repeats a word a thousand times would rank first for it.
    """
    if len(tokens) - len(set(tokens)) < MAX_SAID:  # no token can occur a fourth time
        return tokens
    times: dict[str, int] = {}
    kept: list[str] = []
    for token in tokens:
        times[token] = times.get(token, 0) + 1
        kept.append(token if times[token] <= MAX_SAID else REFRAIN)
    return kept


def _leave_terms(document: tantivy.Document, gone: PreparedDocument) -> None:
    for field, terms in distinct_terms(gone).items():
        mark = GONE_FIELDS[field]
        for term in terms:
            document.add_text("gone", mark + term)
