"""One hub's answer to a search, each hit with the hub's name."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hub_index.search.results import Results
    from hub_index.service.hubs import OpenHub
    from hub_index.service.requests import FindRequest
    from hub_index.service.tools import SearchTools


def search_hub(hub: "OpenHub", request: "FindRequest", tools: "SearchTools | None" = None) -> "Results":
    """The hub's best hits, moved by what the process's owner has set."""
    with hub.lock:
        learnt = tools.learnt(hub.index) if tools is not None and tools.learnt is not None else None
        results = hub.index.search(tools.equip(request, learnt) if tools is not None else request)
    if learnt is not None and learnt.notice:
        results = results.replace(notices=(*results.notices, learnt.notice))
    if hub.why_words and results.fallback_reason:
        results = results.replace(fallback_reason=hub.why_words)
    return results.replace(hits=tuple([hit.replace(hub=hub.name) for hit in results.hits]))
