"""JSON-RPC over HTTP (`POST /rpc`) and over WebSocket (`/ws`), where partial results and progress come unasked."""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator, MutableMapping
from contextlib import contextmanager, suppress
from typing import Any

from hub_index.limits import MAX_SERVED_IDLE_WEBSOCKETS, MAX_SERVED_QUESTION_BYTES
from hub_index.serve.http.answer import Answer, encode_json
from hub_index.serve.http.gate import ANYBODY, Gate
from hub_index.serve.http.request import HttpRequest, Receive, Send, parse_json
from hub_index.serve.http.routes import Route
from hub_index.serve.json_rpc.dispatch import Message, Notify, RpcDoor, unreadable
from hub_index.serve.json_rpc.messages import encode_error, encode_notification
from hub_index.serve.refusal import RETRY_S, RequestRefused, too_many

_TRY_AGAIN_LATER = 1013  # WebSocket's own number for it
_PROGRESS_S = 0.5  # between two messages on the progress of a folder
Progress = Callable[[], dict[str, tuple[int, int]]]


class RpcOverHttp:
    """One RPC door behind both."""

    def __init__(self, door: RpcDoor, gate: Gate, progress: Progress) -> None:
        self._door = door
        self._gate = gate
        self._progress = progress
        self._idle = IdleLimit()

    @property
    def routes(self) -> tuple[Route, ...]:
        """Where calls are sent."""
        return (Route("POST", "/rpc", self._answer),)

    async def _answer(self, request: HttpRequest) -> Answer:
        body = await request.read_body(MAX_SERVED_QUESTION_BYTES)
        answer = await self._answer_text(request, body)
        return Answer(status=204) if answer is None else Answer(encode_json(answer))

    async def serve_websocket(self, request: HttpRequest, receive: Receive, send: Send) -> None:
        """Answers message after message until the client leaves. Raises RequestRefused instead of accepting."""
        with self._idle.wait(request):
            await receive()
            await send({"type": "websocket.accept"})

        async def notify(message: Message) -> None:
            await send({"type": "websocket.send", "text": encode_json(message).decode()})

        watching = asyncio.create_task(self._watch(notify))
        try:
            while (message := await self._receive(request, receive))["type"] == "websocket.receive":
                answer = await self._answer_message(request, message.get("text") or message.get("bytes") or "", notify)
                if answer is not None:
                    await send({"type": "websocket.send", "text": encode_json(answer).decode()})
        except OSError:  # the client left while it was being answered
            pass
        except RequestRefused as refused:
            await send({"type": "websocket.close", "code": _TRY_AGAIN_LATER, "reason": str(refused)})
        finally:
            watching.cancel()
            with suppress(asyncio.CancelledError, OSError):
                await watching

    async def _receive(self, request: HttpRequest, receive: Receive) -> MutableMapping[str, Any]:
        with self._idle.wait(request):
            return await receive()

    async def _answer_message(
        self, request: HttpRequest, text: str | bytes, notify: Notify
    ) -> Message | list[Message] | None:
        try:
            self._gate.check_request(request)  # a token that was revoked closes this door, too
            self._gate.check_rate(request)
        except RequestRefused as refused:
            return encode_error(None, refused)
        return await self._answer_text(request, text, notify)

    async def _answer_text(
        self, request: HttpRequest, text: str | bytes, notify: Notify | None = None
    ) -> Message | list[Message] | None:
        try:
            value = parse_json(text)
        except RequestRefused:
            return unreadable()
        return await self._door.answer(value, notify, lambda: self._gate.check_rate(request))

    async def _watch(self, notify: Notify) -> None:
        """Says how far folders are that are being embedded, as long as some are."""
        reported: dict[str, tuple[int, int]] = {}
        while True:
            progress = self._progress()
            ended = {hub: (total, total) for hub, (_, total) in reported.items() if hub not in progress}
            for hub, (done, total) in (ended | progress).items():
                if reported.get(hub) != (done, total):
                    params: dict[str, object] = {"hub": hub, "done": done, "total": total}
                    await notify(encode_notification("index.progress", params))
            reported = progress
            await asyncio.sleep(_PROGRESS_S)


class IdleLimit:
    """The idle WebSockets of one server; an owner is a token's name, or an address without tokens."""

    def __init__(self) -> None:
        self._idle: Counter[str] = Counter()

    @contextmanager
    def wait(self, request: HttpRequest) -> Iterator[None]:
        """The time in which a WebSocket is idle. Raises RequestRefused (429) where its owner has too many."""
        owner = request.address if request.caller == ANYBODY else request.caller
        if self._idle[owner] >= MAX_SERVED_IDLE_WEBSOCKETS:
            raise too_many(f"{MAX_SERVED_IDLE_WEBSOCKETS} of your WebSockets are idle", RETRY_S)
        self._idle[owner] += 1
        try:
            yield
        finally:
            self._idle[owner] -= 1
            if not self._idle[owner]:
                del self._idle[owner]
