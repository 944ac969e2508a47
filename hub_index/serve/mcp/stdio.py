"""The MCP server on stdin and stdout, as an agent's program starts it; it ends when that program closes the pipe."""

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator
from contextlib import suppress
from io import TextIOWrapper
from typing import Any

import anyio
from mcp.server.stdio import stdio_server
from mcp.shared._stream_protocols import WriteStream
from mcp.shared.message import SessionMessage
from mcp.types import INVALID_REQUEST, PARSE_ERROR, ErrorData, JSONRPCError, jsonrpc_message_adapter
from pydantic import ValidationError

from hub_index.errors import HubIndexError
from hub_index.limits import SERVED_REQUEST_S
from hub_index.serve.work_queue import WorkQueue
from hub_index.service.requests import FindRequest
from hub_index.service.service import Service

TYPE_CHECKING = False

if TYPE_CHECKING:
    from sys import UnraisableHookArgs
    from types import TracebackType

_LAST_ANSWERS_S = 5.0  # for what is still being answered when stdin ends
_MAX_DIGITS = 4_000  # of a number; Python refuses a text of more than 4,300
_NOT_READ = "this line is not a message that can be read: not JSON, half of a character, a NUL or an endless number"
_NO_CALL = (
    'a call is {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {}}; an id is a text or whole number'
)


def run_stdio(service: Service) -> None:
    """Serves one client until it leaves."""
    queue = WorkQueue("search")
    sys.unraisablehook = _say_unless_nobody_listens
    try:
        asyncio.run(_serve(service, queue))
    except* BrokenPipeError:
        pass  # the client left while it was being answered
    finally:
        queue.close()


def _say_unless_nobody_listens(unraisable: "UnraisableHookArgs") -> None:
    """From 3.13 on Python also reports a buffer whose last bytes find no reader when it is thrown away."""
    if not isinstance(unraisable.exc_value, BrokenPipeError):
        sys.__unraisablehook__(unraisable)


async def _serve(service: Service, queue: WorkQueue) -> None:
    warming = asyncio.ensure_future(queue.run(lambda: _warm(service)))  # while the SDK is imported

    from hub_index.serve.mcp.mcp_server import McpDoor

    server = McpDoor(service, queue, SERVED_REQUEST_S).make_server()
    lines: Any = MessageLines()
    async with stdio_server(stdin=lines) as (reading, writing):
        lines.writing = AnswerStream(writing)  # before anything is awaited, and so before the first line is read
        await server.run(reading, lines.writing, server.create_initialization_options())
    await warming


def _warm(service: Service) -> None:
    """Opens the index and the model, so that an agent's first question does not wait for them."""
    with suppress(HubIndexError):  # the first question says what is wrong
        Service(service.hubs).find(FindRequest("skill", k=1))  # by itself: this search is not recorded


class AnswerStream:
    """The messages to stdout, and the calls that wait for one."""

    def __init__(self, writing: WriteStream[SessionMessage]) -> None:
        self._writing = writing
        self._open_calls: set[object] = set()
        self._changed = asyncio.Event()

    def expect(self, line: str) -> None:
        """Notes the id of a call, and forgets that of a cancelled one: the SDK does not answer it."""
        message = _parse(line)
        if "method" in message and "id" in message:
            self._open_calls.add(message["id"])
        elif message.get("method") == "notifications/cancelled":
            self._open_calls.discard(_cancelled_id(message.get("params")))

    async def send(self, item: SessionMessage, /) -> None:
        """Passes a message on; an answer closes its call."""
        await self._writing.send(item)
        self._open_calls.discard(getattr(item.message, "id", None))
        self._changed.set()

    async def wait_for_answers(self) -> None:
        """Returns when every call has its answer, at the latest after some seconds."""
        with anyio.move_on_after(_LAST_ANSWERS_S):
            while self._open_calls:
                self._changed.clear()
                await self._changed.wait()

    async def aclose(self) -> None:
        """Ends the messages."""
        await self._writing.aclose()

    async def __aenter__(self) -> "AnswerStream":
        await self._writing.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: "TracebackType | None"
    ) -> bool | None:
        return await self._writing.__aexit__(kind, error, trace)


class MessageLines:
    """stdin by lines; `writing` is where the errors go, and must be set before the first line is read."""

    writing: AnswerStream

    async def __aiter__(self) -> AsyncIterator[str]:
        async for line in anyio.wrap_file(_take_stdin()):
            error = explain_line(line)
            if error is not None:
                await self.writing.send(SessionMessage(error))
            elif line.strip():
                self.writing.expect(line)
                yield line
        await self.writing.wait_for_answers()


def explain_line(line: str) -> JSONRPCError | None:
    """The answer to a line that the SDK would not answer; None for a valid message, and if none is expected."""
    if not line.strip():
        return None
    try:
        value = _parse(line)
    except (ValueError, RecursionError):
        return _refuse(None, PARSE_ERROR, _NOT_READ)
    if not isinstance(value, dict) or "id" not in value:
        return None if isinstance(value, dict) and "method" in value else _refuse(None, INVALID_REQUEST, _NO_CALL)
    if "method" not in value and ("result" in value or "error" in value):
        return None
    try:
        jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValidationError as error:
        is_json = error.errors(include_url=False, include_input=False)[0]["type"] != "json_invalid"
        return _refuse(value["id"], *((INVALID_REQUEST, _NO_CALL) if is_json else (PARSE_ERROR, _NOT_READ)))
    return None if _is_id(value["id"]) else _refuse(None, INVALID_REQUEST, _NO_CALL)


def _refuse(call_id: object, code: int, message: str) -> JSONRPCError:
    error = ErrorData(code=code, message=message)
    return JSONRPCError(jsonrpc="2.0", id=call_id if _is_id(call_id) else None, error=error)  # type: ignore[arg-type]


def _is_id(value: object) -> bool:
    """Whether it is an id that an answer can repeat."""
    if isinstance(value, str):
        return not any("\ud800" <= char <= "\udfff" for char in value)
    return isinstance(value, int) and not isinstance(value, bool)


def _cancelled_id(params: object) -> object:
    call_id = params.get("requestId") if isinstance(params, dict) else None
    return call_id if _is_id(call_id) else None


def _parse(line: str) -> Any:
    return json.loads(line, strict=False, parse_int=_parse_whole)


def _parse_whole(digits: str) -> int | float:
    return int(digits) if len(digits) <= _MAX_DIGITS else float(digits)


def _take_stdin() -> TextIOWrapper:
    """stdin as UTF-8 under another number: a program that this one starts must not read an agent's calls."""
    own: Any = os.fdopen(os.dup(0), "rb", closefd=False)  # a thread may still wait for a line when the server ends
    empty = os.open(os.devnull, os.O_RDONLY)
    os.dup2(empty, 0)
    os.close(empty)
    return TextIOWrapper(own, encoding="utf-8", errors="replace")
