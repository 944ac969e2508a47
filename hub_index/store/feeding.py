"""A stored skill → the small document for one plain query: the words of the query, in fields of full length.

Whole documents, with every other word, made a search half as slow again.
"""

from __future__ import annotations

import tantivy

from hub_index.search.lexical.build import (
    CJK_TOLD_MARKER,
    FOREIGN,
    MARKER,
    REFRAIN,
    exact_keys,
    is_foreign,
    is_told_in_cjk,
    parse_day,
    without_refrain,
)
from hub_index.search.lexical.prepared import PreparedDocument, decode_record, token_count
from hub_index.search.lexical.tokens import is_cjk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Set

_SHORT = ("name", "description", "keywords")


def feed_wanted(row: int, prepared: PreparedDocument, wanted: Set[str]) -> tantivy.Document:
    """The document of a query without syntax; `wanted` are its tokens, as documents hold them."""
    skill = decode_record(prepared.record)
    tokens_of = {field: _wanted_of(getattr(prepared, field), wanted) for field in (*_SHORT, "body")}
    held = dict.fromkeys([token for tokens in tokens_of.values() for token in tokens])
    body = tokens_of["body"]
    if not prepared.body.isascii() and any(is_cjk(token[0]) for token in body) and is_foreign(skill):
        tokens_of["body"] = [FOREIGN + token if is_cjk(token[0]) else token for token in body]
    document = tantivy.Document()
    document.add_unsigned("row", row)
    document.add_unsigned("name_size", len(set(prepared.name.split())))
    document.add_unsigned("day", parse_day(skill.updated_at) or 0)
    document.add_unsigned("cjk", is_told_in_cjk(skill))
    document.add_text("id", skill.id)
    for key in dict.fromkeys((*exact_keys(skill.id), *exact_keys(skill.name))):
        document.add_text("key", key)
    for field, tokens in tokens_of.items():
        if length := token_count(getattr(prepared, field)):
            kept = without_refrain(tokens) if field in _SHORT else tokens
            document.add_text(field, " ".join([*kept, *[REFRAIN] * (length - len(kept))]))
    document.add_text("all", " ".join([*held, MARKER, *([CJK_TOLD_MARKER] if is_told_in_cjk(skill) else [])]))
    document.add_bytes("record", prepared.record)
    return document


def _wanted_of(text: str, wanted: Set[str]) -> list[str]:
    return [token for token in text.split() if token in wanted]
