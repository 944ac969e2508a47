"""The shared part of both clients: the requests, the address, the token, the time limit, and an answer's bytes → a
value.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar
from urllib.parse import quote

from hub_index.base.shown_address import is_well_formed, shown_address
from hub_index.client.answers import broken_answer, decode_problem
from hub_index.embedding.api.http_guard import is_loopback
from hub_index.errors import ConfigError, SourceError
from hub_index.limits import MAX_ANSWER_BYTES

_Value = TypeVar("_Value")


@dataclass(frozen=True, slots=True)
class Question:
    """A request: its method, path, parameters and body."""

    method: str
    path: str
    query: dict[str, str] = field(default_factory=dict)
    body: dict[str, Any] | None = None


def ask_search(query: str, k: int, mode: str, options: dict[str, Any]) -> Question:
    """A search; options that are None are left to the server."""
    snippets = {"snippets": False}  # as `open_index` has it; `search --json` shows them
    given = {name: list(value) if isinstance(value, tuple) else value for name, value in options.items()}
    body = {"query": query, "k": k, "mode": mode, **snippets, **_without_none(given)}
    return Question("POST", "/search", body=body)


def ask_related(skill: str, k: int) -> Question:
    """The skills like one."""
    return Question("GET", f"{_path_of(skill)}/related", {"k": str(k)})


def ask_read(skill: str, file: str, options: dict[str, Any]) -> Question:
    """A skill's text, or a file's beside it."""
    path = f"{_path_of(skill)}/files/{quote(file, safe='/')}" if file else _path_of(skill)
    return Question("GET", path, _texts(options))


def ask_list(hubs: Sequence[str], options: dict[str, Any]) -> Question:
    """A page of skills."""
    return Question("GET", "/skills", _texts(options | {"hub": ",".join(hubs) or None}))


def ask_status() -> Question:
    """A question for the state of the hubs."""
    return Question("GET", "/status")


def ask_use(search_id: str, skill: str, outcome: str) -> Question:
    """A report of a skill's outcome."""
    return Question("POST", "/uses", body={"search_id": search_id, "skill": skill, "outcome": outcome})


def _path_of(skill: str) -> str:
    return f"/skills/{quote(skill, safe='')}"


def _texts(options: dict[str, Any]) -> dict[str, str]:
    return {name: str(value) for name, value in _without_none(options).items() if value != ""}


def _without_none(options: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in options.items() if value is not None}


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
