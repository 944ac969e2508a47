"""`GET /` without a page: a list of the server's paths, for people, programs and terminals."""

from collections.abc import Iterable
from dataclasses import dataclass
from html import escape

from hub_index import __version__
from hub_index.serve.http.answer import Answer, json_answer
from hub_index.serve.http.openapi import describe_server
from hub_index.serve.http.request import HttpRequest

_TITLE = f"hub-index {__version__}"
_POLICY = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
_HEADERS = (("Content-Security-Policy", _POLICY), ("Referrer-Policy", "no-referrer"), ("Vary", "Accept"))


@dataclass(frozen=True, slots=True)
class _Operation:
    """A line on one method of one path; a link to it needs no values."""

    method: str
    path: str
    about: str
    is_link: bool = False


_UNDESCRIBED = (  # by OpenAPI
    _Operation("POST", "/mcp", "MCP on streamable HTTP."),
    _Operation("GET", "/ws", "JSON-RPC 2.0 over a WebSocket."),
)


def answer_front(request: HttpRequest, templates: Iterable[str]) -> Answer:
    """The operations of the served paths: HTML for browsers, JSON on request, else lines."""
    accepted = request.header("accept") or ""
    operations = _list_operations(set(templates))
    if "text/html" in accepted:
        return Answer(_encode_html(operations), content_type="text/html; charset=utf-8", headers=_HEADERS)
    if "application/json" in accepted:
        paths = {f"{each.method} {each.path}": each.about for each in operations}
        return json_answer({"title": _TITLE, "paths": paths}, _HEADERS)
    lines = [_TITLE, *(f"{each.method:<4} {each.path:<28} {each.about}" for each in operations)]
    return Answer("\n".join([*lines, ""]).encode(), content_type="text/plain; charset=utf-8", headers=_HEADERS)


def _list_operations(served: set[str]) -> list[_Operation]:
    described = [
        _Operation(
            method.upper(),
            path,
            item["summary"],
            method == "get" and not any(parameter.get("required") for parameter in item["parameters"]),
        )
        for path, operations in describe_server(served)["paths"].items()
        for method, item in operations.items()
    ]
    return described + [operation for operation in _UNDESCRIBED if operation.path in served]


def _encode_html(operations: Iterable[_Operation]) -> bytes:
    items = "\n".join(f"<li>{_encode_path(each)} {escape(each.about)}</li>" for each in operations)
    head = f'<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n<title>{_TITLE}</title>\n<h1>{_TITLE}</h1>\n'
    return f"{head}<p>This server answers programs and agents at these paths:</p>\n<ul>\n{items}\n</ul>\n".encode()


def _encode_path(operation: _Operation) -> str:
    path = escape(operation.path)
    return f'{operation.method} <a href="{path}">{path}</a>' if operation.is_link else f"{operation.method} {path}"
