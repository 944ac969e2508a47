"""The operations' arguments, as programs know them, and the way from a request's arguments to the service's answer."""

from collections.abc import Mapping
from typing import Any

from hub_index.doors.parameters import Parameter, parse_arguments
from hub_index.doors.refusal import RequestRefused
from hub_index.limits import MAX_SERVED_K
from hub_index.search.search_options import MODES
from hub_index.service.checks import TYPES
from hub_index.service.requests import FindRequest, ListRequest, ReadRequest, RelatedRequest

_HUB = Parameter("hub", "names", "Names of hubs; none: all that are open.", "hubs")
_FILTERS = (
    _HUB,
    Parameter("path", "text", "A folder, from the hub's root, that holds the skill."),
    Parameter("lang", "text", "A language, such as en or zh-CN."),
    Parameter("type", "text", "Skills, workflows or commands only.", choices=TYPES),
    Parameter("since", "text", "Changed since: 2026, 2026-01 or 2026-01-31."),
)
_BUDGET = Parameter("max_tokens", "whole", "A budget for what the answer quotes; it says what it left out.")
_CURSOR = Parameter("cursor", "text", "`next_cursor` of the answer before.")
_K = Parameter("k", "whole", f"How many hits, 1 to {MAX_SERVED_K}.")

FIND = (
    Parameter("query", "text", "Words, in any language.", is_required=True),
    _K,
    Parameter("mode", "text", "Who answers; auto is both words and meaning.", choices=MODES),
    *_FILTERS,
    Parameter("min_confidence", "number", "0 to 1; from 0.5 on a hit is not weak."),
    Parameter("min_score", "number", "Comparable within one mode and one answer."),
    _BUDGET,
    _CURSOR,
    Parameter("include_text", "flag", "Passages of the body with their line numbers."),
    Parameter("context_lines", "whole", "Lines before and after each passage."),
    Parameter("explain", "flag", "Say for each hit why it stands there."),
    Parameter("snippets", "flag", "A piece of text for each hit that shows why."),
    Parameter("fusion", "text", "How both legs are joined.", choices=("default", "rrf", "linear")),
    Parameter("alpha", "number", "Weight of the semantic leg, 0 to 1."),
    Parameter("recency", "flag", "Prefer what was updated lately."),
    Parameter("diverse", "flag", "Prefer hits that differ from each other."),
)
READ = (
    Parameter("start", "whole", "The first line, from 1."),
    Parameter("end", "whole", "The last line."),
    Parameter("heading", "text", "The section under this heading, instead of lines."),
    Parameter("context", "whole", "Lines before and after."),
    _BUDGET,
)
RELATED = (_K, _HUB, _BUDGET)
LIST = (*_FILTERS, Parameter("limit", "whole", "How many, at most 1000."), _CURSOR)
SKILL = Parameter("skill", "text", "A skill's id, hub:id, path, name or uri.", is_required=True)


def find_request(given: Mapping[str, object], *, is_text: bool = False, max_k: int = MAX_SERVED_K) -> FindRequest:
    """A search as `search --json` makes it, snippets included. Raises RequestRefused."""
    fields = {"snippets": True} | parse_arguments(FIND, given, is_text=is_text)
    _check_k(fields, max_k)
    return FindRequest(**fields)


def read_request(skill: str, given: Mapping[str, object], *, is_text: bool = False, file: str = "") -> ReadRequest:
    """What to read of a skill. Raises RequestRefused."""
    return ReadRequest(skill=skill, file=file, **parse_arguments(READ, given, is_text=is_text))


def related_request(skill: str, given: Mapping[str, object], *, is_text: bool = False) -> RelatedRequest:
    """The neighbours of a skill. Raises RequestRefused."""
    fields = parse_arguments(RELATED, given, is_text=is_text)
    _check_k(fields, MAX_SERVED_K)
    return RelatedRequest(skill=skill, **fields)


def list_request(given: Mapping[str, object], *, is_text: bool = False) -> ListRequest:
    """A page of skills. Raises RequestRefused."""
    return ListRequest(**parse_arguments(LIST, given, is_text=is_text))


def _check_k(fields: dict[str, Any], max_k: int) -> None:
    if not 1 <= fields.get("k", 1) <= max_k:
        raise RequestRefused(400, f"k must be a whole number from 1 to {max_k}", param="k")
