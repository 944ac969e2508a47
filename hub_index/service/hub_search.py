"""One hub's answer to a request, each hit with the hub's name."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hub_index.search.lexical.pool import LexicalPool
    from hub_index.search.results import Results
    from hub_index.service.hubs import OpenHub
    from hub_index.service.requests import FindRequest
    from hub_index.service.tools import SearchTools


def search_hub(  # noqa: PLR0913 - each says where or how to search
    hub: "OpenHub",
    request: "FindRequest",
    k: int,
    pool: "LexicalPool | None" = None,
    *,
    reorder: bool = True,
    tools: "SearchTools | None" = None,
) -> "Results":
    """The hub's k best hits; without `reorder` in the order of their plain scores, for whoever orders them later."""
    with hub.lock:
        learnt = tools.learnt(hub.index) if tools is not None and tools.learnt is not None else None
        added = tools.options_for(request, learnt) if tools is not None else {}
        weight = tools.recency if tools is not None else None
        results = hub.index.search(
            request.query,
            k,
            request.mode,
            fusion=request.fusion,
            alpha=request.alpha,
            min_score=request.min_score if reorder else None,
            recency=(request.recency if weight is None else weight) and reorder,
            diverse=request.diverse and reorder,
            explain=request.explain,
            snippets=request.snippets,
            pool=pool,
            **added,
        )
    if learnt is not None and learnt.notice:
        results = results.replace(notices=(*results.notices, learnt.notice))
    if hub.why_words and results.fallback_reason:
        results = results.replace(fallback_reason=hub.why_words)
    return results.replace(hits=tuple([hit.replace(hub=hub.name) for hit in results.hits]))
