"""The shared part of both clients: the address, the token, the time limit, and an answer's bytes → a value."""

import json
from collections.abc import Callable
from typing import Any, TypeVar

from hub_index.base.shown_address import is_well_formed, shown_address
from hub_index.client.answers import broken_answer, decode_problem
from hub_index.client.questions import Question
from hub_index.embedding.api.http_guard import is_loopback
from hub_index.errors import ConfigError, SourceError
from hub_index.limits import MAX_ANSWER_BYTES

_Value = TypeVar("_Value")


def options_of(url: str, token: str, timeout_s: float, *, allow_http: bool) -> dict[str, Any]:
    """The options of httpx's client. Raises ConfigError."""
    if not url.startswith(("http://", "https://")) or not is_well_formed(url):
        raise ConfigError(f"{shown_address(url)!a} is not the address of a server; write one like https://host:11435")
    if token and not url.startswith("https://") and not (allow_http or is_loopback(url)):
        raise ConfigError(
            "plain http to another machine would send the token unencrypted; "
            "use https, or allow_http=True in a private network"
        )
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    return {"base_url": url.rstrip("/"), "headers": headers, "timeout": timeout_s, "follow_redirects": False}


def check_open(*, is_closed: bool) -> None:
    """Raises ConfigError if the client was closed: httpx's own error is of no tree of ours."""
    if is_closed:
        raise ConfigError("this client is closed; make a new one, or ask before it is closed")


def arguments_of(question: Question) -> dict[str, Any]:
    """The arguments of httpx's request."""
    return {"method": question.method, "url": question.path, "params": question.query or None, "json": question.body}


def decode_answer(status: int, content: bytes, decode: Callable[[dict[str, Any]], _Value]) -> _Value:
    """The value in an answer. Raises the error that the server met, SourceError for what is no answer of ours."""
    if len(content) > MAX_ANSWER_BYTES:
        raise broken_answer()
    try:
        value = json.loads(content)
    except (ValueError, RecursionError):
        value = None
    if status != 200:
        raise decode_problem(status, value)
    try:
        return decode(value)
    except (KeyError, TypeError, AttributeError, IndexError) as error:
        raise broken_answer() from error


def unreachable(error: Exception) -> SourceError:
    """The error for a server that does not answer; the address may hold a secret and is not named."""
    return SourceError(f"the server cannot be reached ({type(error).__name__}); is `hub-index serve` running there?")
