"""find: a request → the hits of the chosen hubs, filtered, within the budget, a page at a time."""

from hub_index.search.index import MAX_K
from hub_index.service.budget import keep_within
from hub_index.service.cursor import decode_cursor, encode_cursor
from hub_index.service.filters import plan_filter
from hub_index.service.revision import read_revision

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from hub_index.search.results import Hit, Results
    from hub_index.service.deadline import Deadline
    from hub_index.service.filters import Allows
    from hub_index.service.hubs import OpenHub
    from hub_index.service.requests import FindRequest
    from hub_index.service.service import CostOf

_DEEPER = 8  # how much further to look where filters leave too few; at most three times


def find_skills(
    hubs: "Sequence[OpenHub]", request: "FindRequest", deadline: "Deadline", cost_of: "CostOf | None"
) -> "Results":
    """The hits of one page. Raises as `Service.find` says."""
    offset = decode_cursor(request)
    wanted = min(MAX_K, offset + request.k)
    results = _search_filtered(hubs, request, wanted, deadline)
    page = results.hits[offset:wanted]
    may_have_more = len(page) == request.k and wanted < MAX_K  # the last page may turn out to be empty
    results = keep_within(results.replace(hits=page, hub_revision=read_revision(hubs)), request.max_tokens, cost_of)
    shown = offset + len(results.hits)
    if results.hits and (may_have_more or results.omitted):
        results = results.replace(next_cursor=encode_cursor(request, shown))
    return results


def _search_filtered(hubs: "Sequence[OpenHub]", request: "FindRequest", wanted: int, deadline: "Deadline") -> "Results":
    """The hits that the filters let through, looked for further down as long as there are too few."""
    allows = plan_filter(request)
    depth = wanted if allows is None else min(MAX_K, wanted * _DEEPER)
    while True:
        results = _search(hubs, request, depth, deadline)
        found = len(results.hits)
        if allows is not None:
            results = results.replace(hits=_keep(results.hits, allows))
        if len(results.hits) >= wanted or found < depth or depth == MAX_K:
            return results
        depth = min(MAX_K, depth * _DEEPER)


def _keep(hits: "Sequence[Hit]", allows: "Allows") -> "tuple[Hit, ...]":
    kept = [hit for hit in hits if allows(hit.record)]
    return tuple([hit.replace(rank=rank) for rank, hit in enumerate(kept, start=1)])


def _search(hubs: "Sequence[OpenHub]", request: "FindRequest", k: int, deadline: "Deadline") -> "Results":
    hub = hubs[0]
    deadline.check()
    with hub.lock:
        results = hub.index.search(
            request.query,
            k,
            request.mode,
            fusion=request.fusion,
            alpha=request.alpha,
            min_score=request.min_score,
            recency=request.recency,
            diverse=request.diverse,
            explain=request.explain,
            snippets=request.snippets,
        )
    return results.replace(hits=tuple([hit.replace(hub=hub.name) for hit in results.hits]))
