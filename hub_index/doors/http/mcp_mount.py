"""The MCP server on streamable HTTP, without sessions: every request stands alone, as MCP has it since 2026."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings

from hub_index.doors.http.application import AsgiApplication
from hub_index.doors.http.request import Message, Receive, Scope, Send
from hub_index.doors.mcp.server import McpDoor
from hub_index.doors.refusal import RequestRefused
from hub_index.doors.work_queue import WorkQueue
from hub_index.limits import MAX_SERVED_QUESTION_BYTES
from hub_index.service.service import Service


@dataclass(frozen=True, slots=True)
class MountedMcp:
    """The application for one path, and what must be open while it is served."""

    application: AsgiApplication
    context: Callable[[], AbstractAsyncContextManager[object]]


def mount_mcp(service: Service, queue: WorkQueue, answer_s: float) -> MountedMcp:
    """The server behind our own gate, which has checked host, origin and token."""
    manager = StreamableHTTPSessionManager(
        McpDoor(service, queue, answer_s).make_server(),
        json_response=True,
        stateless=True,
        security_settings=TransportSecuritySettings(enable_dns_rebinding_protection=False),
        max_request_body_size=MAX_SERVED_QUESTION_BYTES,
    )

    async def application(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] != "POST":  # a stream that only waits would keep a connection for ever
            raise RequestRefused(405, "use POST here", allow="POST")
        await manager.handle_request(scope, _timed(receive, answer_s), send)

    return MountedMcp(application, manager.run)


def _timed(receive: Receive, seconds: float) -> Receive:
    """A receive that gives up on a client that sends its body too slowly."""
    import asyncio
    import time

    end_s = time.monotonic() + seconds
    is_whole = False

    async def timed() -> Message:
        nonlocal is_whole
        if is_whole:
            return await receive()
        try:
            async with asyncio.timeout(max(0.0, end_s - time.monotonic())):
                message = await receive()
        except TimeoutError as error:
            raise RequestRefused(408, "the request did not arrive in time") from error
        is_whole = not message.get("more_body")
        return message

    return timed
