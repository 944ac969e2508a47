"""The answers of the server: one with its bytes, one in pieces, or a refusal as a problem (RFC 9457)."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass
from http import HTTPStatus

from hub_index.base.characters import clean_line, escape_hidden
from hub_index.errors import HubIndexError
from hub_index.serve.http.openai_format import encode_refusal
from hub_index.serve.http.request import HttpRequest, Send
from hub_index.serve.refusal import RETRY_S, RequestRefused, candidates_of, status_of

_DRAIN_BYTES = 64 * 1024 * 1024
_DRAIN_S = 2.0
PROBLEM_TYPE = "application/problem+json"


@dataclass(frozen=True, slots=True)
class Answer:
    """A status, a body and what to say about it."""

    body: bytes = b""
    status: int = 200
    content_type: str = "application/json"
    headers: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class StreamedAnswer:
    """A body that comes in pieces."""

    pieces: AsyncIterator[bytes]
    content_type: str


def json_answer(value: object, headers: tuple[tuple[str, str], ...] = ()) -> Answer:
    """The value as JSON in UTF-8."""
    return Answer(encode_json(value), headers=headers)


def encode_json(value: object) -> bytes:
    """JSON in UTF-8, hidden characters as escapes."""
    return escape_hidden(json.dumps(value, ensure_ascii=False)).encode("utf-8", "replace")


def encode_problem(error: HubIndexError) -> dict[str, object]:
    """The problem's members: `error` is the name in the tree of hub_index/errors.py, `exit_code` its exit code."""
    status = status_of(error)
    name = type(error).__name__
    return {
        "type": f"urn:hub-index:problem:{name}",
        "title": _phrase(status),
        "status": status,
        "detail": clean_line(str(error)),
        "error": name,
        "exit_code": error.exit_code,
        **candidates_of(error),
    }


def problem_answer(error: HubIndexError, *, as_openai: bool = False) -> Answer:
    """The refusal, in the form that the path's clients read."""
    status = status_of(error)
    headers: tuple[tuple[str, str], ...] = ()
    retry_s = error.retry_s if isinstance(error, RequestRefused) else (RETRY_S if status == 503 else None)
    if retry_s is not None:
        headers += (("Retry-After", str(retry_s)),)
    if isinstance(error, RequestRefused) and error.allow:
        headers += (("Allow", error.allow),)
    if status == 401:
        headers += (("WWW-Authenticate", "Bearer"),)
    if as_openai:
        refused = error if isinstance(error, RequestRefused) else RequestRefused(500, f"the model failed: {error}")
        return Answer(encode_refusal(refused), refused.status, headers=headers)
    return Answer(json.dumps(encode_problem(error)).encode(), status, PROBLEM_TYPE, headers)


async def send_answer(request: HttpRequest, answer: Answer, send: Send) -> None:
    """Sends it; where the request's body was not read, the client may go on sending while it reads the answer."""
    is_unread = answer.status >= 400 and request.has_body
    extra = (("Connection", "close"),) if is_unread else ()
    await _send_head(answer.status, answer.content_type, (*answer.headers, *extra), send, len(answer.body))
    await send({"type": "http.response.body", "body": answer.body, "more_body": is_unread})
    if is_unread:
        await _drain(request)
        await send({"type": "http.response.body", "body": b"", "more_body": False})


async def send_stream(answer: StreamedAnswer, send: Send) -> None:
    """Sends the pieces as they come."""
    await _send_head(200, answer.content_type, (("Cache-Control", "no-store"),), send)
    async for piece in answer.pieces:
        await send({"type": "http.response.body", "body": piece, "more_body": True})
    await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _send_head(
    status: int, content_type: str, headers: tuple[tuple[str, str], ...], send: Send, length: int | None = None
) -> None:
    all_headers = [("Content-Type", content_type), ("X-Content-Type-Options", "nosniff"), *headers]
    if status in (204, 304):
        all_headers = list(headers)
    elif length is not None:
        all_headers.append(("Content-Length", str(length)))
    encoded = [(name.lower().encode(), text.encode("latin-1")) for name, text in all_headers]
    await send({"type": "http.response.start", "status": status, "headers": encoded})


async def _drain(request: HttpRequest) -> None:
    """Reads what the client is still sending, for a while: closing at once would reset the connection."""
    left = _DRAIN_BYTES
    with suppress(TimeoutError):
        async with asyncio.timeout(_DRAIN_S):
            while left > 0:
                message = await request.receive()
                left -= len(message.get("body", b""))
                if message["type"] == "http.disconnect" or not message.get("more_body"):
                    return


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return "Error"
