"""The conditions of every answer in SQL; the lexical leg then checks the candidates exactly.

A phrase is asked for by its words alone, and is not excluded here: the condition may let too much through, never too
little.
"""

from __future__ import annotations

from dataclasses import dataclass

from hub_index.postgres.hub_view import quote
from hub_index.postgres.table_content import MARKS, lexeme
from hub_index.search.lexical.build import FOREIGN
from hub_index.search.lexical.lexical import FIELD_WEIGHTS
from hub_index.search.lexical.matching import expand_prefix, phrase_spellings
from hub_index.search.words.tokens import is_cjk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hub_index.search.lexical.lexical import LexicalIndex
    from hub_index.search.query.parsed_query import Item, ParsedQuery


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition on a row of the lexemes, and its parameters; an empty text lets everything through."""

    sql: str = ""
    parameters: tuple[object, ...] = ()


def restrict(index: LexicalIndex, parsed: ParsedQuery) -> Condition:
    """The condition of a query."""
    if not parsed.is_restricted:
        return Condition()
    parts = [
        _join("OR", [_join("AND", [_match(index, item) for item in items]) for items in group])
        for group in (*parsed.filters, *parsed.required)
    ]
    for item in parsed.excluded:
        if not item.is_phrase and item.field != "path":
            condition = _match(index, item)
            parts.append(Condition(f"NOT ({condition.sql})", condition.parameters))
    return _join("AND", parts) if parts else Condition()


def _join(word: str, parts: list[Condition]) -> Condition:
    if not parts:
        return Condition("true" if word == "AND" else "false")
    sql = f" {word} ".join([f"({part.sql})" for part in parts])
    return Condition(sql, tuple([value for part in parts for value in part.parameters]))


def _match(index: LexicalIndex, item: Item) -> Condition:
    if item.field == "since":
        return Condition("day >= %s", (int(item.text),))
    if item.field == "lang":
        return _holds(quote(lexeme(MARKS["lang"], item.text.partition("-")[0])))
    fields = [item.field] if item.field else [field for field, _ in FIELD_WEIGHTS]
    if item.is_prefix:
        tokens = expand_prefix(index, item.text, item.field)
        return _holds(" | ".join([_in_any(fields, token) for token in tokens])) if tokens else Condition("false")
    spellings = [" & ".join([_in_any(fields, token) for token in tokens]) for tokens in phrase_spellings(item.text)]
    return _holds(" | ".join([f"({spelling})" for spelling in spellings])) if spellings else Condition("true")


def _holds(query: str) -> Condition:
    return Condition("lexemes @@ %s::tsquery", (query,))


def _in_any(fields: list[str], token: str) -> str:
    names = [lexeme(MARKS[field], token) for field in fields]
    if "body" in fields and is_cjk(token[0]):
        names.append(lexeme(MARKS["body"], FOREIGN + token))
    return "(" + " | ".join([quote(name) for name in names]) + ")"
