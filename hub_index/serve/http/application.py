"""The ASGI application: gate, route, answer. Whatever happens inside, a client gets an answer and never a traceback."""

import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack

from hub_index.errors import HubIndexError
from hub_index.serve.http.answer import Answer, StreamedAnswer, problem_answer, send_answer, send_stream
from hub_index.serve.http.gate import ANYBODY, Gate
from hub_index.serve.http.handlers.metrics import Metrics
from hub_index.serve.http.request import METHODS, HttpRequest, Message, Receive, Scope, Send
from hub_index.serve.http.routes import Route, find_route, is_openai_path
from hub_index.serve.refusal import RequestRefused

AsgiApplication = Callable[[Scope, Receive, Send], Awaitable[None]]
MountedHandler = Callable[[HttpRequest, Send], Awaitable[None]]
WebSocketHandler = Callable[[HttpRequest, Receive, Send], Awaitable[None]]
_OTHER = "(another path)"  # what a path that is not served is called in logs and metrics


class Application:
    """Routes behind a gate; `mounted` answer one path each by themselves, past the same gate."""

    def __init__(  # noqa: PLR0913 - what a server is put together from
        self,
        gate: Gate,
        routes: Sequence[Route],
        *,
        request_s: float,
        metrics: Metrics,
        log: Callable[[str], None],
        warn: Callable[[str], None],
        mounted: dict[str, MountedHandler] | None = None,
        websocket: WebSocketHandler | None = None,
        contexts: Sequence[Callable[[], AbstractAsyncContextManager[object]]] = (),
    ) -> None:
        self._gate = gate
        self._routes = tuple(routes)
        self._request_s = request_s
        self._metrics = metrics
        self._log = log
        self._warn = warn
        self._mounted = mounted or {}
        self._websocket = websocket
        self._contexts = contexts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """As ASGI says."""
        if scope["type"] == "lifespan":
            await self._live(receive, send)
            return
        request = HttpRequest(scope, receive, self._request_s)
        if scope["type"] == "websocket":
            await self._serve_websocket(request, receive, send)
        else:
            await self._serve(request, send)

    async def _live(self, receive: Receive, send: Send) -> None:
        """Opens what has to be open while the server runs."""
        async with AsyncExitStack() as stack:
            await receive()
            for context in self._contexts:
                await stack.enter_async_context(context())
            await send({"type": "lifespan.startup.complete"})
            await receive()
        await send({"type": "lifespan.shutdown.complete"})

    async def _serve(self, request: HttpRequest, send: Send) -> None:
        began_s = time.monotonic()
        sending = _Sending(send)
        label = _OTHER
        try:
            self._gate.check_request(request)
            if request.raw_path in self._mounted:
                label = request.raw_path
                self._gate.check_rate(request)
                await self._mounted[label](request, sending)
            else:
                match = find_route(self._routes, request.method, request.raw_path)
                label = match.route.template
                request.path_values = match.values
                if match.route.is_work:
                    self._gate.check_rate(request)
                await _send(request, await match.route.handler(request), sending)
        except HubIndexError as error:
            await self._refuse(request, error, sending)
        except Exception as error:
            self._warn(f"unexpected {type(error).__name__} at {label}")
            await self._refuse(request, RequestRefused(500, "an unexpected error; its kind is in the log"), sending)
        self._metrics.count(
            request.method if request.method in METHODS else "?", label, sending.status, time.monotonic() - began_s
        )
        caller = "" if request.caller in ("", ANYBODY) else f" {request.caller}"
        self._log(f"{request.method if request.method in METHODS else '?'} {label} {sending.status}{caller}")

    async def _refuse(self, request: HttpRequest, error: HubIndexError, send: "_Sending") -> None:
        if not send.status:  # else the answer has begun, and all that is left is to end the connection
            await send_answer(request, problem_answer(error, as_openai=is_openai_path(request.raw_path)), send)

    async def _serve_websocket(self, request: HttpRequest, receive: Receive, send: Send) -> None:
        async def count_accepted(message: Message) -> None:
            if message["type"] == "websocket.accept":
                self._metrics.count("GET", "/ws", 101, 0.0)
            await send(message)

        try:
            self._gate.check_request(request)
            await self._find_websocket(request)(request, receive, count_accepted)
        except RequestRefused as refused:
            answer = problem_answer(refused)
            headers = [(name.lower().encode(), text.encode()) for name, text in answer.headers]
            headers.append((b"content-type", answer.content_type.encode()))
            await receive()
            await send({"type": "websocket.http.response.start", "status": answer.status, "headers": headers})
            await send({"type": "websocket.http.response.body", "body": answer.body})
            self._metrics.count("GET", "/ws", answer.status, 0.0)

    def _find_websocket(self, request: HttpRequest) -> WebSocketHandler:
        if self._websocket is None or request.raw_path != "/ws":
            raise RequestRefused(404, "no WebSocket is served here; /ws is")
        return self._websocket


class _Sending:
    """ASGI's send, which remembers the status that went out."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.status = 0

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
        await self._send(message)


async def _send(request: HttpRequest, answer: Answer | StreamedAnswer, send: Send) -> None:
    if isinstance(answer, StreamedAnswer):
        await send_stream(answer, send)
    else:
        await send_answer(request, answer, send)
