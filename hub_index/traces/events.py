"""A trace: a search with the skills it showed, and their outcomes. Frozen values, no I/O."""

from hub_index.frozen import FrozenValue
from hub_index.search.results import QueryVector

OUTCOMES = ("accept", "reject", "use")  # what a person or a program can report
ACCEPTED = ("accept", "use")
KINDS = ("query", "open", *OUTCOMES, "return")


def id_in_hub(search_id: str, hub: str) -> str:
    """The id of a search of several hubs in the traces of one hub."""
    return f"{search_id}-{hub}"


def asked_id(search_id: str, hub: str) -> str:
    """The id that the user was given, the same for the traces of all hubs that have answered."""
    return search_id.removesuffix(f"-{hub}")


class ShownSkill(FrozenValue):
    """One hit of an answer."""

    skill: str
    score: float
    place: int = 1  # in the whole answer, from 1


class SearchTrace(FrozenValue):
    """One answered search: the user's words, the shown skills, the hub and its revision."""

    search_id: str
    at: float  # seconds since 1970
    hub: str  # a digest of the hub's place, never a path
    revision: str
    query: str
    words: tuple[str, ...]
    mode: str
    filters: dict[str, object]
    shown: tuple[ShownSkill, ...]
    vector: QueryVector | None = None
    session: str = ""


class UsedSkill(FrozenValue):
    """A skill of a hub, which is named by its identity."""

    hub: str
    skill: str


class Event(FrozenValue):
    """An event with a skill after a search; `search_id` is empty if no search led to it."""

    kind: str
    skill: str
    at: float
    hub: str
    search_id: str = ""
    session: str = ""
