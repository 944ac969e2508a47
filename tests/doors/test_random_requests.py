"""Random requests against the ASGI application and over the socket: no 500, no traceback, no hang."""

import asyncio
import json
import socket
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.servers.serving_world import ServingWorld

from hub_index.errors import HubIndexError
from hub_index.serve.mcp.calls import ToolCalls, failed
from hub_index.serve.mcp.tools import PARAMETERS
from hub_index.service.service import Service

IN_PROCESS, SOAK = 150, 10_000
PATHS = st.sampled_from(
    [
        *("/search", "/skills", "/skills/ann%2Fdb", "/skills/ann%2Fdb/related", "/skills/ann%2Fdb/files/SKILL.md"),
        *("/spans", "/status", "/healthz", "/metrics", "/openapi.json", "/rpc", "/v1/embeddings", "/v1/models", "/ws"),
    ]
) | st.text("/%.abc?#\\\x7f0123é ", max_size=40).map(lambda text: "/" + text)
METHODS = st.sampled_from(["GET", "POST", "HEAD", "PUT", "DELETE", "OPTIONS", "BREW"])
NAMES = st.sampled_from(
    "q query k mode hub path lang type since cursor stream max_tokens alpha start end heading context skill limit "
    "explain include_text context_lines other".split()
)
WORDS = st.text(max_size=30) | st.integers().map(str) | st.sampled_from(["true", "nan", "1e999", "-1", "sse", "auto"])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=30),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES | st.text(max_size=8), inner, max_size=5),
    max_leaves=12,
)
CALLS = st.fixed_dictionaries(
    {"jsonrpc": st.just("2.0")},
    optional={
        "id": JSON,
        "method": st.sampled_from(
            ["search.hybrid", "search.lexical", "content.getSpan", "index.status", "skills.list"]
        ),
        "params": JSON | st.dictionaries(NAMES, JSON, max_size=4),
    },
)
BODIES = st.binary(max_size=60) | (JSON | CALLS | st.lists(CALLS, max_size=3)).map(
    lambda value: json.dumps(value).encode()
)
HEADERS = st.lists(
    st.tuples(
        st.sampled_from(["host", "origin", "accept", "if-none-match", "authorization", "content-type", "x-other"]),
        st.sampled_from(["localhost", "application/json", "text/event-stream", "*", "null", 'W/"a"', ""])
        | st.text(max_size=12),
    ),
    max_size=4,
)


async def ask(world: ServingWorld, method: str, target: str, headers: list[tuple[str, str]], body: bytes) -> int:
    """The status of a request to the application, without a socket."""
    path, _, query = target.partition("?")
    encoded = [(name.encode(), value.encode("utf-8", "replace")) for name, value in headers]
    scope: dict[str, Any] = {
        "type": "http",
        "http_version": "1.1",
        "method": method,
        "path": path,
        "raw_path": path.encode("utf-8", "replace"),
        "query_string": query.encode("utf-8", "replace"),
        "headers": [*encoded, (b"content-length", str(len(body)).encode())],
    }
    said: list[dict[str, Any]] = []
    waiting = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> dict[str, Any]:
        return waiting.pop() if waiting else {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        said.append(message)

    async with asyncio.timeout(20):
        await world.doors.application(scope, receive, send)
    assert said[0]["type"] == "http.response.start"
    assert not said[-1].get("more_body")
    return int(said[0]["status"])


def check(world: ServingWorld, request: tuple[Any, ...]) -> None:
    method, path, fields, headers, body = request
    from urllib.parse import urlencode

    target = path + ("?" + urlencode(fields, errors="replace") if fields else "")
    status = asyncio.run(ask(world, method, target, headers, body))
    assert 200 <= status < 600
    assert status != 500, request
    assert not [line for line in world.lines if line.startswith("unexpected")]


TOOL_CALLS = st.sampled_from(sorted(PARAMETERS)).flatmap(
    lambda tool: st.tuples(
        st.just(tool),
        st.fixed_dictionaries({}, optional={each.name: JSON | WORDS for each in PARAMETERS[tool]}),
    )
)


def check_tool_call(service: Service, tool: str, arguments: dict[str, Any]) -> None:
    """An answer, or a refusal in one line: nothing else comes out of a tool."""
    try:
        result = ToolCalls(service, 20.0).call(tool, arguments)
    except HubIndexError as error:
        result = failed(error)
        assert "\n" not in result.content[0].text  # type: ignore[union-attr]
    assert result.content[0].text  # type: ignore[union-attr]
    json.dumps(result.structured_content, allow_nan=False).encode()


REQUESTS = st.tuples(METHODS, PATHS, st.lists(st.tuples(NAMES, WORDS), max_size=4), HEADERS, BODIES)


def test_random_requests_get_a_plain_answer(odd: ServingWorld) -> None:
    """Some, at every run of the tests."""

    @settings(max_examples=IN_PROCESS, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
    @given(REQUESTS)
    def run(request: tuple[Any, ...]) -> None:
        check(odd, request)

    run()


def test_random_tool_calls_get_a_plain_answer(odd_service: Service) -> None:
    """Whatever a model makes of a tool's arguments."""

    @settings(max_examples=IN_PROCESS, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
    @given(TOOL_CALLS)
    def run(call: tuple[str, dict[str, Any]]) -> None:
        check_tool_call(odd_service, *call)

    run()


@pytest.mark.soak
def test_ten_thousand_random_tool_calls_get_a_plain_answer(odd_service: Service) -> None:
    """As many, by the agents' door."""

    @settings(max_examples=SOAK, deadline=None, suppress_health_check=list(HealthCheck), database=None)
    @given(TOOL_CALLS)
    def run(call: tuple[str, dict[str, Any]]) -> None:
        check_tool_call(odd_service, *call)

    run()


@pytest.mark.soak
def test_ten_thousand_random_requests_get_a_plain_answer(odd: ServingWorld) -> None:
    """As many as the issue asks for."""

    @settings(max_examples=SOAK, deadline=None, suppress_health_check=list(HealthCheck), database=None)
    @given(REQUESTS)
    def run(request: tuple[Any, ...]) -> None:
        check(odd, request)

    run()


def test_random_bytes_over_the_socket_do_not_hang_or_end_the_server(odd: ServingWorld) -> None:
    """Whatever arrives, the server answers or closes, and then serves the next one."""
    pieces = st.sampled_from(
        [
            b"GET /search?q=a HTTP/1.1\r\n",
            b"POST /rpc HTTP/1.1\r\n",
            b"Host: localhost\r\n",
            b"Content-Length: 5\r\n",
            b"Transfer-Encoding: chunked\r\n",
            b"Upgrade: websocket\r\nConnection: Upgrade\r\n",
            b"\r\n",
            b"0\r\n\r\n",
            b"\x00\xff",
            b"{}",
        ]
    )

    @settings(max_examples=25, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
    @given(st.lists(pieces | st.binary(max_size=20), max_size=8).map(b"".join))
    def run(raw: bytes) -> None:
        with socket.create_connection(("127.0.0.1", odd.port), timeout=10) as connection:
            connection.sendall(raw)
            connection.shutdown(socket.SHUT_WR)
            said = b""
            while part := connection.recv(65536):
                said += part
        assert not said or said.startswith(b"HTTP/1.1 ")
        assert b" 500 " not in said.partition(b"\r\n")[0]

    run()
    assert odd.ask("GET", "/healthz").status == 200
