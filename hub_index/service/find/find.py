"""find: a request → the hits of the chosen hubs, filtered, within the budget, a page at a time."""

from hub_index.frozen import FrozenValue
from hub_index.search.options import MAX_K
from hub_index.service.hubs.open_hubs import digest_hubs

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hub_index.search.results import Hit, Results
    from hub_index.service.cursor import HitCursor
    from hub_index.service.hubs.open_hubs import OpenHub
    from hub_index.service.record_filter import Allows
    from hub_index.service.requests import Deadline, FindRequest
    from hub_index.service.service import CostOf, Service

_DEEPER = 8  # how much further to look where filters leave too few


def shorten_page(results: "Results", request: "FindRequest", max_tokens: int, cost_of: "CostOf") -> "Results":
    """A page of hits within a smaller budget, without a new search; the cursor continues at its new end."""
    from hub_index.service.budget import keep_within
    from hub_index.service.cursor import encode_hit_cursor

    kept = keep_within(results, max_tokens, cost_of)
    if len(kept.hits) == len(results.hits):
        return results
    cursor = encode_hit_cursor(request, kept.hits[-1]) if kept.hits else ""
    return kept.replace(omitted=(*kept.omitted, *results.omitted), next_cursor=cursor)


class Finding(FrozenValue):
    """One request, the hubs that it is for, and how long there is."""

    service: "Service"
    hubs: "tuple[OpenHub, ...]"
    request: "FindRequest"
    deadline: "Deadline"

    def find(self, cost_of: "CostOf | None" = None) -> "Results":
        """The hits of one page. Raises as `Service.find` says."""
        request = self.request
        before = self._last_page()
        offset = before.rank if before else 0
        wanted = min(MAX_K, offset + request.k)
        results = self._search_filtered(wanted)
        if before:
            before.check(results.hits)
        page = results.hits[offset:wanted]
        may_have_more = len(page) == request.k and wanted < MAX_K  # the last page may turn out to be empty
        results = results.replace(hits=page)
        if request.include_text and page:
            results = self._with_spans(results)
        if request.max_tokens is not None:
            from hub_index.service.budget import keep_within

            results = keep_within(results, request.max_tokens, cost_of)
        return results if request.is_printed else self._with_marks(results, may_have_more or bool(results.omitted))

    def _last_page(self) -> "HitCursor | None":
        if not self.request.cursor:
            return None
        from hub_index.service.cursor import decode_hit_cursor

        return decode_hit_cursor(self.request)

    def _with_marks(self, results: "Results", has_more: bool) -> "Results":
        """With what tells this answer from a later one, and where the next page begins."""
        from hub_index.service.cursor import encode_hit_cursor

        cursor = encode_hit_cursor(self.request, results.hits[-1]) if results.hits and has_more else ""
        return results.replace(hubs_digest=digest_hubs(self.hubs), next_cursor=cursor)

    def _search_filtered(self, wanted: int) -> "Results":
        """The hits that the filters let through, looked for further down as long as there are too few."""
        allows, least = self._plan_filter(), self.request.min_confidence
        depth = wanted if allows is None else min(MAX_K, wanted * _DEEPER)
        while True:
            results = self._search(depth, is_filtered=allows is not None)
            kept = self._let_through(results.hits, allows)
            if len(kept) >= wanted or len(results.hits) < depth or depth == MAX_K:
                break
            depth = min(MAX_K, depth * _DEEPER)
        if least is not None:  # a hit without one cannot be judged, and stays
            kept = [hit for hit in kept if hit.confidence is None or hit.confidence >= least]
        if len(kept) == len(results.hits):
            return results
        return results.replace(hits=tuple([hit.replace(rank=rank) for rank, hit in enumerate(kept, start=1)]))

    def _plan_filter(self) -> "Allows | None":
        request = self.request
        if not (request.type or request.path or request.lang or request.since):
            return None
        from hub_index.service.record_filter import plan_filter

        return plan_filter(request)

    def _let_through(self, hits: "Sequence[Hit]", allows: "Allows | None") -> "list[Hit]":
        """The hits that the filters allow; of these so many of a folder as are asked for."""
        if allows is None:
            return list(hits)
        from hub_index.search.ranking.steps.fold import fold_hits
        from hub_index.search.ranking.steps.max_per_folder import keep_some

        kept = [hit for hit in hits if allows(hit.record)]
        placed = [(hit, hit.hub, hit.record) for hit in (fold_hits(kept) if self.request.fold else kept)]
        return list(keep_some(placed, self.request.max_per_folder or len(placed)))

    def _search(self, k: int, *, is_filtered: bool) -> "Results":
        self.deadline.check()
        tools = self.service.tools
        unmoved = (
            {"max_per_folder": None, "fold": False} if is_filtered else {}
        )  # a copy may fit where the best does not
        request = self.request.replace(k=k, **unmoved)
        if tools is not None:
            request = request.completed(tools.usual)
        if len(self.hubs) > 1:
            results = self.service.federation.search(self.hubs, request, self.deadline)
            return results if tools is None else tools.say_idle(results, request)
        return self.hubs[0].find(request, tools).results

    def _with_spans(self, results: "Results") -> "Results":
        from hub_index.service.find.spans import add_spans

        return add_spans(results, self.hubs, self.request.context_lines, self.deadline)
