"""Open legs + one query → ranked candidates: keyword, semantic or hybrid; nothing is read from disk here."""

import tantivy

from hub_index.search.fusion import (
    NAME_BONUS,
    WEAK_BELOW,
    WEAK_BELOW_CJK,
    Candidate,
    confidence,
    diversify,
    favour_recent,
    fuse,
    rank,
)
from hub_index.search.lexical import LexicalIndex, ScoredRow
from hub_index.search.matching import LexicalQuery, plan_matching
from hub_index.search.query import ParsedQuery, parse_plain, parse_query
from hub_index.search.tokens import has_cjk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from hub_index.search.semantic import Vectors, VectorScan

    Likeness = Callable[[Candidate, Candidate], float]

_DEPTH = 100  # candidates of each leg: no list differed from scoring everything (6,793 skills, five labelled sets)
_WEAK_KEYWORD = 0.05  # of what the words could score: below it only by-words matched (right answers: 0.05 to 0.5)


class Request:
    """What is asked of the engine besides the query."""

    __slots__ = ("alpha", "diverse", "fusion", "k", "min_score", "recency")

    def __init__(  # noqa: PLR0913 - each is an option of the command line
        self,
        k: int,
        *,
        fusion: str = "default",
        alpha: float | None = None,
        min_score: float | None = None,
        recency: bool = False,
        diverse: bool = False,
    ) -> None:
        self.k = k
        self.fusion = fusion
        self.alpha = alpha
        self.min_score = min_score
        self.recency = recency
        self.diverse = diverse


class Answer:
    """Candidates in order, where tantivy keeps each, and what was made of the query."""

    __slots__ = ("addresses", "candidates", "matching", "parsed", "weak_rows")

    def __init__(self, parsed: ParsedQuery, matching: LexicalQuery) -> None:
        self.parsed = parsed
        self.matching = matching
        self.candidates: list[Candidate] = []
        self.addresses: dict[int, tantivy.DocAddress] = {}
        self.weak_rows: set[int] = set()


class Engine:
    """The legs of one index; `scan` is absent where there are no vectors to be used."""

    def __init__(self, lexical: LexicalIndex, scan: "VectorScan | None" = None) -> None:
        self.lexical = lexical
        self.scan = scan

    def understand(self, text: str) -> "Question":
        """The query in terms of this index; a text that is a skill's id or name is never taken for syntax."""
        parsed = parse_query(text)
        exact = self.lexical.find_exact(parsed.text) if parsed.text else []
        if exact:
            parsed = parse_plain(parsed.text)
        return Question(parsed, plan_matching(self.lexical, parsed), exact)

    def search_keyword(self, question: "Question", request: Request) -> Answer:
        """The best by the lexical score."""
        answer = Answer(question.parsed, question.matching)
        query = question.matching.ranked()
        hits = self.lexical.search(query, max(_DEPTH, 2 * request.k)) if query is not None else []
        candidates = _collect(answer, hits)
        self._add_exact(question, answer, candidates)
        for one in candidates.values():
            one.score = one.lexical
        bound = question.matching.upper_bound
        answer.weak_rows = {
            one.row for one in candidates.values() if not one.is_exact and one.lexical < _WEAK_KEYWORD * bound
        }
        return self._finish(answer, rank(list(candidates.values())), request)

    def search_semantic(self, question: "Question", vector: "Vectors", request: Request) -> Answer:
        """The nearest by cosine alone; filters and exclusions of the query hold here too."""
        answer = Answer(question.parsed, question.matching)
        candidates = {row: Candidate(row, cosine=cosine) for row, cosine in self._nearest(question, vector, request)}
        for hit in self.lexical.score_rows(None, list(candidates)):
            answer.addresses[hit.row] = hit.address
        for one in candidates.values():
            one.score = one.cosine
        answer.weak_rows = self._weak(candidates, question, 0.0)
        return self._finish(answer, rank(list(candidates.values())), request)

    def search_hybrid(self, question: "Question", vector: "Vectors", request: Request) -> Answer:
        """Both legs, fused; what only one of them found is scored by the other as well."""
        assert self.scan is not None  # noqa: S101 - the reader asks for vectors first
        answer = Answer(question.parsed, question.matching)
        query = question.matching.ranked()
        hits = self.lexical.search(query, max(_DEPTH, 2 * request.k)) if query is not None else []
        candidates = _collect(answer, hits)
        near = dict(self._nearest(question, vector, request))
        missed = [row for row in near if row not in candidates]
        found = self.lexical.score_rows(question.matching.scoring, missed)
        candidates |= _collect(answer, found)
        self._add_exact(question, answer, candidates)
        far = [row for row in candidates if row not in near]
        near |= dict(zip(far, self.scan.cosines(vector, far), strict=True))
        scored = [ScoredRow(row, 0.0, answer.addresses[row]) for row in candidates]
        named = self.lexical.find_named(question.matching.counts, scored)
        for one in candidates.values():
            one.cosine = near[one.row]
            one.bonus = NAME_BONUS if one.row in named else 0.0
        bound = question.matching.upper_bound
        ranked = fuse(list(candidates.values()), bound, method=request.fusion, alpha=request.alpha)
        answer.weak_rows = self._weak(candidates, question, bound)
        return self._finish(answer, ranked, request)

    def _nearest(self, question: "Question", vector: "Vectors", request: Request) -> list[tuple[int, float]]:
        assert self.scan is not None  # noqa: S101 - the reader asks for vectors first
        restriction = question.matching.restriction
        allowed = None if restriction is None else self.lexical.list_rows(restriction)
        return self.scan.nearest(vector, max(_DEPTH, 2 * request.k), allowed)

    def _add_exact(self, question: "Question", answer: Answer, candidates: dict[int, Candidate]) -> None:
        for hit in question.exact:
            answer.addresses[hit.row] = hit.address
            candidates.setdefault(hit.row, Candidate(hit.row)).is_exact = True

    def _weak(self, candidates: dict[int, Candidate], question: "Question", bound: float) -> set[int]:
        limit = WEAK_BELOW_CJK if has_cjk(question.parsed.text) else WEAK_BELOW
        return {
            one.row
            for one in candidates.values()
            if not one.is_exact and confidence(one.cosine, one.lexical, bound) < limit
        }

    def _finish(self, answer: Answer, ranked: list[Candidate], request: Request) -> Answer:
        if request.recency:
            days = dict(zip([one.row for one in ranked], self._days(answer, ranked), strict=True))
            ranked = favour_recent(ranked, lambda one: days[one.row])
        if request.min_score is not None:
            ranked = [one for one in ranked if one.score >= request.min_score]
        if request.diverse:
            ranked = diversify(ranked, self._likeness(answer, ranked), 2 * request.k)
        answer.candidates = ranked
        return answer

    def _days(self, answer: Answer, ranked: list[Candidate]) -> list[int]:
        """Day numbers, near enough: a month has 31 days here, a year 372."""
        addresses = [answer.addresses[one.row] for one in ranked]
        values = [int(day or 0) for day in self.lexical.searcher.fast_field_values("day", addresses)]
        return [day // 10_000 * 372 + day // 100 % 100 * 31 + day % 100 if day else 0 for day in values]

    def _likeness(self, answer: Answer, ranked: list[Candidate]) -> "Likeness":
        if self.scan is not None:
            return self.scan.likeness([one.row for one in ranked])
        from hub_index.search.tokens import tokenize

        words = {}
        for one in ranked:
            fields = self.lexical.read_fields(answer.addresses[one.row])
            words[one.row] = frozenset(tokenize(f"{fields['name']} {fields['description']}"))
        return lambda one, other: _overlap(words[one.row], words[other.row])


class Question:
    """A query as one index understands it."""

    __slots__ = ("exact", "matching", "parsed")

    def __init__(self, parsed: ParsedQuery, matching: LexicalQuery, exact: list[ScoredRow]) -> None:
        self.parsed = parsed
        self.matching = matching
        self.exact = exact


def _collect(answer: Answer, hits: list[ScoredRow]) -> dict[int, Candidate]:
    for hit in hits:
        answer.addresses[hit.row] = hit.address
    return {hit.row: Candidate(hit.row, lexical=hit.score) for hit in hits}


def _overlap(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / len(one | other) if one or other else 0.0
