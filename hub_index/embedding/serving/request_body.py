"""Reads a request from its socket: whole within a time limit and a size limit, or refused.

http.server's own time limit starts again with every byte, so a client could hold a thread for ever.
"""

import io
import socket
import time
from contextlib import suppress
from email.message import Message

from hub_index.embedding.serving.openai_format import RequestRefused
from hub_index.limits import MAX_SERVED_BODY_BYTES

_DRAIN_BYTES = 64 * 1024 * 1024
_DRAIN_S = 2.0


class DeadlineReader(io.RawIOBase):
    """Reads a socket up to a deadline; after it every read raises TimeoutError."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._end_s = time.monotonic()

    def allow(self, seconds: float) -> None:
        """Sets the deadline for the next request."""
        self._end_s = time.monotonic() + seconds

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "bytearray | memoryview") -> int:  # type: ignore[override]
        """As io.RawIOBase says. Raises TimeoutError."""
        left_s = self._end_s - time.monotonic()
        if left_s <= 0:
            raise TimeoutError("the request did not arrive in time")
        self._connection.settimeout(left_s)
        return self._connection.recv_into(buffer)


def read_body(headers: "Message[str, str]", source: io.BufferedIOBase) -> bytes:
    """The request's JSON, not parsed. Raises RequestRefused, TimeoutError."""
    content_type = headers.get("Content-Type")
    # a web page's form can send other types without asking first, but not JSON
    if content_type is not None and content_type.partition(";")[0].strip().lower() != "application/json":
        raise RequestRefused(415, "send the body as application/json")
    length = body_length(headers)
    body = source.read(length)
    if len(body) != length:
        raise RequestRefused(400, "the body ended before its Content-Length")
    return body


def body_length(headers: "Message[str, str]") -> int:
    """The body's length by its headers. Raises RequestRefused where it is too large, missing or contradictory."""
    if headers.get("Transfer-Encoding") is not None:
        raise RequestRefused(411, "a chunked body is not accepted; send a Content-Length")
    lengths = headers.get_all("Content-Length") or []
    if not lengths:
        raise RequestRefused(411, "send a Content-Length")
    said = lengths[0].strip()
    if len(lengths) > 1 or not (said.isascii() and said.isdigit()) or len(said) > 15:
        raise RequestRefused(400, "the Content-Length is not a number of bytes")
    if int(said) > MAX_SERVED_BODY_BYTES:
        raise RequestRefused(413, f"the body is larger than {MAX_SERVED_BODY_BYTES} bytes; send fewer texts at once")
    return int(said)


def close_gently(connection: socket.socket) -> None:
    """Lets a client that is still sending read our refusal: closing at once would reset the connection."""
    end_s = time.monotonic() + _DRAIN_S
    left = _DRAIN_BYTES
    with suppress(OSError):  # the client has closed already
        connection.shutdown(socket.SHUT_WR)
        while left > 0 and (wait_s := end_s - time.monotonic()) > 0:
            connection.settimeout(wait_s)
            taken = len(connection.recv(64 * 1024))
            if taken == 0:
                return
            left -= taken
