"""The skills that the database finds for a query: by its words, by its vector, or by its name.

By words: for every field and word that the query weighs, the rows that hold it, their weights added up. That leaves out
how often a word occurs and how long the field is, so more rows are taken than wanted, and scored exactly later.
Rows are looked for by the rarest words; common ones only add to their scores.
"""

from __future__ import annotations

from hub_index.store.content import MARKS, lexeme
from hub_index.store.restriction import Condition
from hub_index.store.view import quote

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from hub_index.search.semantic import Vectors
    from hub_index.store.lexical import StoreLexical, Weighted
    from hub_index.store.view import HubView

_MAX_ROWS = 20_000  # rows that the words of a query may bring; the rest of its words only adds to them
_MAX_FOLLOWING = 6  # words of that rest: each is sought among the rows of all others, and forty of them took 12 s
_HNSW_DEPTH = 200  # also ef_search: an HNSW index gives no more
_SENTENCE_SHARE = 0.3  # as in search/semantic


def find_by_words(lexical: StoreLexical, condition: Condition, limit: int) -> list[int]:
    """The numbers of the best rows by the weights of their words."""
    leading, following = _divide(lexical)
    if not leading:
        return []
    either = " | ".join([_name(field, token) for field, token, _ in leading])
    queries = [_name(field, token) for field, token, _ in leading]
    queries += [f"({either}) & {_name(field, token)}" for field, token, _ in following]
    weights = [weight for _, _, weight in (*leading, *following)]
    where = f"WHERE {condition.sql} " if condition.sql else ""
    statement = (
        "SELECT number FROM unnest(%s::text[], %s::float8[]) AS wanted (query, weight) "
        f"JOIN {lexical.view.facts.tables.lexemes} AS held ON held.lexemes @@ wanted.query::tsquery {where}"
        "GROUP BY number ORDER BY sum(weight) DESC, number LIMIT %s"
    )
    lexical.view.use_index(wanted=True)
    rows = lexical.view.ask(statement, (queries, weights, *condition.parameters, limit))
    return [int(str(number)) for (number,) in rows]


def find_all(view: HubView, condition: Condition, limit: int) -> list[int]:
    """Rows that fulfil a condition, for a query that does nothing but restrict."""
    tables = view.facts.tables
    statement = f"SELECT number FROM {tables.lexemes} JOIN {tables.skills} USING (number) WHERE {condition.sql} "
    rows = view.ask(f"{statement} ORDER BY id LIMIT %s", (*condition.parameters, limit))
    return [int(str(number)) for (number,) in rows]


def find_near(view: HubView, vector: Vectors, condition: Condition, limit: int) -> list[int]:
    """The numbers of the rows nearest to a query's vector, or to a long prompt's and its sentences'."""
    parts = [vector] if vector.ndim == 1 else list(vector.T)
    texts = ["[" + ",".join([repr(float(value)) for value in part]) + "]" for part in parts]
    is_exact = not view.facts.tables.hnsw or bool(condition.sql) or limit > _HNSW_DEPTH
    if is_exact or len(texts) == 1:
        return _nearest(view, texts, condition, limit, is_exact=is_exact)
    lists = [_nearest(view, [text], condition, limit, is_exact=False) for text in texts]
    return list(dict.fromkeys([number for numbers in lists for number in numbers]))


def _nearest(view: HubView, texts: Sequence[str], condition: Condition, limit: int, *, is_exact: bool) -> list[int]:
    tables = view.facts.tables
    products = [f"(vector <#> %s::{tables.vectors}({tables.dim}))" for _ in texts]
    order = products[0]
    if len(products) > 1:
        order = f"{1 - _SENTENCE_SHARE} * {products[0]} + {_SENTENCE_SHARE} * least({', '.join(products[1:])})"
    elif is_exact and tables.hnsw:
        order = f"({order} + 0)"  # an expression that no index is for
    joined = f"JOIN {tables.lexemes} USING (number) WHERE {condition.sql} " if condition.sql else ""
    statement = f"SELECT number FROM {tables.skills} {joined}ORDER BY {order} LIMIT %s"
    view.use_index(wanted=False)
    return [int(str(number)) for (number,) in view.ask(statement, (*condition.parameters, *texts, limit))]


def _divide(lexical: StoreLexical) -> tuple[Weighted, Weighted]:
    """The weighed words that rows are looked for by, and the common ones that only add to these."""
    weights: dict[tuple[str, str], float] = {}
    for field, token, weight in lexical.weighed:
        weights[(field, token)] = weights.get((field, token), 0.0) + weight
    rows = {token: lexical.view.count("all", token.lstrip("~")) for _, token in weights}
    leading: set[str] = set()
    total = 0
    for token in sorted(rows, key=lambda token: (rows[token], token)):
        total += rows[token]
        if leading and total > _MAX_ROWS:
            break
        leading.add(token)
    weighed = [(field, token, weight) for (field, token), weight in weights.items() if field in MARKS]
    following = sorted([term for term in weighed if term[1] not in leading], key=lambda term: (-term[2], term[:2]))
    return [term for term in weighed if term[1] in leading], following[:_MAX_FOLLOWING]


def _name(field: str, token: str) -> str:
    return quote(lexeme(MARKS[field], token))
