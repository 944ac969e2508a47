"""`StoreSource`: knows a hub's words, and fetches the candidates for each question from its database.

The conditions of every answer are SQL; the lexical leg then checks the candidates exactly. A phrase is asked for by its
words alone, and is not excluded in SQL: the condition may let too much through, never too little.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hub_index.postgres.hub_view import quote
from hub_index.postgres.postgres_lexical import SmallIndex, StoreLexical
from hub_index.postgres.table_content import MARKS, lexeme, read_vector
from hub_index.search.candidate_source import Legs
from hub_index.search.lexical.build import FOREIGN
from hub_index.search.lexical.lexical import FIELD_WEIGHTS
from hub_index.search.lexical.matching import expand_prefix, phrase_spellings, plan_query
from hub_index.search.lexical.spelling import latin_words, one_edit
from hub_index.search.lexical.synonyms import list_spellings
from hub_index.search.lexical.translation.to_chinese import list_glosses
from hub_index.search.lexical.translation.translation import split_han_words
from hub_index.search.one_skill.lookup import find_skill, keys_of
from hub_index.search.options import DEPTH
from hub_index.search.semantic.semantic import VectorScan
from hub_index.search.words.tokens import has_cjk, is_cjk, tokenize

TYPE_CHECKING = False  # typing itself costs a search 5 ms
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence, Set

    from hub_index.postgres.hub_view import HubView
    from hub_index.postgres.postgres_lexical import Weighted
    from hub_index.search.lexical.lexical import LexicalIndex
    from hub_index.search.lexical.matching import LexicalQuery
    from hub_index.search.lexical.translation.translator import Translator
    from hub_index.search.options import SearchOptions
    from hub_index.search.query.parsed_query import Item, ParsedQuery
    from hub_index.search.semantic.semantic import Vectors


_MORE = 2  # candidates by words for each that is wanted: their order in the database is not yet the final one
_MAX_WORDS_MENDED = 6  # a longer query's typos are left alone
_MAX_EXACT_KEYS = 200

_MAX_ROWS = 20_000  # rows that the words of a query may bring; the rest of its words only adds to them
_MAX_FOLLOWING = 6  # words of that rest: each is sought among the rows of all others, and forty of them took 12 s
_HNSW_DEPTH = 200  # also ef_search: an HNSW index gives no more
_SENTENCE_SHARE = 0.3  # as in search/semantic


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


class StoreSource:
    """One hub of a database."""

    def __init__(self, view: HubView) -> None:
        self._view = view

    def learn(self, lexical: LexicalIndex, text: str, translator: Translator | None) -> StoreLexical:
        """A lexical index that knows what the words of a text weigh in the whole hub, and has no documents."""
        self._learn(lexical, text, translator)
        return self._fresh(lexical)

    def fetch(
        self,
        lexical: LexicalIndex,
        query: LexicalQuery,
        vector: Vectors | None,
        options: SearchOptions,
        translator: Translator | None,
    ) -> Legs:
        """The candidates of both legs for a query."""
        noted, text, view = self._fresh(lexical), options.query, self._view
        plan_query(noted, text, translator)
        condition = restrict(noted, query.parsed)
        numbers = set(noted.exact)
        for asked in (condition, Condition()) if query.parsed.is_lone_phrase else (condition,):
            if vector is not None:
                numbers |= set(find_near(view, vector, asked, options.depth))
            numbers |= set(find_by_words(noted, asked, _MORE * options.depth))
            if asked.sql and not query.is_demanding:
                numbers |= set(find_all(view, asked, options.depth))
        wanted = {token.removeprefix(FOREIGN) for _, token, _ in noted.weighed} | {*tokenize(text), *query.counts}
        wanted_alone = wanted if query.parsed.is_plain else None
        return self._legs(lexical, numbers, wanted_alone, with_vectors=vector is not None)

    def fetch_named(self, lexical: LexicalIndex, said: str, near: int) -> Legs:
        """The skills that a name may mean, what is like their names, and so many neighbours."""
        noted = self._fresh(lexical)
        self._learn(lexical, said, None)
        plan_query(noted, said)
        named = self._view.find_keys(keys_of(said), _MAX_EXACT_KEYS)
        numbers = {*named, *find_by_words(noted, Condition(), DEPTH)}
        legs = self._legs(lexical, numbers, None, with_vectors=bool(near))
        if not near or legs.scan is None:
            return legs

        vector = legs.scan.vector_of(find_skill(legs.lexical, said).row)
        nearest = find_near(self._view, vector, Condition(), near + 1)
        return self._legs(lexical, {*numbers, *nearest}, None, with_vectors=True)

    def fetch_near(self, lexical: LexicalIndex, vector: Vectors, near: int) -> Legs:
        """The skills nearest to a vector."""
        return self._legs(lexical, find_near(self._view, vector, Condition(), near), None, with_vectors=True)

    def _fresh(self, lexical: LexicalIndex) -> StoreLexical:
        return StoreLexical(self._view, pool=lexical.pool)

    def _legs(
        self, lexical: LexicalIndex, numbers: Iterable[int], wanted: Set[str] | None, *, with_vectors: bool
    ) -> Legs:
        view = self._view
        skills = view.fetch(numbers, with_vectors=with_vectors)
        found = StoreLexical(view, SmallIndex(skills, wanted, view), lexical.pool)
        if not with_vectors:
            return Legs(found)
        tables = view.facts.tables
        rows = [read_vector(skill.vector, tables.vectors) for skill in skills]
        return Legs(found, VectorScan(np.stack(rows) if rows else np.zeros((0, tables.dim), dtype=np.float32)))

    def _learn(self, lexical: LexicalIndex, text: str, translator: Translator | None) -> None:
        """Asks for the counts of all words that the query may need, some hundreds at once."""
        tokens = {token for spelled in (text, *list_spellings(text)) for token in tokenize(spelled)}
        is_translated = has_cjk(text) or lexical.is_told_in_cjk
        tokens |= _gloss_tokens(text, translator) if is_translated else set()
        self._view.learn("all", tokens)
        if is_translated:
            for field, _ in FIELD_WEIGHTS[:2]:
                self._view.learn(field, tokens)
        words = dict.fromkeys(latin_words(text))
        if len(words) <= _MAX_WORDS_MENDED:
            unknown = [word.lower() for word in words if not any(self._view.count("all", t) for t in tokenize(word))]
            self._view.learn("words", {near for word in unknown for near in one_edit(word)})


def _gloss_tokens(text: str, translator: Translator | None) -> set[str]:
    file = translator.open().file if translator is not None else None
    if file is None:
        return set()
    if not has_cjk(text):
        chinese = [word for gloss in list_glosses(text) for word in file.words_for(gloss)]
        return {token for word in chinese for token in tokenize(word)}
    glosses = [gloss for word in split_han_words(text, file) for gloss in file.glosses_of(word)]
    return {token for gloss in glosses for token in gloss}


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
