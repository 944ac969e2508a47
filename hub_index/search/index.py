"""`Index`: an open hub that answers queries; the mode that was asked for, or keyword with the reason."""

from hub_index.base.characters import quote_line
from hub_index.errors import ConfigError, CopyDamaged, IndexUnusable, ProviderError
from hub_index.search.answer.hits import Answer, Found, make_results
from hub_index.search.checkout.state import CheckoutState, read_state
from hub_index.search.checkout.still import answer_at_rest
from hub_index.search.options import (
    DEFAULT_K,
    SearchOptions,
    check_count,
    check_options,
    make_options,
)
from hub_index.search.places.missing_files import file_of, is_gone, keep_present
from hub_index.search.places.reader import Reader
from hub_index.search.ranking.engine import Engine, whole_of
from hub_index.search.results import Hit, QueryVector, Reasons, Results

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Self, TypeVar

    from hub_index.search.candidate import Candidate
    from hub_index.search.results import Mode

    Given = TypeVar("Given", Results, Hit)

NO_WORDS = "the query has no words to embed"
_SPARE = 5  # keyword hits beyond those asked for: ties at the cut, and skills that are gone from the checkout
_MAX_GONE = 1_000  # how many skills that are gone from the checkout a search looks past


class Index:
    """One hub's index, open. Legs are opened when a query first needs them, and stay open."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self._engines: dict[str, Engine] = {}  # by what they are for
        self._state: object = None  # of the checkout, or of the database
        self._has_let_go = False  # of legs of another state, and not yet given their memory back

    def search(self, query: "str | SearchOptions", k: int = DEFAULT_K, mode: str = "auto", **others: "Any") -> Results:
        """The best k skills. `auto` and `hybrid` fall back to keyword and say why; `semantic` raises instead.

        All fields of `SearchOptions` are keyword arguments here; one such value may also stand in the query's place.
        `rerank` reorders the first `rerank_depth` (20, at most 50); where it cannot, the order is as without it, and a
        notice says so. With a `pool` words weigh as they do in all of its hubs together (see `open_engine`).
        Raises ConfigError for a wrong option, IndexUnusable and ProviderError as the class says.
        """
        return self.find(query if isinstance(query, SearchOptions) else make_options(query, k, mode, others)).results

    def find(self, options: SearchOptions) -> Found:
        """As `search`, with the candidates that the hits were: several hubs' are ranked once more, together."""
        check_options(options)
        options = options.replace(query=options.query.encode("utf-8", "replace").decode())  # half characters
        if options.rerank is not None:
            from hub_index.search.ranking.steps.rerank import PaidReranker

            options = options.replace(rerank=PaidReranker(options.rerank))
        candidates: list[Candidate] = []

        def attempt() -> Results:
            search = self._answer_by_keyword if options.mode == "keyword" else self._answer_by_meaning
            answer = search(options)
            candidates[:] = [candidate for candidate, _ in answer.present.rows]
            return make_results(answer, options)

        return Found(self._answer(attempt), tuple(candidates))

    def related(self, skill: str, k: int = 5) -> Results:
        """The skills nearest to one skill, named by id, path or name: no model is needed.

        Raises IndexUnusable, and ConfigError where no skill or more than one has that name.
        """
        check_count(k)
        from hub_index.search.one_skill.nearest_skills import find_related

        return self._answer(lambda: find_related(self._open_rows().fetch_named(skill, k), skill, k))

    def show(self, skill: str, *, suggests: bool = True) -> Hit:
        """One skill's record, by id, path or name; its notices say whether it can still be relied on.

        Raises ConfigError where no skill or more than one has that name; of none it `suggests` the nearest.
        """
        return self._answer(lambda: self._show(skill, suggests))

    def open_engine(self, mode: str = "keyword") -> Engine:
        """The legs that a search in this mode would use now; their records can be listed, their words be pooled.

        Raises IndexMissing, and in mode `semantic` whatever stands against it.
        """
        with self.reader.hold() as revision:
            self._follow((read_state(self.reader.hub), revision))
            if mode != "keyword":
                try:
                    return self._open_vectors()
                except (IndexUnusable, ProviderError, ConfigError):
                    if mode == "semantic":
                        raise
            return self._open_keyword()

    def prepare(self) -> int:
        """Makes what a first search would make, and makes anew what was changed in place; how many skills there are.

        Raises IndexUnusable where there is nothing to search.
        """
        return self.reader.open_keyword(from_nothing=True).lexical.count

    def close(self) -> None:
        """Lets go of encoders, and of a connection."""
        self.reader.close()

    def __enter__(self) -> "Self":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _answer(self, attempt: "Callable[[], Given]") -> "Given":
        """What the attempt answers for one state of the checkout or of the database."""

        def held(state: CheckoutState) -> "Given":
            with self.reader.hold() as revision:
                self._follow((state, revision))
                return attempt()

        return answer_at_rest(self.reader.hub, held, self._forget)

    def open_rows(self) -> Engine:
        """The vectors as they are now, for comparing skills with each other; no model. Raises IndexUnusable."""
        with self.reader.hold() as revision:
            self._follow((read_state(self.reader.hub), revision))
            return self._open_rows()

    def _open_rows(self) -> Engine:
        return self._engines.get("vectors") or self._open("rows", self.reader.open_without_model)

    def _show(self, skill: str, suggests: bool) -> Hit:
        from hub_index.search.one_skill.lookup import find_skill

        engine = self._open_keyword().fetch_named(skill)
        record = find_skill(engine.lexical, skill, suggests=suggests).record
        gone = (f"{quote_line(record.id)} is no longer in the checkout",) if is_gone(engine, record) else ()
        reasons, file = Reasons(is_exact=True), file_of(engine, record)
        return Hit(1, record, 0.0, weak=False, reasons=reasons, file=file, notices=engine.notices + gone)

    def _follow(self, state: object) -> None:
        """Lets go of engines that were opened in another state, or of files that are damaged."""
        if state != self._state or any(engine.lexical.is_damaged for engine in self._engines.values()):
            self._has_let_go = self._has_let_go or bool(self._engines)
            self._forget()
        self._state = state

    def _open(self, purpose: str, make: "Callable[[], Engine]") -> Engine:
        """The engine for a purpose; what the one before it and its making took goes back to the system."""
        if purpose not in self._engines:
            self._engines[purpose] = make()
            if self._has_let_go:
                from hub_index.base.freed_memory import give_back_freed

                give_back_freed()
                self._has_let_go = False
        return self._engines[purpose]

    def _forget(self) -> None:
        self._engines = {}
        self.reader.forget()

    def _open_keyword(self) -> Engine:
        return self._open("words", self.reader.open_keyword)

    def _open_vectors(self) -> Engine:
        return self._open("vectors", self.reader.open_vectors)

    def _answer_by_keyword(self, options: SearchOptions, reason: str = "") -> Answer:
        engine = self._open_keyword().among(options.pool)
        engine, query = engine.fetch(engine.plan_query(options.query), None, options)
        ranked = engine.search_keyword(query, options, _SPARE + (options.k if options.fold else 0))
        present = keep_present(engine, ranked.candidates, options.k)
        found = sum([1 + len(candidate.copies) for candidate in ranked.candidates])
        if len(present.rows) < options.k <= found:  # many are gone, or are copies: look further down
            ranked = engine.search_keyword(query, options, spare=_MAX_GONE)
            present = keep_present(engine, ranked.candidates, options.k)
        if not reason and not engine.index_dir and self.reader.refusals:
            reason = str(self.reader.main_refusal())  # why the checkout's files answered instead of an index
        return Answer("keyword", engine, query, ranked, present, reason)

    def _answer_by_meaning(self, options: SearchOptions) -> Answer:
        is_semantic = options.mode == "semantic"
        try:
            engine = self._open_vectors().among(options.pool)
            query = engine.plan_query(options.query)
            if not query.parsed.semantic_text.strip():
                return self._answer_by_keyword(options, NO_WORDS)
            vector = engine.embed_query(query)
        except (IndexUnusable, ProviderError, ConfigError) as error:
            if is_semantic or isinstance(error, CopyDamaged):
                raise
            return self._answer_by_keyword(options, str(error))
        engine, query = engine.fetch(query, vector, options)
        search = engine.search_semantic if is_semantic else engine.search_hybrid
        ranked = search(query, vector, options)
        present = keep_present(engine, ranked.candidates, options.k)
        whole = whole_of(vector).astype("<f4").tobytes()
        as_compared = QueryVector(encoder.space, whole) if (encoder := engine.encoder) else None
        mode: Mode = "semantic" if is_semantic else "hybrid"
        return Answer(mode, engine, query, ranked, present, vector=as_compared)
