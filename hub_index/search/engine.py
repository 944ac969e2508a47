"""Open legs + one query → ranked candidates: keyword, semantic or hybrid; nothing is read from disk here."""

from hub_index.search.candidate import Candidate
from hub_index.search.fusion import (
    NAME_BONUS,
    WEAK_BELOW,
    WEAK_BELOW_CJK,
    confidence,
    diversify,
    favour_recent,
    fuse,
    rank,
)
from hub_index.search.lexical.lexical import LexicalIndex
from hub_index.search.lexical.matching import LexicalQuery, plan_matching
from hub_index.search.lexical.tokens import has_cjk
from hub_index.search.query.query import ParsedQuery, parse_plain, parse_query

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from hub_index.search.semantic import Vectors, VectorScan

    Likeness = Callable[[Candidate, Candidate], float]

_DEPTH = 100  # candidates of each leg: no list differed from scoring everything (6,793 skills, five labelled sets)
_SPARE = 5  # keyword hits beyond those asked for: ties at the cut, and skills that are gone from the checkout
_WEAK_KEYWORD = 0.05  # of what the words could score: below it only by-words matched (right answers: 0.05 to 0.5)


class Request:
    """What is asked of the engine besides the query."""

    __slots__ = ("alpha", "diverse", "fusion", "k", "min_score", "recency", "spare")

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
        self.spare = _SPARE


class RankedRows:
    """Candidates in order, and which of them probably do not fit."""

    __slots__ = ("candidates", "matching", "weak_rows")

    def __init__(self, matching: LexicalQuery, candidates: list[Candidate], weak_rows: set[int]) -> None:
        self.matching = matching
        self.candidates = candidates
        self.weak_rows = weak_rows


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

    def search_keyword(self, question: "Question", request: Request) -> RankedRows:
        """The best by the lexical score."""
        reorders = request.recency or request.diverse
        found = self._lexical_hits(question, max(_DEPTH if reorders else 0, request.k + request.spare))
        if question.exact:
            found = list(_with_exact({one.row: one for one in found}, question).values())
        limit = _WEAK_KEYWORD * question.matching.upper_bound
        weak = {one.row for one in found if one.lexical < limit and not _is_sure(one, question)}
        for one in found:
            one.score = one.lexical
        return RankedRows(question.matching, self._finish(rank(found), request), weak)

    def search_semantic(self, question: "Question", vector: "Vectors", request: Request) -> RankedRows:
        """The nearest by cosine alone; filters and exclusions of the query hold here too."""
        near = dict(self._nearest(question, vector, request))
        found = self.lexical.score_rows(None, list(near))
        for one in found:
            one.score = one.cosine = near[one.row]
        return RankedRows(question.matching, self._finish(rank(found), request), self._weak(found, question, 0.0))

    def search_hybrid(self, question: "Question", vector: "Vectors", request: Request) -> RankedRows:
        """Both legs, fused; what only one of them found is scored by the other as well."""
        assert self.scan is not None  # noqa: S101 - the reader asks for vectors first
        candidates = {one.row: one for one in self._lexical_hits(question, max(_DEPTH, 2 * request.k))}
        near = dict(self._nearest(question, vector, request))
        missed = [row for row in near if row not in candidates]
        candidates |= {one.row: one for one in self.lexical.score_rows(question.matching.scoring, missed)}
        found = list(_with_exact(candidates, question).values())
        far = [one.row for one in found if one.row not in near]
        near |= dict(zip(far, self.scan.cosines(vector, far), strict=True))
        named = self.lexical.find_named(question.matching.counts, list(candidates))
        for one in found:
            one.cosine = near[one.row]
            one.bonus = NAME_BONUS if one.row in named else 0.0
        bound = question.matching.upper_bound
        ranked = fuse(found, bound, method=request.fusion, alpha=request.alpha)
        return RankedRows(question.matching, self._finish(ranked, request), self._weak(found, question, bound))

    def _lexical_hits(self, question: "Question", depth: int) -> list[Candidate]:
        query = question.matching.ranked()
        return self.lexical.search(query, depth) if query is not None else []

    def _nearest(self, question: "Question", vector: "Vectors", request: Request) -> list[tuple[int, float]]:
        assert self.scan is not None  # noqa: S101 - the reader asks for vectors first
        restriction = question.matching.restriction
        allowed = None if restriction is None else self.lexical.list_rows(restriction)
        return self.scan.nearest(vector, max(_DEPTH, 2 * request.k), allowed)

    def _weak(self, found: list[Candidate], question: "Question", bound: float) -> set[int]:
        limit = WEAK_BELOW_CJK if has_cjk(question.parsed.text) else WEAK_BELOW
        doubtful = [one for one in found if not _is_sure(one, question)]
        return {one.row for one in doubtful if confidence(one.cosine, one.lexical, bound) < limit}

    def _finish(self, ranked: list[Candidate], request: Request) -> list[Candidate]:
        if request.recency:
            days = dict(zip([one.row for one in ranked], self._days(ranked), strict=True))
            ranked = favour_recent(ranked, lambda one: days[one.row])
        if request.min_score is not None:
            ranked = [one for one in ranked if one.score >= request.min_score]
        if request.diverse:
            ranked = diversify(ranked, self._likeness(ranked), 2 * request.k)
        return ranked

    def _days(self, ranked: list[Candidate]) -> list[int]:
        """Day numbers, near enough: a month has 31 days here, a year 372."""
        found = self.lexical.searcher.fast_field_values("day", [one.address for one in ranked])
        values = [int(day or 0) for day in found]
        return [day // 10_000 * 372 + day // 100 % 100 * 31 + day % 100 if day else 0 for day in values]

    def _likeness(self, ranked: list[Candidate]) -> "Likeness":
        if self.scan is not None:
            return self.scan.likeness([one.row for one in ranked])
        from hub_index.search.lexical.tokens import tokenize

        words = {}
        for one in ranked:
            fields = self.lexical.read_fields(one.address)
            words[one.row] = frozenset(tokenize(f"{fields['name']} {fields['description']}"))
        return lambda one, other: _overlap(words[one.row], words[other.row])


class Question:
    """A query as one index understands it."""

    __slots__ = ("exact", "matching", "parsed")

    def __init__(self, parsed: ParsedQuery, matching: LexicalQuery, exact: list[Candidate]) -> None:
        self.parsed = parsed
        self.matching = matching
        self.exact = exact


def _with_exact(candidates: dict[int, Candidate], question: Question) -> dict[int, Candidate]:
    for hit in question.exact:
        candidates.setdefault(hit.row, Candidate(hit.row, 0.0, hit.address)).is_exact = True
    return candidates


def _is_sure(one: Candidate, question: Question) -> bool:
    """Named by the query, or just what it demands where it is all fields and prefixes, without a word to weigh."""
    is_only_syntax = bool(question.parsed.items) and not question.matching.counts
    return one.is_exact or (is_only_syntax and (one.lexical > 0 or bool(question.parsed.required)))


def _overlap(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / len(one | other) if one or other else 0.0
