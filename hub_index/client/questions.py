"""The requests of the client: one function for each operation, the same for both clients. No I/O."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote


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
