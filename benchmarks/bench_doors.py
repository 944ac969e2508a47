"""What a door costs: a search by MCP and by HTTP against the same search in-process, in turns within one run."""

import asyncio
import http.client
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

from mcp import Client, StdioServerParameters, stdio_client

from benchmarks.hubs import make_hub
from benchmarks.measure import Ratio, median_s, run
from hub_index.service import open_service
from hub_index.service.hubs.open_hubs import HubPlace
from hub_index.service.requests import FindRequest
from hub_index.service.service import Service

_QUERIES = (
    "how do I analyze database performance?",
    "make slides from an outline",
    "我想制作一个ppt，哪些skill可用",
    "convert a pdf to text",
    "manage kubernetes deployments",
    "translate the subtitles of a video and keep the timing",
    "home automation lights",
    "git commit messages",
)
_ROUNDS = int(os.environ.get("BENCH_ROUNDS", "25"))
_CONNECTIONS = 16
_EMPTY_SERVER = """
import asyncio
from mcp.server import Server
from mcp.server.stdio import stdio_server
from mcp.types import CallToolResult, ListToolsResult, TextContent, Tool

async def call(context, params):
    return CallToolResult(content=[TextContent(text="ok")])

async def tools(context, params):
    return ListToolsResult(tools=[Tool(name="empty", input_schema={"type": "object"})])

async def main():
    server = Server("empty", on_call_tool=call, on_list_tools=tools)
    async with stdio_server() as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())

asyncio.run(main())
"""


def main() -> None:
    """Prints the table of the doors' targets."""
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    with tempfile.TemporaryDirectory(prefix="hub-index-bench-") as folder:
        os.environ["PYTHONPYCACHEPREFIX"] = str(Path(folder) / "pyc")
        os.environ["HUB_INDEX_CACHE"] = str(Path(folder) / "cache")
        os.environ["AXON_HOME"] = str(Path(folder) / "home")
        hub = make_hub(Path(folder) / "hub")
        run([sys.executable, "-m", "hub_index", "build", str(hub)])
        with open_service([HubPlace("hub", str(hub))]) as service:
            print(f"{service.status().hubs[0].skills} skills, {_ROUNDS} rounds of {len(_QUERIES)} queries")
            asyncio.run(_stdio(service, hub))
            _http(service, hub)
        _start(hub)


async def _stdio(service: Service, hub: Path) -> None:
    """Warm find_skills against the same search and an empty call of the SDK."""
    async with _client(_ours(hub)) as ours, _client(_empty()) as empty:
        times: dict[str, list[float]] = {"ours": [], "search": [], "empty": []}
        for query in _QUERIES * _ROUNDS:
            times["search"].append(_time(lambda query=query: _search(service, query)))  # type: ignore[misc]
            for name, client, tool, arguments in (
                ("ours", ours, "find_skills", {"query": query}),
                ("empty", empty, "empty", {}),
            ):
                began_s = time.perf_counter()
                await client.call_tool(tool, arguments)
                times[name].append(time.perf_counter() - began_s)
    warm = {name: statistics.median(found[len(_QUERIES) :]) for name, found in times.items()}
    floor_s = warm["search"] + warm["empty"]
    print(Ratio("1,000 × find_skills by stdio / search + empty call", 1e3 * warm["ours"], 1e3 * floor_s, 1.5).line())


def _http(service: Service, hub: Path) -> None:
    """GET /search against the same search and /healthz, kept against fresh connections, then sixteen at once."""
    with _serving(hub) as port:
        connection = http.client.HTTPConnection("127.0.0.1", port)
        times: dict[str, list[float]] = {"ours": [], "search": [], "empty": []}
        for query in _QUERIES * _ROUNDS:
            times["search"].append(_time(lambda query=query: _search(service, query)))  # type: ignore[misc]
            path = f"/search?q={quote(query)}"
            times["ours"].append(_time(lambda path=path: _get(connection, path)))  # type: ignore[misc]
            times["empty"].append(_time(lambda: _get(connection, "/healthz")))
        warm = {name: statistics.median(found[len(_QUERIES) :]) for name, found in times.items()}
        floor_s = warm["search"] + warm["empty"]
        print(Ratio("1,000 × GET /search / search + empty handler", 1e3 * warm["ours"], 1e3 * floor_s, 1.3).line())
        print(_compare_connections(port).line())
        many = sorted(_crowd(port))
        p50, p99 = many[len(many) // 2], many[int(len(many) * 0.99)]
        print(Ratio(f"p99 / p50 of GET /search at {_CONNECTIONS} connections", p99, p50, 4).line())


def _start(hub: Path) -> None:
    """From the start of the process to the first answer."""

    async def first(command: Sequence[str], tool: str, arguments: dict[str, str]) -> None:
        async with _client(command) as client:
            await client.call_tool(tool, arguments)

    search = [sys.executable, "-m", "hub_index", "search", "--hub", str(hub), "--hybrid", _QUERIES[0]]
    ours_s, empty_s, cold_s = [], [], []
    for _ in range(5):
        ours_s.append(_time(lambda: asyncio.run(first(_ours(hub), "find_skills", {"query": _QUERIES[0]}))))
        empty_s.append(_time(lambda: asyncio.run(first(_empty(), "empty", {}))))
        cold_s.append(median_s(lambda: run(search), 1))
    floor_s = statistics.median(empty_s) + statistics.median(cold_s)
    what = "start of mcp to first answer / empty server + cold hybrid search"
    print(Ratio(what, statistics.median(ours_s), floor_s, 2).line())


def _client(command: Sequence[str]) -> Client:
    return Client(stdio_client(StdioServerParameters(command=command[0], args=list(command[1:]), env=dict(os.environ))))


def _ours(hub: Path) -> list[str]:
    return [sys.executable, "-m", "hub_index", "mcp", "--hub", str(hub)]


def _empty() -> list[str]:
    return [sys.executable, "-c", _EMPTY_SERVER]


def _search(service: Service, query: str) -> None:
    service.find(FindRequest(query, snippets=True))


def _time(work: Callable[[], object]) -> float:
    began_s = time.perf_counter()
    work()
    return time.perf_counter() - began_s


def _get(connection: http.client.HTTPConnection, path: str) -> None:
    connection.request("GET", path)
    answer = connection.getresponse()
    body = answer.read()
    if answer.status != 200:
        raise RuntimeError(json.loads(body))


def _compare_connections(port: int) -> Ratio:
    """An empty answer on a kept connection against one on a fresh connection, in turns and with nothing between."""
    kept = http.client.HTTPConnection("127.0.0.1", port)

    def ask_afresh() -> None:
        fresh = http.client.HTTPConnection("127.0.0.1", port)
        _get(fresh, "/healthz")
        fresh.close()

    turns = [(_time(lambda: _get(kept, "/healthz")), _time(ask_afresh)) for _ in range(200)]
    kept_s, fresh_s = (statistics.median(times) for times in zip(*turns, strict=True))
    return Ratio("1,000 × /healthz on a kept connection / on a fresh one", 1e3 * kept_s, 1e3 * fresh_s, 1.2)


def _crowd(port: int) -> list[float]:
    times: list[float] = []

    def ask() -> None:
        connection = http.client.HTTPConnection("127.0.0.1", port)
        paths = [f"/search?q={quote(query)}" for query in _QUERIES * max(1, _ROUNDS // 5)]
        times.extend([_time(lambda path=path: _get(connection, path)) for path in paths])  # type: ignore[misc]

    threads = [threading.Thread(target=ask) for _ in range(_CONNECTIONS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return times


@contextmanager
def _serving(hub: Path) -> Iterator[int]:
    command = [sys.executable, "-m", "hub_index", "serve", "--hub", str(hub), "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr is not None
            match = re.search(r"127\.0\.0\.1:(\d+)", process.stderr.readline())
            assert match is not None
            yield int(match[1])
        finally:
            process.terminate()
