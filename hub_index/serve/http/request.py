"""A request as handlers see it: its parts checked, its body whole within a size and a time, or refused."""

import asyncio
import json
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any
from urllib.parse import parse_qsl

from hub_index.limits import MAX_SERVED_HEADER_BYTES, MAX_SERVED_HEADERS, MAX_SERVED_TARGET_BYTES
from hub_index.serve.refusal import RequestRefused

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

_MAX_QUERY_FIELDS = 32
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


class HttpRequest:
    """One request; `path_values` come from its route and path, `caller` is the token's owner."""

    def __init__(self, scope: Scope, receive: Receive, request_s: float) -> None:
        self.method: str = scope.get("method", "GET")
        self.raw_path: str = scope["raw_path"].decode("latin-1")
        self.scope = scope
        self.receive = receive
        self.caller = ""
        self.path_values: dict[str, str] = {}
        self.is_read = False
        self._request_s = request_s
        self._headers: list[tuple[bytes, bytes]] = scope["headers"]

    @property
    def address(self) -> str:
        """The client's address, without its port; empty if unknown."""
        return str((self.scope.get("client") or ("",))[0])

    def header(self, name: str) -> str | None:
        """The header's text; None if it is missing. Raises RequestRefused if it is there twice."""
        values = [text for key, text in self._headers if key == name.encode()]
        if len(values) > 1:
            raise RequestRefused(400, f"there is more than one {name.title()} header")
        return values[0].decode("latin-1") if values else None

    def check_form(self) -> None:
        """Raises RequestRefused for what no route could answer."""
        if self.scope.get("http_version") not in ("1.0", "1.1", "2"):
            raise RequestRefused(505, "this version of HTTP is not spoken here; use 1.1")
        if len(self.raw_path) + len(self.scope["query_string"]) > MAX_SERVED_TARGET_BYTES:
            raise RequestRefused(414, f"the address is longer than {MAX_SERVED_TARGET_BYTES} bytes; send it by POST")
        sizes = [len(key) + len(text) for key, text in self._headers]
        if len(sizes) > MAX_SERVED_HEADERS or sum(sizes) > MAX_SERVED_HEADER_BYTES:
            raise RequestRefused(
                431, f"the headers are more than {MAX_SERVED_HEADERS} or {MAX_SERVED_HEADER_BYTES} bytes"
            )
        if self.scope["type"] == "http" and self.method not in METHODS:
            raise RequestRefused(501, "this method is not known here")

    def query(self) -> dict[str, str]:
        """The fields after the question mark. Raises RequestRefused if one is there twice or is not UTF-8."""
        try:
            fields = parse_qsl(
                self.scope["query_string"].decode("ascii"),
                keep_blank_values=True,
                errors="strict",
                max_num_fields=_MAX_QUERY_FIELDS,
            )
        except ValueError as error:  # UnicodeError is one
            raise RequestRefused(400, "the query string is not made of a few name=value fields in UTF-8") from error
        query = dict(fields)
        if len(query) != len(fields):
            raise RequestRefused(400, "a field of the query string is given twice")
        return query

    @property
    def has_body(self) -> bool:
        """Whether a body was announced and has not been read."""
        return not self.is_read and (
            self.header("transfer-encoding") is not None or (self.header("content-length") or "0").strip() != "0"
        )

    async def read_body(self, max_bytes: int) -> bytes:
        """The request's JSON, not parsed. Raises RequestRefused."""
        self._check_body_form()
        length = self._body_length(max_bytes)
        body = bytearray()
        try:
            async with asyncio.timeout(self._request_s):
                while len(body) < length:
                    message = await self.receive()
                    if message["type"] == "http.disconnect":
                        raise RequestRefused(400, "the body ended before its Content-Length")
                    body += message.get("body", b"")
                    if not message.get("more_body"):
                        break
        except TimeoutError as error:
            raise RequestRefused(408, "the request did not arrive in time") from error
        if len(body) != length:
            raise RequestRefused(400, "the body ended before its Content-Length")
        self.is_read = True
        return bytes(body)

    async def read_json(self, max_bytes: int) -> Any:
        """The JSON value in the body. Raises RequestRefused."""
        return parse_json(await self.read_body(max_bytes))

    def _check_body_form(self) -> None:
        """Raises RequestRefused if the body is announced as anything but plain JSON."""
        content_type = self.header("content-type")
        # a web page's form can send other types without asking first, but not JSON
        if content_type is not None and content_type.partition(";")[0].strip().lower() != "application/json":
            raise RequestRefused(415, "send the body as application/json")
        if (self.header("content-encoding") or "identity").strip().lower() != "identity":
            raise RequestRefused(415, "send the body as it is, without a Content-Encoding")

    def _body_length(self, max_bytes: int) -> int:
        """The body's length by its headers. Raises RequestRefused if it is too large, missing or contradictory."""
        if self.header("transfer-encoding") is not None:
            raise RequestRefused(411, "a chunked body is not accepted; send a Content-Length")
        length = self.header("content-length")
        if length is None:
            raise RequestRefused(411, "send a Content-Length")
        length = length.strip()
        if not (length.isascii() and length.isdigit()) or len(length) > 15:
            raise RequestRefused(400, "the Content-Length is not a number of bytes")
        if int(length) > max_bytes:
            raise RequestRefused(413, f"the body is larger than {max_bytes} bytes; send less at once")
        return int(length)


def parse_json(body: bytes | str) -> Any:
    """The value. Raises RequestRefused."""
    try:
        text = body if isinstance(body, str) else body.decode("utf-8")
        return json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:  # not UTF-8, not JSON, absurd numbers, absurd nesting
        raise RequestRefused(400, "the body is not JSON in UTF-8") from error


def _refuse_constant(_text: str) -> None:
    raise ValueError("NaN and Infinity are not JSON")
