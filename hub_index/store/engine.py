"""`StoreSource`: knows a hub's words, and fetches the candidates for each question from its database."""

from __future__ import annotations

import numpy as np

from hub_index.search.candidate_source import Legs
from hub_index.search.lexical.build import FOREIGN
from hub_index.search.lexical.lexical import FIELD_WEIGHTS
from hub_index.search.lexical.matching import plan_query
from hub_index.search.lexical.spelling import latin_words, one_edit
from hub_index.search.lexical.tokens import has_cjk, tokenize
from hub_index.search.lookup import keys_of
from hub_index.search.search_options import DEPTH
from hub_index.search.semantic import VectorScan
from hub_index.store.candidates import find_all, find_by_words, find_near
from hub_index.store.content import read_vector
from hub_index.store.lexical import SmallIndex, StoreLexical
from hub_index.store.restriction import Condition, restrict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Set

    from hub_index.search.lexical.lexical import LexicalIndex
    from hub_index.search.lexical.matching import LexicalQuery
    from hub_index.search.lexical.translation.translator import Translator
    from hub_index.search.search_options import SearchOptions
    from hub_index.search.semantic import Vectors
    from hub_index.store.view import HubView

_MORE = 2  # candidates by words for each that is wanted: their order in the database is not yet the final one
_MAX_WORDS_MENDED = 6  # a longer query's typos are left alone
_MAX_EXACT_KEYS = 200


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
        from hub_index.search.lookup import find_skill

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
        tokens = set(tokenize(text))
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
    from hub_index.search.lexical.translation.to_chinese import list_glosses
    from hub_index.search.lexical.translation.translation import split_han_words

    file = translator.open().file if translator is not None else None
    if file is None:
        return set()
    if not has_cjk(text):
        chinese = [word for gloss in list_glosses(text) for word in file.words_for(gloss)]
        return {token for word in chinese for token in tokenize(word)}
    glosses = [gloss for word in split_han_words(text, file) for gloss in file.glosses_of(word)]
    return {token for gloss in glosses for token in gloss}
