"""The requests to the service, frozen; their checks in one line: types, caps and contradictions; and the time limit of
an operation, whose end another thread may bring. Fields may come from a stranger.
"""

import time

from hub_index.errors import AnswerStopped, ConfigError
from hub_index.frozen import FrozenValue
from hub_index.hub.record_file import TYPES
from hub_index.limits import (
    MAX_CONTEXT_LINES,
    MAX_CURSOR_CHARS,
    MAX_FILTER_CHARS,
    MAX_LISTED_SKILLS,
    MAX_OPEN_HUBS,
    MAX_REFERENCE_CHARS,
    MAX_REQUEST_TEXT_CHARS,
    MAX_SKILL_LINES,
    MAX_TOKEN_BUDGET,
    MIN_READ_BUDGET,
    MIN_TOKEN_BUDGET,
)
from hub_index.search.options import (
    DEFAULT_K,
    SearchOptions,
    check_choice,
    check_count,
    check_number,
    check_options,
    check_whole,
)
from hub_index.search.query.filters import explain_value, normalize_value


class FindRequest(SearchOptions):
    """A search of the open hubs. Filters are empty where they let everything through."""

    hubs: tuple[str, ...] = ()  # names of hubs; none: all that are open
    path: str = ""  # a folder, from the hub's root, that must hold the skill
    lang: str = ""  # en, zh, zh-CN
    type: str = ""  # skill, workflow, command or agent
    since: str = ""  # 2026, 2026-01 or 2026-01-31
    min_confidence: float | None = None  # 0 to 1; from 0.5 on a hit is not weak
    max_tokens: int | None = None  # of what the answer quotes; None: no budget
    cursor: str = ""  # `next_cursor` of the answer before
    include_text: bool = False  # passages of the body with their line numbers
    context_lines: int = 0  # lines before and after each passage
    is_printed: bool = False  # as lines, which show neither cursor nor digest: none of them is made
    is_preview: bool = False  # the answer itself comes after it: neither recorded nor reranked


class ReadRequest(FrozenValue):
    """A skill's text, or a file's beside it: whole, some of its lines, or a heading's section."""

    skill: str  # hub:id, id, path, name, or a skill:// uri
    start: int | None = None  # the first line, from 1
    end: int | None = None  # the last line; where the text is shorter, its last
    heading: str = ""  # the section under it, its own line first; not with start and end
    file: str = ""  # a file beside SKILL.md, from the skill's folder
    context: int = 0  # lines before and after
    max_tokens: int | None = None


class RelatedRequest(FrozenValue):
    """The skills nearest to one skill."""

    skill: str
    k: int = DEFAULT_K
    hubs: tuple[str, ...] = ()
    max_tokens: int | None = None


class ListRequest(FrozenValue):
    """Skills by hub and id, a page at a time."""

    hubs: tuple[str, ...] = ()
    path: str = ""
    lang: str = ""
    type: str = ""
    since: str = ""
    limit: int = 100
    cursor: str = ""


def check_find(request: "FindRequest") -> None:
    """Raises ConfigError if a search cannot be asked for so."""
    check_text("query", request.query, MAX_REQUEST_TEXT_CHARS)
    if not request.query.strip():
        raise ConfigError('the query is empty; say what you are looking for, such as "make slides"')
    check_options(request)
    _check_filters(request)
    check_number("min_confidence", request.min_confidence, 0.0, 1.0)
    check_whole("context_lines", request.context_lines, 0, MAX_CONTEXT_LINES)
    check_budget(request.max_tokens)


def check_read(request: "ReadRequest") -> None:
    """Raises ConfigError if nothing can be read so."""
    check_text("skill", request.skill, MAX_REFERENCE_CHARS)
    check_text("heading", request.heading, MAX_FILTER_CHARS)
    check_text("file", request.file, MAX_REFERENCE_CHARS)
    for name in ("start", "end"):
        if getattr(request, name) is not None:
            check_whole(name, getattr(request, name), 1, MAX_SKILL_LINES)
    if request.start is not None and request.end is not None and request.end < request.start:
        raise ConfigError("end is the last line to read and must not come before start")
    if request.heading and not (request.start is None and request.end is None):
        raise ConfigError("name a heading, or lines by start and end, not both")
    check_whole("context", request.context, 0, MAX_CONTEXT_LINES)
    check_budget(request.max_tokens, MIN_READ_BUDGET)


def check_related(request: "RelatedRequest") -> None:
    """Raises ConfigError if neighbours cannot be asked for so."""
    check_text("skill", request.skill, MAX_REFERENCE_CHARS)
    check_count(request.k)
    _check_hubs(request.hubs)
    check_budget(request.max_tokens)


def check_list(request: "ListRequest") -> None:
    """Raises ConfigError if skills cannot be listed so."""
    _check_filters(request)
    check_whole("limit", request.limit, 1, MAX_LISTED_SKILLS)


def check_text(name: str, value: object, max_chars: int) -> None:
    """Raises ConfigError for anything but a text of at most `max_chars` characters."""
    if not isinstance(value, str):
        raise ConfigError(f"{name} must be a text")
    if len(value) > max_chars:
        raise ConfigError(f"{name} is longer than {max_chars} characters; shorten it")


def _check_filters(request: "FindRequest | ListRequest") -> None:
    _check_hubs(request.hubs)
    check_text("path", request.path, MAX_REFERENCE_CHARS)
    if request.type:
        check_choice("type", request.type, TYPES)
    for name, field in (("lang", request.lang), ("since", request.since)):
        check_text(name, field, MAX_FILTER_CHARS)
        if field and not normalize_value(name, field):
            raise ConfigError(explain_value(name, field).partition(";")[0])
    check_text("cursor", request.cursor, MAX_CURSOR_CHARS)


def _check_hubs(names: object) -> None:
    if not isinstance(names, tuple) or len(names) > MAX_OPEN_HUBS:
        raise ConfigError(f"hubs must be at most {MAX_OPEN_HUBS} names")
    for name in names:
        check_text("a hub's name", name, MAX_FILTER_CHARS)


def check_budget(max_tokens: object, low: int = MIN_TOKEN_BUDGET) -> None:
    """Raises ConfigError for a token budget that is none; None is no budget and fine."""
    if max_tokens is not None:
        check_whole("max_tokens", max_tokens, low, MAX_TOKEN_BUDGET)


class Deadline:
    """A moment by which an answer must be there; without seconds only `cancel` ends the work."""

    def __init__(self, seconds: float | None = None) -> None:
        self._seconds = seconds
        self._end_s: float | None = None
        self._is_cancelled = False
        if seconds is not None:
            self._end_s = time.monotonic() + seconds

    def cancel(self) -> None:
        """Ends the work at its next step; may be called from any thread."""
        self._is_cancelled = True

    def check(self) -> None:
        """Raises AnswerStopped if the answer was cancelled or is late."""
        if self._is_cancelled:
            raise AnswerStopped("the answer was cancelled: the client is gone")
        if self._end_s is None:
            return
        if time.monotonic() >= self._end_s:
            raise AnswerStopped(f"no answer within {self._seconds:g} s; ask again, for less, or by keyword alone")
