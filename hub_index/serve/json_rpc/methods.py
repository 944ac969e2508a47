"""JSON-RPC's methods: parameters in its clients' words → the service's requests, and answers back into those words."""

from collections.abc import Callable
from typing import Any

from hub_index.hub.record_file import TYPES
from hub_index.limits import MAX_SERVED_K
from hub_index.search.results import Hit, Results, encode_place, encode_results
from hub_index.serve.json_rpc.messages import METHOD_NOT_FOUND, OTHER_VERSION, VERSION, Call, RpcError
from hub_index.serve.operations import CORPORA, list_request, read_request, related_request, report_use
from hub_index.serve.parameters import Parameter, parse_arguments
from hub_index.serve.refusal import RequestRefused
from hub_index.service.answers import encode_list, encode_status, encode_text
from hub_index.service.requests import Deadline, FindRequest
from hub_index.service.service import Service

_MODES = {"search.lexical": "keyword", "search.semantic": "semantic", "search.hybrid": "hybrid"}
_SEARCH = (
    Parameter("query", "text", "Words, in any language.", is_required=True),
    Parameter("k", "whole", "How many items.", low=1, high=MAX_SERVED_K),
    Parameter("hub", "names", "Names of hubs.", "hubs"),
    Parameter("includeText", "flag", "The best passage of each skill.", "include_text"),
    Parameter("contextLines", "whole", "Lines before and after it.", "context_lines"),
    Parameter("maxTokens", "whole", "A budget for what the answer quotes.", "max_tokens"),
    Parameter("cursor", "text", "`nextCursor` of the answer before."),
)
_FILTERS = (
    Parameter("pathPrefix", "text", "A folder that holds the skill.", "path"),
    Parameter("language", "text", "A language, such as en.", "lang"),
    Parameter("type", "text", "Skills, workflows, commands or agents.", choices=TYPES),
    Parameter("since", "text", "Changed since this day."),
)
_SPAN = (
    Parameter("path", "text", "A skill's path, id or uri.", is_required=True),
    Parameter("hub", "text", "The hub's name."),
    Parameter("start", "whole", "The first line."),
    Parameter("end", "whole", "The last line."),
    Parameter("context", "whole", "Lines before and after."),
    Parameter("maxTokens", "whole", "A budget.", "max_tokens"),
)


def search_request(call: Call, default_k: int) -> FindRequest | None:
    """The search that a call asks for; None if it asks for something else. Raises RequestRefused, RpcError."""
    if call.method not in _MODES:
        return None
    params = {name: value for name, value in call.params.items() if name not in ("filters", "stream", "version")}
    filters = call.params.get("filters") or {}
    if not isinstance(filters, dict):
        raise RequestRefused(400, "filters must be an object", param="filters")
    fields = {"k": min(default_k, MAX_SERVED_K)} | parse_arguments(_SEARCH, params) | parse_arguments(_FILTERS, filters)
    return FindRequest(mode=_MODES[call.method], snippets=True, **fields)


def check_version(call: Call) -> None:
    """Raises RpcError if the client asks for another version than ours."""
    asked = call.params.get("version", VERSION)
    if isinstance(asked, bool) or asked != VERSION:
        raise RpcError(OTHER_VERSION, f"this server speaks version {VERSION} of these methods; ask for that one")


def find_job(service: Service, call: Call, deadline: Deadline) -> Callable[[], dict[str, object]]:
    """The work of a call. Raises RpcError for a method that is not known, RequestRefused for wrong parameters."""
    asked = search_request(call, service.default_k)
    if asked is not None:
        return lambda: encode_items(service.find(asked, deadline))
    job = _JOBS.get(call.method)
    if job is None:
        raise RpcError(METHOD_NOT_FOUND, f"this method is not known; those that are: {', '.join((*_MODES, *_JOBS))}")
    return job(service, {name: value for name, value in call.params.items() if name != "version"}, deadline)


def encode_items(results: Results) -> dict[str, object]:
    """A search's answer as items."""
    kind = CORPORA[results.mode]
    encoded: dict[str, object] = {
        "items": [_encode_item(hit, kind) for hit in results.hits],
        "mode": results.mode,
        "verdict": results.verdict,
        "fallbackReason": results.fallback_reason or None,
        "hubsDigest": results.hubs_digest,
        "omitted": list(results.omitted),
        "nextCursor": results.next_cursor or None,
        "notices": list(results.notices),
    }
    return encoded | ({"searchId": results.search_id} if results.search_id else {})


def _encode_item(hit: Hit, kind: str) -> dict[str, object]:
    span = hit.spans[0] if hit.spans else None
    return {
        "path": hit.file,
        "start": span.start if span else None,
        "end": span.end if span else None,
        "preview": hit.snippet.text if hit.snippet else hit.description,
        "text": span.text if span else None,
        "score": hit.score,
        "kind": kind,
        "hub": hit.hub,
        "id": hit.id,
        "uri": hit.uri,
        "name": hit.name,
        "weak": hit.weak,
        "alsoIn": list(map(encode_place, hit.also_in)),
        "alsoLike": list(map(encode_place, hit.also_like)),
    }


def _get_span(service: Service, params: dict[str, Any], deadline: Deadline) -> Callable[[], dict[str, object]]:
    fields = parse_arguments(_SPAN, params)
    path, hub = fields.pop("path"), fields.pop("hub", "")
    asked = read_request(f"{hub}:{path}" if hub else path, fields)

    def job() -> dict[str, object]:
        text = encode_text(service.read(asked, deadline))
        names = {
            "text": "text",
            "start": "start",
            "end": "end",
            "file": "path",
            "hub": "hub",
            "next_start": "nextStart",
            "notices": "notices",
        }
        return {shown_name: text[name] for name, shown_name in names.items()}

    return job


def _status(service: Service, params: dict[str, Any], deadline: Deadline) -> Callable[[], dict[str, object]]:
    parse_arguments((), params)

    def job() -> dict[str, object]:
        status = encode_status(service.status(deadline))
        return {"generator": status.pop("version"), **status}

    return job


def _list(service: Service, params: dict[str, Any], deadline: Deadline) -> Callable[[], dict[str, object]]:
    asked = list_request(params)
    return lambda: encode_list(service.list(asked, deadline))


def _read(service: Service, params: dict[str, Any], deadline: Deadline) -> Callable[[], dict[str, object]]:
    asked = read_request(_take_skill(params), params)
    return lambda: encode_text(service.read(asked, deadline))


def _related(service: Service, params: dict[str, Any], deadline: Deadline) -> Callable[[], dict[str, object]]:
    asked = related_request(_take_skill(params), params)
    return lambda: encode_results(service.related(asked, deadline))


def _report_use(service: Service, params: dict[str, Any], _: Deadline) -> Callable[[], dict[str, object]]:
    named = {"search_id" if name == "searchId" else name: value for name, value in params.items()}
    return lambda: report_use(service, named)


def _take_skill(params: dict[str, Any]) -> str:
    skill = params.pop("skill", None)
    if not isinstance(skill, str) or not skill:
        raise RequestRefused(400, "skill is missing: name one by its id, path, name or uri", param="skill")
    return skill


_JOBS = {
    "content.getSpan": _get_span,
    "index.status": _status,
    "skills.list": _list,
    "skills.read": _read,
    "skills.related": _related,
    "skills.reportUse": _report_use,
}
METHODS = (*_MODES, *_JOBS)
