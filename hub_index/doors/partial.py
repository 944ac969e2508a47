"""A search in steps for clients that want something to show at once: by words first, the whole answer at the end."""

from hub_index.service.requests import FindRequest

CORPORA = {"keyword": "lex", "semantic": "sem", "hybrid": "fused"}  # what answered, in the words of JSON-RPC's clients


def plan_steps(request: FindRequest) -> tuple[FindRequest, ...]:
    """The searches to make, in order; the last one is the answer."""
    if request.mode in ("keyword", "semantic") or request.cursor:
        return (request,)
    return request.replace(mode="keyword", snippets=False, explain=False, is_preview=True), request
