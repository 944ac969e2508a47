"""The MCP server on streamable HTTP, without sessions: no request depends on another, as in MCP since 2026."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings

from hub_index.limits import MAX_SERVED_QUESTION_BYTES
from hub_index.serve.http.application import MountedHandler
from hub_index.serve.http.request import HttpRequest, Message, Receive, Send
from hub_index.serve.mcp.mcp_server import McpDoor
from hub_index.serve.refusal import RequestRefused
from hub_index.serve.work_queue import WorkQueue
from hub_index.service.service import Service


@dataclass(frozen=True, slots=True)
class MountedMcp:
    """The handler of one path, and what must be open while it is served."""

    handle: MountedHandler
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

    async def handle(request: HttpRequest, send: Send) -> None:
        if request.method != "POST":  # a stream that only waits would keep a connection for ever
            raise RequestRefused(405, "use POST here", allow="POST")
        body = await request.read_body(MAX_SERVED_QUESTION_BYTES)
        await manager.handle_request(request.scope, _replay(body, request.receive), send)

    return MountedMcp(handle, manager.run)


def _replay(body: bytes, receive: Receive) -> Receive:
    """A receive that gives a body that has been read within its limits, and then what comes after it."""
    waiting: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replayed() -> Message:
        return waiting.pop() if waiting else await receive()

    return replayed
