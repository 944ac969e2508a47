"""A request's raw path → its route: segments are split before they are decoded, so that an id may hold a slash."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from urllib.parse import unquote_to_bytes

from hub_index.serve.http.answer import Answer, StreamedAnswer
from hub_index.serve.http.request import HttpRequest
from hub_index.serve.refusal import RequestRefused

Handler = Callable[[HttpRequest], Awaitable[Answer | StreamedAnswer]]


@dataclass(frozen=True, slots=True)
class Route:
    """A documented path such as `/skills/{id}`, and its handler; `{path...}` takes the whole rest of the path."""

    method: str
    template: str
    handler: Handler
    is_work: bool = True  # counted against the caller's rate
    is_openai: bool = False  # refusals have the form that OpenAI's clients read


@dataclass(frozen=True, slots=True)
class RouteMatch:
    """The route of a request, and the values in its path."""

    route: Route
    values: dict[str, str]


def find_route(routes: Sequence[Route], method: str, raw_path: str) -> RouteMatch:
    """The route that answers. Raises RequestRefused: 404 for a path, 405 for a method that is not served."""
    matches = [
        RouteMatch(route, values) for route in routes if (values := _match(route.template, raw_path)) is not None
    ]
    if not matches:
        raise RequestRefused(404, "this path is not served; GET /openapi.json lists those that are", code="not_found")
    for match in matches:
        if method == match.route.method or (method == "HEAD" and match.route.method == "GET"):
            return match
    allow = ", ".join(sorted({match.route.method for match in matches}))
    raise RequestRefused(405, f"use {allow} here", code="method_not_allowed", allow=allow)


def is_openai_path(raw_path: str) -> bool:
    """Whether refusals there are read by OpenAI's clients."""
    return raw_path.startswith("/v1/")


def _match(template: str, raw_path: str) -> dict[str, str] | None:
    wanted, given = template.split("/"), raw_path.split("/")
    values: dict[str, str] = {}
    for at, segment in enumerate(wanted):
        if segment.endswith("...}") and len(given) > at and given[at]:
            values[segment[1:-4]] = "/".join(_decode(part) for part in given[at:])
            return values
        if len(given) <= at:
            return None
        if segment.startswith("{"):
            if not given[at]:
                return None
            values[segment[1:-1]] = _decode(given[at])
        elif segment != given[at]:
            return None
    return values if len(given) == len(wanted) else None


def _decode(segment: str) -> str:
    try:
        return unquote_to_bytes(segment).decode("utf-8")
    except ValueError as error:
        raise RequestRefused(400, "a segment of the path is not UTF-8") from error
