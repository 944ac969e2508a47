"""`StoreEngine`: knows a hub's words and model; for each query it fetches candidates and becomes an engine of these."""

from __future__ import annotations

import numpy as np

from hub_index.search.engine import Engine
from hub_index.search.lexical.build import FOREIGN
from hub_index.search.lexical.lexical import FIELD_WEIGHTS
from hub_index.search.lexical.matching import LexicalQuery, plan_query
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

    from hub_index.search.search_options import SearchOptions
    from hub_index.search.semantic import Vectors
    from hub_index.store.view import HubView

_MORE = 2  # candidates by words for each that is wanted: their order in the database is not yet the final one
_MAX_WORDS_MENDED = 6  # a longer query's typos are left alone
_MAX_EXACT_KEYS = 200


class StoreEngine(Engine):
    """One hub of a database; `lexical` has no documents until `focus` gives it some."""

    view: HubView  # type: ignore[misc] # always given, by name

    def plan_query(self, text: str) -> LexicalQuery:
        """The query in terms of the whole hub: what it weighs is noted, and nothing can be found by it yet."""
        self._learn(text)
        return plan_query(self._fresh(), text, self.translator)

    def focus(self, query: LexicalQuery, vector: Vectors | None, options: SearchOptions) -> tuple[Engine, LexicalQuery]:
        """An engine of the candidates for this query, and the query in its terms."""
        text = options.query
        noted = self._fresh()
        plan_query(noted, text, self.translator)
        depth = options.depth
        condition = restrict(noted, query.parsed)
        numbers = set(noted.exact)
        for asked in (condition, Condition()) if query.parsed.is_lone_phrase else (condition,):
            if vector is not None:
                numbers |= set(find_near(self.view, vector, asked, depth))
            numbers |= set(find_by_words(noted, asked, _MORE * depth))
            if asked.sql and not query.is_demanding:
                numbers |= set(find_all(self.view, asked, depth))
        wanted = {token.removeprefix(FOREIGN) for _, token, _ in noted.weighed} | {*tokenize(text), *query.counts}
        engine = self._engine_of(numbers, wanted if query.parsed.is_plain else None, with_vectors=vector is not None)
        return engine, plan_query(engine.lexical, text, self.translator)

    def focus_on(self, said: str, near: int = 0) -> Engine:
        """An engine that holds the skills which may be meant, and what is like their names; and `near` neighbours."""
        noted = self._fresh()
        self._learn(said)
        plan_query(noted, said)
        named = self.view.find_keys(keys_of(said), _MAX_EXACT_KEYS)
        numbers = {*named, *find_by_words(noted, Condition(), DEPTH)}
        engine = self._engine_of(numbers, None, with_vectors=bool(near))
        if not near or engine.scan is None:
            return engine
        from hub_index.search.lookup import find_skill

        vector = engine.scan.vector_of(find_skill(engine.lexical, said).row)
        return self._engine_of(
            {*numbers, *find_near(self.view, vector, Condition(), near + 1)}, None, with_vectors=True
        )

    def focus_near(self, vector: Vectors, near: int) -> Engine:
        """An engine of the skills nearest to a vector."""
        return self._engine_of(find_near(self.view, vector, Condition(), near), None, with_vectors=True)

    def _fresh(self) -> StoreLexical:
        assert isinstance(self.lexical, StoreLexical)  # noqa: S101 - the reader gave it
        return StoreLexical(self.view, pool=self.lexical.pool)

    def _engine_of(self, numbers: Iterable[int], wanted: Set[str] | None, *, with_vectors: bool) -> Engine:
        skills = self.view.fetch(numbers, with_vectors=with_vectors)
        assert isinstance(self.lexical, StoreLexical)  # noqa: S101 - the reader gave it
        lexical = StoreLexical(self.view, SmallIndex(skills, wanted, self.view), self.lexical.pool)
        scan = None
        if with_vectors:
            kind = self.view.facts.tables.vectors
            rows = [read_vector(skill.vector, kind) for skill in skills]
            scan = VectorScan(np.stack(rows) if rows else np.zeros((0, self.view.facts.tables.dim), dtype=np.float32))
        values = {name: value for name, value in self.__dict__.items() if name != "view"}
        return Engine(**values | {"lexical": lexical, "scan": scan})

    def _learn(self, text: str) -> None:
        """Asks for the counts of all words that the query may need, some hundreds at once."""
        tokens = set(tokenize(text))
        is_translated = has_cjk(text) or self.lexical.is_told_in_cjk
        tokens |= self._gloss_tokens(text) if is_translated else set()
        self.view.learn("all", tokens)
        if is_translated:
            for field, _ in FIELD_WEIGHTS[:2]:
                self.view.learn(field, tokens)
        words = dict.fromkeys(latin_words(text))
        if len(words) <= _MAX_WORDS_MENDED:
            unknown = [word.lower() for word in words if not any(self.view.count("all", t) for t in tokenize(word))]
            self.view.learn("words", {near for word in unknown for near in one_edit(word)})

    def _gloss_tokens(self, text: str) -> set[str]:
        from hub_index.search.lexical.translation.to_chinese import list_glosses
        from hub_index.search.lexical.translation.translation import split_han_words

        file = self.translator.open().file if self.translator is not None else None
        if file is None:
            return set()
        if not has_cjk(text):
            chinese = [word for gloss in list_glosses(text) for word in file.words_for(gloss)]
            return {token for word in chinese for token in tokenize(word)}
        glosses = [gloss for word in split_han_words(text, file) for gloss in file.glosses_of(word)]
        return {token for gloss in glosses for token in gloss}
