"""Odd lines on stdin: each call is answered, by its id where there is one, and the server goes on."""

import asyncio
import json
import os
import subprocess
from collections.abc import Iterator
from subprocess import PIPE
from typing import Any

import anyio
import pytest
from mcp.shared.message import SessionMessage
from support.models.model_copy import model_cache
from support.servers.doors_world import STDIO

from hub_index.serve.mcp.stdio import AnswerStream

PARSE_ERROR, INVALID_REQUEST, INVALID_PARAMS = -32700, -32600, -32602
HALF = "\\ud800"
START = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}


class Server:
    """A `hub-index mcp` that is written to and read from line by line."""

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        self._process = process

    def ask(self, line: bytes) -> dict[str, Any]:
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(line + b"\n")
        self._process.stdin.flush()
        answer: dict[str, Any] = json.loads(self._process.stdout.readline())
        return answer

    def call(self, tool: str, arguments: str, call_id: str = "1") -> dict[str, Any]:
        params = f'{{"name": "{tool}", "arguments": {arguments}}}'
        return self.ask(f'{{"jsonrpc": "2.0", "id": {call_id}, "method": "tools/call", "params": {params}}}'.encode())


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One server for all lines: each of them must leave it serving."""
    home = tmp_path_factory.mktemp("home")
    environment = dict(os.environ) | {"HUB_INDEX_CACHE": str(model_cache()), "AXON_HOME": str(home)}
    with subprocess.Popen(STDIO, stdin=PIPE, stdout=PIPE, stderr=PIPE, env=environment) as process:
        opened = Server(process)
        opened.ask(json.dumps({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": START}).encode())
        yield opened
        assert process.stdin
        assert process.stderr
        process.stdin.close()
        assert (process.stderr.read(), process.wait(60)) == (b"", 0)


@pytest.mark.parametrize(
    ("line", "call_id", "code"),
    [
        (f'{{"jsonrpc": "2.0", "id": 7, "method": "ping", "params": {{"a": "{HALF}"}}}}', 7, PARSE_ERROR),
        (f'{{"jsonrpc": "2.0", "id": "{HALF}", "method": "ping"}}', None, PARSE_ERROR),
        (f'{{"jsonrpc": "2.0", "id": 7, "method": "{HALF}"}}', 7, PARSE_ERROR),
        ('{"jsonrpc": "2.0", "id": 7, "method": "ping", "params": {"a": "\0"}}', 7, PARSE_ERROR),
        (f'{{"jsonrpc": "2.0", "id": 7, "method": "ping", "params": {{"a": {"9" * 5000}}}}}', 7, PARSE_ERROR),
        (f'{{"jsonrpc": "2.0", "id": {"9" * 5000}, "method": "ping"}}', None, PARSE_ERROR),
        ('{"jsonrpc": "2.0", "id": 1.5, "method": "ping"}', None, INVALID_REQUEST),
        ('{"jsonrpc": "2.0", "id": null, "method": "ping"}', None, INVALID_REQUEST),
        ('{"jsonrpc": "2.0", "id": true, "method": "ping"}', None, INVALID_REQUEST),
        ('{"jsonrpc": "2.0", "id": 7, "method": 8}', 7, INVALID_REQUEST),
        ('{"jsonrpc": "2.0", "id": 7, "method": "ping", "params": []}', 7, INVALID_REQUEST),
        ('{"id": 7, "method": "ping"}', 7, INVALID_REQUEST),
        ("{}", None, INVALID_REQUEST),
        ("[]", None, INVALID_REQUEST),
        ("nonsense", None, PARSE_ERROR),
        ("[" * 100_000, None, PARSE_ERROR),
    ],
)
def test_a_line_that_cannot_be_read_is_answered(server: Server, line: str, call_id: object, code: int) -> None:
    """With the call's id where it has one that can be repeated."""
    answer = server.ask(line.encode())
    assert (answer["id"], answer["error"]["code"]) == (call_id, code)
    assert server.ask(b'{"jsonrpc": "2.0", "id": 8, "method": "ping"}')["id"] == 8


@pytest.mark.parametrize(
    "value", ['"\\u0000"', '"\\ud83d\\ude00"', "1e999", "NaN", "9" * 400, '"' + "a" * 10_000_000 + '"']
)
@pytest.mark.parametrize("name", ["query", "k", "min_confidence"])
def test_odd_values_are_answered(server: Server, name: str, value: str) -> None:
    """NUL, numbers without end and ten megabytes in a line: a result or a mistake that is explained."""
    given = {"query": '"slides"', "mode": '"keyword"', name: value}
    arguments = "{" + ", ".join(f'"{key}": {text}' for key, text in given.items()) + "}"
    answer = server.call("find_skills", arguments, call_id=f'"{name}"')
    assert answer["id"] == name
    assert answer["result"]["content"][0]["text"]


def test_bytes_that_are_not_utf8_are_answered(server: Server) -> None:
    """In a value they are signs like any others."""
    line = b'{"jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": {"name": "\xff\xfe"}}'
    assert server.ask(line)["error"]["code"] == INVALID_PARAMS


def test_a_cancelled_call_is_not_waited_for() -> None:
    """The SDK leaves it without an answer: a program that cancels and closes the pipe would wait five seconds."""

    async def wait() -> None:
        writing, reading = anyio.create_memory_object_stream[SessionMessage](1)
        reading.close()
        answers = AnswerStream(writing)
        answers.expect('{"jsonrpc": "2.0", "id": "a", "method": "tools/list"}')
        for params in ("[]", '{"requestId": []}', '{"requestId": "a"}'):
            answers.expect(f'{{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {params}}}')
        await asyncio.wait_for(answers.wait_for_answers(), 1)
        await writing.aclose()

    asyncio.run(wait())


def test_nobody_waits_for_an_answer_to_these(server: Server) -> None:
    """Blank lines, notifications and answers to what was never asked."""
    silent = [b"", b"  ", b'{"jsonrpc": "2.0", "method": 7}', b'{"jsonrpc": "2.0", "id": 99, "result": {}}']
    assert server.ask(b"\n".join([*silent, b'{"jsonrpc": "2.0", "id": 10, "method": "ping"}']))["id"] == 10
