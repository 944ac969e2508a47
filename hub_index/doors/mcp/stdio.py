"""The MCP server on stdin and stdout, as an agent's program starts it; it ends when that program closes the pipe."""

import asyncio
import sys
from contextlib import suppress
from typing import Any

from hub_index.doors.work_queue import WorkQueue
from hub_index.errors import HubIndexError
from hub_index.limits import SERVED_REQUEST_S
from hub_index.service.requests import FindRequest
from hub_index.service.service import Service

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sys import UnraisableHookArgs


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
    from mcp.server.stdio import stdio_server

    from hub_index.doors.mcp.message_lines import MessageLines
    from hub_index.doors.mcp.server import McpDoor

    server = McpDoor(service, queue, SERVED_REQUEST_S).make_server()
    lines: Any = MessageLines()
    async with stdio_server(stdin=lines) as (reading, writing):
        lines.writing = writing  # before anything is awaited, and so before the first line is read
        await server.run(reading, writing, server.create_initialization_options())
    await warming


def _warm(service: Service) -> None:
    """Opens the index and the model, so that an agent's first question does not wait for them."""
    with suppress(HubIndexError):  # the first question says what is wrong
        Service(service.hubs).find(FindRequest("skill", k=1))  # by itself: this search is not recorded
