"""The README's two queries through every door: the same ids, in the same order, with the same scores."""

import asyncio
import json
import shutil
import subprocess
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from support.models.model_copy import model_cache
from support.processes.cli_runner import hub_index
from support.servers.doors_world import EXAMPLES, QUERIES, STDIO
from support.servers.serving_world import ServingWorld

from hub_index import open_index
from hub_index.client import AsyncHubClient, HubClient

K = 5
Scores = list[tuple[str, float]]


def scores_of(hits: Any) -> Scores:
    """Ids and scores of hits, whether values or JSON."""
    return [(hit["id"], hit["score"]) if isinstance(hit, dict) else (hit.id, hit.score) for hit in hits]


@pytest.fixture(scope="module", params=QUERIES)
def query(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def expected(query: str) -> Scores:
    """What the library itself answers."""
    with open_index(EXAMPLES.index_dir, EXAMPLES.folder, cache_dir=model_cache(), home="/nowhere") as index:
        found = scores_of(index.search(query, k=K))
    assert len(found) == K
    return found


def test_by_http_and_json_rpc(examples: ServingWorld, query: str, expected: Scores) -> None:
    """GET, POST and a call of JSON-RPC."""
    assert scores_of(examples.ask("GET", f"/search?q={quote(query)}&k={K}").value["hits"]) == expected
    assert scores_of(examples.post("/search", {"query": query, "k": K}).value["hits"]) == expected
    call = {"jsonrpc": "2.0", "id": 1, "method": "search.hybrid", "params": {"query": query, "k": K}}
    assert scores_of(examples.post("/rpc", call).value["result"]["items"]) == expected


def test_in_pieces(examples: ServingWorld, query: str, expected: Scores) -> None:
    """The last event of both kinds of streams is the whole answer; the first came by words."""
    lines = examples.ask("GET", f"/search?q={quote(query)}&k={K}&stream=ndjson").body.splitlines()
    events = [json.loads(line) for line in lines]
    assert [(event["corpus"], event["done"]) for event in events] == [("lex", False), ("fused", True)]
    assert scores_of(events[-1]["results"]["hits"]) == expected
    text = examples.post("/search", {"query": query, "k": K}, Accept="text/event-stream").body.decode()
    datas = [line.removeprefix("data: ") for line in text.splitlines() if line.startswith("data: ")]
    assert scores_of(json.loads(datas[-1])["results"]["hits"]) == expected


@pytest.mark.skipif(shutil.which("curl") is None, reason="this machine has no curl")
def test_by_curl(examples: ServingWorld, query: str, expected: Scores) -> None:
    """As a person would try it."""
    command = [
        "curl",
        "-sS",
        "--fail",
        "-G",
        f"{examples.url}/search",
        "--data-urlencode",
        f"q={query}",
        "-d",
        f"k={K}",
    ]
    done = subprocess.run(command, capture_output=True, check=True, timeout=30)
    assert scores_of(json.loads(done.stdout)["hits"]) == expected


def test_by_websocket(examples: ServingWorld, query: str, expected: Scores) -> None:
    """The answer after its partial results."""
    from websockets.sync.client import connect

    call = {"jsonrpc": "2.0", "id": 7, "method": "search.hybrid", "params": {"query": query, "k": K, "stream": True}}
    with connect(f"ws://127.0.0.1:{examples.port}/ws") as socket:
        socket.send(json.dumps(call))
        first, second, answer = [json.loads(socket.recv(20)) for _ in range(3)]
    assert [part["params"]["corpus"] for part in (first, second)] == ["lex", "fused"]
    assert [part["params"]["done"] for part in (first, second)] == [False, True]
    assert scores_of(second["params"]["items"]) == scores_of(answer["result"]["items"]) == expected


def test_by_the_typed_client(examples: ServingWorld, query: str, expected: Scores) -> None:
    """Sync and async."""

    async def ask() -> Scores:
        async with AsyncHubClient(examples.url) as hubs:
            return scores_of(await hubs.search(query, k=K))

    with HubClient(examples.url) as hubs:
        assert scores_of(hubs.search(query, k=K)) == expected
    assert asyncio.run(ask()) == expected


def test_by_mcp_over_http(examples: ServingWorld, query: str, expected: Scores) -> None:
    """The SDK's own client, of today's protocol and of the one before."""
    from mcp import Client

    async def ask(mode: str) -> Scores:
        async with Client(f"{examples.url}/mcp", mode=mode) as client:
            answer = await client.call_tool("find_skills", {"query": query, "k": K})
            assert not answer.is_error
            return scores_of(answer.structured_content["hits"])

    assert asyncio.run(ask("auto")) == expected
    assert asyncio.run(ask("legacy")) == expected


def test_the_confidence_of_a_hit_is_one_number(examples: ServingWorld, query: str) -> None:
    """From Python and by HTTP; the label and `min_confidence` go by it alone, by MCP too, which shows the label."""
    from mcp import Client

    with open_index(EXAMPLES.index_dir, EXAMPLES.folder, cache_dir=model_cache(), home="/nowhere") as index:
        hits = list(index.search(query, k=20))
    expected = {hit.id: (hit.confidence, hit.weak) for hit in hits}
    assert all(hit.confidence is not None and (hit.confidence < 0.5) == hit.weak for hit in hits)
    assert len({hit.weak for hit in hits}) == 2

    async def ask(**more: float) -> list[dict[str, Any]]:
        async with Client(f"{examples.url}/mcp") as client:
            answer = await client.call_tool("find_skills", {"query": query, "k": 20, **more})
            return list(answer.structured_content["hits"])

    for ask_by in (
        lambda **more: examples.post("/search", {"query": query, "k": 20, **more}).value["hits"],
        lambda **more: asyncio.run(ask(**more)),
    ):
        told = {hit["id"]: (hit.get("confidence", expected[hit["id"]][0]), hit.get("weak", False)) for hit in ask_by()}
        assert told == {id_: expected[id_] for id_ in told}
        assert len(told) >= K
        strong = {hit["id"] for hit in ask_by(min_confidence=0.5)}
        assert strong == {id_ for id_, (_, weak) in told.items() if not weak}


def test_by_the_command_line(query: str, expected: Scores, tmp_path: Path) -> None:
    """`search --json`, in a process of its own."""
    environment = {"HUB_INDEX_CACHE": str(model_cache()), "AXON_HOME": str(tmp_path)}
    printed = hub_index("search", query, "--json", *STDIO[4:], env=environment)
    assert scores_of(json.loads(printed.out)["hits"]) == expected
