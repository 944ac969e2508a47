"""Several hubs, one search: words weigh as in one hub, and hits have the order that one hub would give them.

Hubs whose vectors are of one space (or that all answer by words) have comparable scores. Others are merged by rank,
with a notice. A hub that cannot answer is a notice, unless none can.
"""

from hub_index.errors import CopyDamaged, HubIndexError
from hub_index.frozen import FrozenValue
from hub_index.search.lexical.build import is_told_in_cjk, parse_day
from hub_index.search.lexical.shared_statistics import LexicalPool
from hub_index.search.options import STEPS, SearchOptions
from hub_index.search.ranking import Ranking, follow_steps
from hub_index.search.ranking.fusion import fuse, rank
from hub_index.search.ranking.steps.cross_script import presume_words
from hub_index.search.ranking.steps.diverse import compare_words
from hub_index.search.ranking.steps.fold import fold_hits
from hub_index.search.words.tokens import has_cjk
from hub_index.service.several.same_skill import fold_same

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hub_index.record import Record
    from hub_index.search.answer.hits import Found
    from hub_index.search.candidate import Candidate
    from hub_index.search.ranking import Likeness
    from hub_index.search.ranking.engine import Engine
    from hub_index.search.results import Hit, Results
    from hub_index.service.hubs.open_hubs import OpenHub
    from hub_index.service.requests import Deadline, FindRequest

_REORDER_DEPTH = 100  # hits of each hub where the order is only made of all of them together

_RANK_OFFSET = 60  # as in the fusion of ranks; what counts here is that scores fall with the rank


class Asked(FrozenValue):
    """One hub's own answer, and the space of the vectors that it is of; empty: words alone."""

    hub: "OpenHub"
    found: "Found"
    space: str

    @property
    def results(self) -> "Results":
        """What the hub answered."""
        return self.found.results


class Federation:
    """The shared state of hubs that are searched together, kept from one query to the next."""

    def __init__(self) -> None:
        self._pool: LexicalPool | None = None

    def search(self, hubs: "Sequence[OpenHub]", request: "FindRequest", deadline: "Deadline") -> "Results":
        """The best of all hubs. If no hub can answer, raises the first hub's error."""
        failures: list[tuple[OpenHub, HubIndexError]] = []
        engines = _open_engines(hubs, request.mode, deadline, failures)
        pool = self._pool_of([engine for _, engine in engines])
        asked = _request_for_one(request, pool)
        answers = [answer for hub, engine in engines if (answer := _ask(hub, engine, asked, deadline, failures))]
        if not answers:
            raise failures[0][1]
        return _merge(answers, failures, request, deadline)

    def _pool_of(self, engines: "Sequence[Engine]") -> LexicalPool:
        members = tuple([engine.lexical for engine in engines])
        pool = self._pool
        if pool is None or len(pool.members) != len(members) or any(map(_is_other, pool.members, members)):
            self._pool = pool = LexicalPool(members)
        return pool


def _is_other(first: object, second: object) -> bool:
    return first is not second


def _open_engines(
    hubs: "Sequence[OpenHub]", mode: str, deadline: "Deadline", failures: "list[tuple[OpenHub, HubIndexError]]"
) -> "list[tuple[OpenHub, Engine]]":
    engines = []
    for hub in hubs:
        deadline.check()
        try:
            with hub.lock:
                engines.append((hub, hub.index.open_engine(mode)))
        except CopyDamaged:
            raise
        except HubIndexError as error:
            failures.append((hub, error))
    return engines


def _ask(
    hub: "OpenHub",
    engine: "Engine",
    request: "FindRequest",
    deadline: "Deadline",
    failures: "list[tuple[OpenHub, HubIndexError]]",
) -> Asked | None:
    deadline.check()
    try:
        found = hub.find(request)
    except CopyDamaged:  # of whichever hub: their words weigh together
        raise
    except HubIndexError as error:
        failures.append((hub, error))
        return None
    encoder = engine.encoder if found.results.mode != "keyword" else None
    return Asked(hub, found, encoder.space if encoder else "")


def _request_for_one(request: "FindRequest", pool: LexicalPool) -> "FindRequest":
    """What each hub is asked: by itself, or for more hits in the order of their plain scores."""
    request = request.replace(pool=pool, scoring="")
    if not _is_reordered(request, pool):
        return request
    plain = SearchOptions("")
    unmoved = {name: getattr(plain, name) for name in STEPS}
    return request.replace(k=max(request.k, _REORDER_DEPTH), **unmoved | {"fold": False})


def _is_reordered(request: "FindRequest", pool: LexicalPool) -> bool:
    """Whether the order depends on more than each hit's own score: then it is made of all hubs' hits together."""
    is_presumed = pool.cjk_count > 0 and request.mode != "keyword" and not has_cjk(request.query)
    return bool(request.recency) or request.diverse or request.is_own_fusion or is_presumed


def _merge(
    answers: "list[Asked]",
    failures: "list[tuple[OpenHub, HubIndexError]]",
    request: "FindRequest",
    deadline: "Deadline",
) -> "Results":
    spaces: dict[str, list[Asked]] = {}
    for answer in answers:
        spaces.setdefault(answer.space, []).append(answer)
    # presets, as rerankers, are for one hub; copies fold when it is known which of them are one skill in several hubs
    unmoved = request.replace(scoring="", fold=False)
    groups = [merge_by_score([answer.found for answer in group], unmoved) for group in spaces.values()]
    hits = groups[0] if len(groups) == 1 else merge_by_rank(groups)
    folders = {answer.hub.name: answer.hub.folder for answer in answers}
    copies = frozenset([answer.hub.name for answer in answers if answer.hub.is_installed])
    hits = fold_same(hits, folders, len(hits) if request.fold else request.k, deadline, copies)
    if request.fold:
        hits = fold_hits(hits)[: request.k]
    first = next((answer.results for answer in answers if answer.results.mode != "keyword"), answers[0].results)
    is_keyword = first.mode == "keyword"
    offers = [answer.results.did_you_mean for answer in answers if answer.results.did_you_mean]
    is_found = bool(hits) and not hits[0].weak
    one_model = len({answer.results.model_id for answer in answers}) == 1
    return first.replace(
        hits=_ranked(hits),
        fallback_reason=first.fallback_reason if is_keyword else "",
        model_id=first.model_id if one_model else "",
        index_dir="",
        notices=_notices(answers, failures, is_split=len(groups) > 1, is_keyword=is_keyword),
        did_you_mean=offers[0] if offers and not is_found else "",
    )


def _ranked(hits: "Sequence[Hit]") -> "tuple[Hit, ...]":
    return tuple([hit.replace(rank=rank) for rank, hit in enumerate(hits, start=1)])


def _notices(
    answers: "list[Asked]",
    failures: "list[tuple[OpenHub, HubIndexError]]",
    *,
    is_split: bool,
    is_keyword: bool,
) -> tuple[str, ...]:
    """The notices of each hub, with its name; a notice of all hubs appears once, without a name."""
    everywhere = set.intersection(*[set(answer.results.notices) for answer in answers])
    notices = [text for text in answers[0].results.notices if text in everywhere]
    for answer in answers:
        notices += [f"{answer.hub.name}: {text}" for text in answer.results.notices if text not in everywhere]
        if answer.results.fallback_reason and not is_keyword:
            notices.append(f"{answer.hub.name}: by words only: {answer.results.fallback_reason}")
    notices += [f"{hub.name} was left out: {error}" for hub, error in failures]
    if is_split:
        notices.append("the hubs' scores cannot be compared (different models, or words only): merged by rank")
    return tuple(notices)


class MergedHits:
    """The hits of several hubs as one ranking: a candidate's row is its place by id, then by the order of the hubs."""

    scan = None  # the vectors are with their hubs

    def __init__(self, answers: "Sequence[Found]") -> None:
        pairs = [pair for found in answers for pair in zip(found.results.hits, found.candidates, strict=True)]
        pairs.sort(key=lambda pair: pair[0].id)
        self._hits = [hit for hit, _ in pairs]
        self.candidates = [candidate for _, candidate in pairs]
        for row, candidate in enumerate(self.candidates):
            candidate.row = row

    def hit_of(self, candidate: "Candidate") -> "Hit":
        """The candidate's hit, with the score that it has among all hubs."""
        hit = self._hits[candidate.row]
        return hit.replace(score=candidate.score, reasons=hit.reasons.replace(presumed=candidate.presumed))

    def read_record(self, candidate: "Candidate") -> "Record":
        """The candidate's record."""
        return self._hits[candidate.row].record

    def name_hub(self, candidate: "Candidate") -> str:
        """The hub that the candidate is of."""
        return self._hits[candidate.row].hub

    def list_days(self, candidates: "Sequence[Candidate]") -> list[int]:
        """When each was last changed, as 20260131; 0 where nobody knows."""
        return [parse_day(self.read_record(candidate).updated_at) or 0 for candidate in candidates]

    def measure_likeness(self, candidates: "Sequence[Candidate]") -> "Likeness":
        """How many words two candidates share: the vectors are with their hubs."""
        return compare_words(map(self.read_record, candidates), candidates)


def merge_by_score(answers: "Sequence[Found]", request: "FindRequest") -> "list[Hit]":
    """All hits, best first, after the same steps as those of one hub; what the query names exactly goes before."""
    merged = MergedHits(answers)
    if len(answers) > 1 and all(found.results.mode == "hybrid" for found in answers):
        _join_legs(merged, answers[0].results.upper_bound, request)
    ranking = follow_steps(Ranking(rank(merged.candidates), request, merged))
    return [merged.hit_of(candidate) for candidate in ranking.candidates]


def _join_legs(merged: MergedHits, upper_bound: float, request: "FindRequest") -> None:
    """Sets the scores that go by the candidates of all hubs: own fusions, and what is presumed for another script."""
    if request.is_own_fusion:
        fuse(merged.candidates, 0.0, **request.joining)
    elif not has_cjk(request.query):
        before = [candidate.presumed for candidate in merged.candidates]
        told = [is_told_in_cjk(merged.read_record(candidate)) for candidate in merged.candidates]
        presume_words(merged.candidates, told, upper_bound)
        for candidate, presumed in zip(merged.candidates, before, strict=True):
            candidate.score += candidate.presumed - presumed


def merge_by_rank(groups: "Sequence[Sequence[Hit]]") -> "list[Hit]":
    """The first of each group, then the second of each, and so on; weak hits after all others.

    Among hits of equal place the better match by words comes first: words weigh alike in all hubs that are searched
    together.
    """
    placed = [(place, hit) for group in groups for place, hit in enumerate(group)]
    placed.sort(key=_by_place)  # stable: then by the order of the hubs
    return [hit.replace(score=round(1.0 / (_RANK_OFFSET + rank), 6)) for rank, (_, hit) in enumerate(placed, start=1)]


def _by_place(placed: "tuple[int, Hit]") -> tuple[bool, bool, int, float]:
    place, hit = placed
    return not hit.reasons.is_exact, hit.weak, place, -(hit.reasons.lexical or 0.0)
