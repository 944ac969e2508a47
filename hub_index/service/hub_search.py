"""One hub's answer to a search, each hit with the hub's name and how sure it is."""

from hub_index.service.confidence import add_confidence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hub_index.search.answer import Found
    from hub_index.service.hubs import OpenHub
    from hub_index.service.requests import FindRequest
    from hub_index.service.tools import SearchTools


def search_hub(hub: "OpenHub", request: "FindRequest", tools: "SearchTools | None" = None) -> "Found":
    """The hub's best hits, moved by what the process's owner has set."""
    with hub.lock:
        learnt = tools.learnt(hub.index) if tools is not None and tools.learnt is not None else None
        found = hub.index.find(tools.equip(request, learnt) if tools is not None else request)
    results = found.results
    if learnt is not None and learnt.notice:
        results = results.replace(notices=(*results.notices, learnt.notice))
    if hub.why_words and results.fallback_reason:
        results = results.replace(fallback_reason=hub.why_words)
    hits = tuple([hit.replace(hub=hub.name) for hit in results.hits])
    return found.replace(results=add_confidence(results.replace(hits=hits)))
