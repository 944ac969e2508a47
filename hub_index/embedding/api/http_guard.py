"""The rules for every request to a provider, with any SDK.

The key goes to one host, over TLS (plain http only to loopback, or if the user has allowed it); redirects are refused;
an answer is read up to a cap and a deadline; the meaning of a status is decided here, once; and a server's text is
shown only after the key has been removed from it.
"""

import ipaddress
import re
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from urllib.parse import urlsplit

from hub_index.base.characters import short_line
from hub_index.embedding.api.retries import TransientError
from hub_index.errors import ConfigError, ProviderBrokePromise, ProviderRefused
from hub_index.limits import MAX_ANSWER_BYTES
from hub_index.settings import ALLOW_HTTP_VARIABLE, BASE_URL_VARIABLE, KEY_VARIABLE, MAX_TOKENS_VARIABLE, MODEL_VARIABLE

MAX_DETAIL_CHARS = 300  # of the server's text in our message
_PORTS = {"http": 80, "https": 443}
_TOO_LONG = re.compile(
    r"too long|too many tokens|maximum (context|input|sequence)|context length|less than \d+ tokens", re.I
)


class InputTooLong(ProviderRefused):
    """The server says that a text is too long; `place` is its position in the batch, where the server gives it."""

    def __init__(self, message: str, place: int | None = None) -> None:
        super().__init__(message)
        self.place = place


def check_base_url(
    url: str, *, allow_http: bool, variable: str = BASE_URL_VARIABLE, key_variable: str = KEY_VARIABLE
) -> None:
    """Raises ConfigError unless the key may be sent there."""
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        raise ConfigError(f"{variable} is not an address; write one like https://host/v1") from None
    if parts.scheme not in ("http", "https") or not host or parts.query or parts.fragment:
        raise ConfigError(f"{variable} is not an address of a server; write one like https://host/v1")
    if "@" in url:  # also one in the path: a / of a password makes its other half a path
        raise ConfigError(f"{variable} must not hold a user or password; the key belongs in {key_variable}")
    if parts.scheme == "http" and not is_loopback(url) and not allow_http:
        raise ConfigError(
            f"{variable} is plain http to another machine, which would send key and texts unencrypted; "
            f"use https, or set {ALLOW_HTTP_VARIABLE}=1 in a private network"
        )


def server_place(url: str) -> str:
    """Host, port and path of a checked address in one spelling; equal only for the same server."""
    parts = urlsplit(url)
    host = (parts.hostname or "").rstrip(".")
    with suppress(ValueError):
        host = ipaddress.ip_address(host).compressed
    port = parts.port if parts.port is not None else _PORTS.get(parts.scheme)
    return f"{host}:{port}{parts.path.rstrip('/')}"


def is_loopback(url: str) -> bool:
    """Whether the address is this machine."""
    host = urlsplit(url).hostname or ""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def read_capped(chunks: Iterable[bytes], timeout_s: float) -> Iterator[bytes]:
    """The chunks, until they are too large (ProviderBrokePromise) or take too long (TransientError)."""
    end = time.monotonic() + timeout_s
    size = 0
    for chunk in chunks:
        size += len(chunk)
        if size > MAX_ANSWER_BYTES:
            raise ProviderBrokePromise(f"the answer is longer than {MAX_ANSWER_BYTES} bytes; it was not read further")
        if time.monotonic() > end:
            raise TransientError(f"the answer took longer than {timeout_s:.0f} s")
        yield chunk


def check_encoding(headers: Mapping[str, str]) -> None:
    """Raises ProviderBrokePromise for a compressed answer: we ask for none, and a small one may expand without end."""
    if headers.get("content-encoding", "identity").strip().lower() not in ("", "identity"):
        raise ProviderBrokePromise("the answer is compressed though that was not asked for; it was not read")


def check_status(status: int, headers: Mapping[str, str], body: bytes) -> None:
    """Passes 200; raises TransientError where another try may help, else ProviderRefused."""
    if status == 200:
        return
    if 200 < status < 300:
        raise ProviderBrokePromise(f"the answer's status is {status} instead of 200; nothing was stored")
    detail = short_line(body[: 4 * MAX_DETAIL_CHARS].decode("utf-8", "replace"), MAX_DETAIL_CHARS)
    if status in (408, 429) or status >= 500:
        if status == 429 and b"insufficient_quota" in body:
            raise ProviderRefused("the account has no quota left (status 429); look at the provider's billing page")
        raise TransientError(f"status {status}", headers.get("retry-after"), headers.get("retry-after-ms"))
    if 300 <= status < 400:
        raise ProviderRefused(
            f"the server redirects (status {status}), which is refused because the key would go elsewhere; "
            f"set {BASE_URL_VARIABLE} to the final address"
        )
    if status in (401, 403):
        raise ProviderRefused(f"the server refuses the key (status {status}); check {KEY_VARIABLE}")
    if status == 404:
        raise ProviderRefused(
            f"the model or the address does not exist (status 404); check {MODEL_VARIABLE} and {BASE_URL_VARIABLE}"
        )
    if status == 413 or (status in (400, 422) and _TOO_LONG.search(detail)):
        place = re.search(r"input\[(\d+)\]", detail)
        hint = f"shorten it, or set {MAX_TOKENS_VARIABLE} to what the model takes"
        raise InputTooLong(f"a text is too long for the model; {hint} ({detail})", int(place[1]) if place else None)
    raise ProviderRefused(f"the request was refused with status {status}: {detail}")


def scrub(text: str, key: str) -> str:
    """The text without the key: servers and SDKs quote what they were sent."""
    return text.replace(key, "[key]") if len(key) >= 4 else text
