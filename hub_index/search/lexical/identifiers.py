"""Names with signs in them: `generate_review`, `pnpm-workspace.yaml`, `std::move`. Their parts are everyday words.

Where few skills hold the parts side by side, and little else is asked for, these skills have all that the name can
score, as those of a lone rare word have.
"""

from __future__ import annotations

import re

import tantivy

from hub_index.search.lexical.build import FOREIGN
from hub_index.search.lexical.lexical import FIELD_WEIGHTS, LONE_HOLDERS, LONE_LIFT, LONE_SHARE
from hub_index.search.words.tokens import is_cjk, tokenize

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from hub_index.search.lexical.lexical import LexicalIndex

MAX_NAMES = 4  # of one query
_MAX_TOKENS = 8
_AROUND = ".,;:!?()[]{}\"'`"
_NAME = re.compile(r"-{0,2}\w+(?:[_./:\-]+\w+)+")
_SIGN = re.compile(r"\w[_./:]+\w|^--\w")  # a hyphen alone joins everyday words
_Q = tantivy.Query


def lift_identifiers(index: LexicalIndex, text: str, upper_bound: float) -> list[tantivy.Query]:
    """A clause for each name that few skills hold whole, and that is most of what the query can score."""
    clauses: list[tantivy.Query] = []
    for tokens in _list_names(text):
        reach = sum([index.bound_of(index.document_frequency(token)) for token in dict.fromkeys(tokens)])
        if reach < LONE_SHARE * upper_bound or not all(map(index.document_frequency, tokens)):
            continue
        held = _Q.const_score_query(_side_by_side(index, tokens), 1.0)
        if 0 < len(index.search(held, LONE_HOLDERS + 1)) <= LONE_HOLDERS:
            clauses.append(_Q.boost_query(held, LONE_LIFT * reach))
    return clauses


def _list_names(text: str) -> Iterator[tuple[str, ...]]:
    words = [word.strip(_AROUND) for word in text.split()]
    names = [word for word in words if _SIGN.search(word) and _NAME.fullmatch(word)]
    for name in names[:MAX_NAMES]:
        tokens = tuple(tokenize(name))
        if 1 < len(tokens) <= _MAX_TOKENS:
            yield tokens


def _side_by_side(index: LexicalIndex, tokens: Sequence[str]) -> tantivy.Query:
    """Documents that hold the tokens one after another in a field."""
    forms = [(field, list(tokens)) for field, _ in FIELD_WEIGHTS]
    forms.append(("body", [FOREIGN + token if is_cjk(token[0]) else token for token in tokens]))
    return _Q.boolean_query(
        [(tantivy.Occur.Should, _Q.phrase_query(index.schema, field, [*form])) for field, form in forms]
    )
