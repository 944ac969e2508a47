"""JSON-RPC 2.0 over HTTP and WebSocket: methods, items, batches, notifications, versions and every error."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from support.servers.serving_world import ServingWorld, serving
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect

from hub_index.limits import MAX_SERVED_BATCH, MAX_SERVED_QUESTION_BYTES
from hub_index.serve.json_rpc.messages import INVALID_REQUEST, RpcError, parse_call
from hub_index.service.service import Service


def call(world: ServingWorld, method: str, **params: Any) -> Any:
    """The answer to one call."""
    reply = world.post("/rpc", {"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
    assert reply.status == 200
    return reply.value


@pytest.fixture
def socket(odd: ServingWorld) -> Iterator[ClientConnection]:
    connection = connect(f"ws://127.0.0.1:{odd.port}/ws")
    with connection:
        yield connection


@pytest.mark.parametrize(
    ("method", "kind"), [("search.lexical", "lex"), ("search.semantic", "sem"), ("search.hybrid", "fused")]
)
def test_items_have_the_fields_that_clients_expect(odd: ServingWorld, method: str, kind: str) -> None:
    """Path, lines, preview, text, score and kind; filters in their words."""
    filters = {"pathPrefix": "skills/ann", "language": "en", "type": "skill", "since": "2020"}
    result = call(odd, method, query="database", k=3, includeText=True, contextLines=1, filters=filters)["result"]
    assert result["version"] == 1
    (item,) = result["items"]
    assert {"path", "start", "end", "preview", "text", "score", "kind"} <= item.keys()
    assert (item["path"], item["kind"], item["id"]) == ("skills/ann/db/SKILL.md", kind, "ann/db")


def test_spans_status_and_the_other_operations(odd: ServingWorld) -> None:
    """The path of an item is what content.getSpan takes."""
    span = call(odd, "content.getSpan", path="skills/ann/db/SKILL.md", hub="odd", start=2, end=2, context=1)["result"]
    assert (span["start"], span["end"], span["text"].splitlines()[1]) == (1, 3, "name: db")
    assert call(odd, "index.status")["result"]["hubs"][0]["name"] == "odd"
    assert call(odd, "skills.read", skill="ann/db", heading="Two")["result"]["text"] == "# Two\nsecond line"
    assert call(odd, "skills.related", skill="ann/db", k=1)["result"]["hits"]
    assert call(odd, "skills.list", type="workflow")["result"]["total"] == 1


def test_a_version_may_stand_beside_the_method_too(odd: ServingWorld) -> None:
    """Another one is refused there as it is among the parameters, which win."""
    asked = {"jsonrpc": "2.0", "id": 1, "method": "index.status"}
    assert odd.post("/rpc", asked | {"version": 2}).value["error"]["data"]["supported"] == [1]
    assert odd.post("/rpc", asked | {"version": 1}).value["result"]["version"] == 1
    assert "result" in odd.post("/rpc", asked | {"version": 2, "params": {"version": 1}}).value


@pytest.mark.parametrize("wrong", [True, [1], {}])
def test_an_id_is_a_text_a_number_or_null(wrong: object) -> None:
    """Anything else is no call, and not taken for a notification."""
    with pytest.raises(RpcError, match="id must be") as caught:
        parse_call({"jsonrpc": "2.0", "id": wrong, "method": "index.status"})
    assert caught.value.code == INVALID_REQUEST


def test_batches_and_notifications(odd: ServingWorld) -> None:
    """Answers in the order of the calls, none for notifications, 204 where there is nothing to answer."""
    one = {"jsonrpc": "2.0", "id": "a", "method": "index.status"}
    silent = {"jsonrpc": "2.0", "method": "index.status"}
    answers = odd.post("/rpc", [one, silent, 7, one | {"id": 2}]).value
    assert [answer["id"] for answer in answers] == ["a", None, 2]
    assert answers[1]["error"]["code"] == -32600
    assert odd.post("/rpc", silent).status == odd.post("/rpc", [silent, silent]).status == 204
    for batch in ([], [silent] * (MAX_SERVED_BATCH + 1)):
        assert odd.post("/rpc", batch).value["error"]["code"] == -32600


@pytest.mark.parametrize(
    ("method", "params", "code", "name"),
    [
        ("canary", {}, -32601, None),
        ("search.hybrid", {}, -32602, "RequestRefused"),
        ("search.hybrid", {"query": 7}, -32602, "RequestRefused"),
        ("search.hybrid", {"query": "a", "k": 0}, -32602, "RequestRefused"),
        ("search.hybrid", {"query": "a", "canary": 1}, -32602, "RequestRefused"),
        ("search.hybrid", {"query": "a", "filters": []}, None, None),
        ("search.hybrid", {"query": "a", "filters": [1]}, -32602, "RequestRefused"),
        ("search.hybrid", {"query": "a", "filters": {"canary": 1}}, -32602, "RequestRefused"),
        ("search.hybrid", {"query": "a", "contextLines": 1000}, -32602, "ConfigError"),
        ("content.getSpan", {"path": "canary"}, -32602, "SkillUnknown"),
        ("content.getSpan", {"path": "ann/db", "start": 3, "end": 2}, -32602, "ConfigError"),
        ("skills.read", {}, -32602, "RequestRefused"),
        ("index.status", {"version": 2}, -32002, None),
        ("index.status", {"version": True}, -32002, None),
        ("index.status", {"version": 1}, None, None),
    ],
)
def test_each_error_has_its_code_and_our_name_for_it(
    odd: ServingWorld, method: str, params: dict[str, Any], code: int | None, name: str | None
) -> None:
    """A version in every answer; a client that asks for another one learns which there are."""
    answer = call(odd, method, **params)
    if code is None:
        assert answer["result"]["version"] == 1
        return
    error = answer["error"]
    assert (error["code"], error["data"].get("error"), error["data"]["version"]) == (code, name, 1)
    if code == -32002:
        assert error["data"]["supported"] == [1]


@pytest.mark.parametrize("body", [b"", b"{", b"\xff", b"[" * 5_000, b'{"a": Infinity}'])
def test_what_is_not_json_is_a_parse_error(odd: ServingWorld, body: bytes) -> None:
    """In JSON-RPC's own form."""
    answer = odd.ask("POST", "/rpc", body, Content_Type="application/json").value
    assert (answer["id"], answer["error"]["code"]) == (None, -32700)


def test_a_socket_answers_call_after_call(socket: ClientConnection) -> None:
    """Mistakes do not end it; text and binary frames are both read."""
    for sent, code in (("{", -32700), ("[]", -32600), ("7", -32600), (b'{"jsonrpc": "2.0"}', -32600)):
        socket.send(sent)
        assert json.loads(socket.recv(10))["error"]["code"] == code
    socket.send(json.dumps({"jsonrpc": "2.0", "method": "index.status"}))  # a notification: no answer
    socket.send(json.dumps({"jsonrpc": "2.0", "id": 5, "method": "index.status"}))
    assert json.loads(socket.recv(10))["id"] == 5


def test_a_message_over_the_cap_ends_the_socket(odd: ServingWorld) -> None:
    """With the code for it, and the server goes on."""
    with connect(f"ws://127.0.0.1:{odd.port}/ws", max_size=None) as socket:
        socket.send("x" * (MAX_SERVED_QUESTION_BYTES + 1))
        with pytest.raises(ConnectionClosed) as caught:
            socket.recv(10)
    assert caught.value.rcvd is not None
    assert caught.value.rcvd.code == 1009
    assert odd.ask("GET", "/healthz").status == 200


@pytest.mark.parametrize(
    ("path", "headers", "status"),
    [("/ws", {"Origin": "https://evil.example"}, 403), ("/search", {}, 404), ("/ws", {"Host": "evil.example"}, 400)],
)
def test_a_page_of_another_site_gets_no_socket(
    odd: ServingWorld, path: str, headers: dict[str, str], status: int
) -> None:
    """The same gate as for requests; a second Host header is not HTTP."""
    with pytest.raises(InvalidStatus) as caught:
        connect(f"ws://127.0.0.1:{odd.port}{path}", additional_headers=headers)
    assert caught.value.response.status_code == status


def test_whoever_is_connected_learns_how_far_a_folder_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each step once, and the end, also where the last step was never seen."""
    import asyncio

    from hub_index.serve.http.handlers import rpc

    monkeypatch.setattr(rpc, "_PROGRESS_S", 0.001)
    steps = [{}, {"mine": (1, 9)}, {"mine": (1, 9)}, {"mine": (5, 9)}, {}]
    told: list[Any] = []

    async def notify(message: Any) -> None:
        told.append(
            (message["method"], message["params"]["hub"], message["params"]["done"], message["params"]["total"])
        )

    async def watch() -> None:
        door: Any = None
        watching = rpc.RpcOverHttp(door, door, lambda: steps.pop(0) if len(steps) > 1 else steps[0])
        task = asyncio.create_task(watching._watch(notify))
        while len(told) < 3:
            await asyncio.sleep(0.005)
        task.cancel()

    asyncio.run(asyncio.wait_for(watch(), 10))
    assert told == [("index.progress", "mine", done, 9) for done in (1, 5, 9)]


def test_every_call_of_a_batch_counts_for_the_rate(odd_service: Service) -> None:
    """A batch is not a way around it: what is too much is refused by itself, over HTTP and WebSocket alike."""
    batch = [{"jsonrpc": "2.0", "id": number, "method": "index.status"} for number in range(20)]
    with serving(service=odd_service, requests_per_s=3) as world:
        answers = world.post("/rpc", batch).value
    assert [answer["id"] for answer in answers] == list(range(20))
    refused = [answer["error"] for answer in answers if "error" in answer]
    assert 10 <= len(refused) <= 17
    assert refused[0]["data"]["status"] == 429


def test_an_id_that_json_cannot_write_is_refused(odd: ServingWorld) -> None:
    """1e999 is read as infinity, which no answer could repeat."""
    reply = odd.ask("POST", "/rpc", b'{"jsonrpc": "2.0", "id": 1e999, "method": "index.status"}')
    assert b"Infinity" not in reply.body
    assert (reply.value["id"], reply.value["error"]["code"]) == (None, -32600)
