"""The operations' arguments for programs, and the way from a request's arguments to the service's answer."""

from collections.abc import Mapping
from dataclasses import replace

from hub_index.hub.record_file import TYPES
from hub_index.limits import (
    MAX_CONTEXT_LINES,
    MAX_CURSOR_CHARS,
    MAX_FILTER_CHARS,
    MAX_LISTED_SKILLS,
    MAX_REFERENCE_CHARS,
    MAX_REQUEST_TEXT_CHARS,
    MAX_SERVED_K,
    MAX_SKILL_LINES,
    MAX_TOKEN_BUDGET,
    MIN_READ_BUDGET,
    MIN_TOKEN_BUDGET,
)
from hub_index.search.options import DEFAULT_K, MODES, RULES
from hub_index.serve.parameters import Parameter, option_parameter, parse_arguments
from hub_index.service.requests import FindRequest, ListRequest, ReadRequest, RelatedRequest
from hub_index.service.service import Service
from hub_index.traces.events import OUTCOMES

_HUB = Parameter("hub", "names", "Names of hubs; none: all that are open.", "hubs")
_FILTERS = (
    _HUB,
    Parameter("path", "text", "A folder, from the hub's root, that holds the skill.", high=MAX_REFERENCE_CHARS),
    Parameter("lang", "text", "A language, such as en or zh-CN.", high=MAX_FILTER_CHARS),
    Parameter("type", "text", "Skills, workflows, commands or agents only.", choices=TYPES),
    Parameter("since", "text", "Changed since: 2026, 2026-01 or 2026-01-31.", high=MAX_FILTER_CHARS),
)
_BUDGET = Parameter(
    "max_tokens",
    "whole",
    "A budget for what the answer quotes; it says what it left out.",
    low=MIN_TOKEN_BUDGET,
    high=MAX_TOKEN_BUDGET,
)
_CURSOR = Parameter("cursor", "text", "`next_cursor` of the answer before.", high=MAX_CURSOR_CHARS)
_K = Parameter("k", "whole", "How many hits.", low=1, high=MAX_SERVED_K)

FIND = (
    Parameter("query", "text", "Words, in any language.", is_required=True, high=MAX_REQUEST_TEXT_CHARS),
    _K,
    Parameter("mode", "text", "How to search; auto is both words and meaning.", choices=MODES),
    *_FILTERS,
    Parameter("min_confidence", "number", "From 0.5 on a hit is not weak.", low=0, high=1),
    *map(option_parameter, RULES),
    _BUDGET,
    _CURSOR,
    Parameter("include_text", "flag", "Passages of the body with their line numbers."),
    Parameter("context_lines", "whole", "Lines before and after each passage.", low=0, high=MAX_CONTEXT_LINES),
)
FIND_IN_ADDRESS = (replace(FIND[0], name="q", field="query"), *FIND[1:])
READ = (
    Parameter("start", "whole", "The first line, from 1.", low=1, high=MAX_SKILL_LINES),
    Parameter("end", "whole", "The last line.", low=1, high=MAX_SKILL_LINES),
    Parameter("heading", "text", "The section under this heading, instead of lines.", high=MAX_FILTER_CHARS),
    Parameter("context", "whole", "Lines before and after.", low=0, high=MAX_CONTEXT_LINES),
    replace(_BUDGET, low=MIN_READ_BUDGET),
)
RELATED = (_K, _HUB, _BUDGET)
LIST = (*_FILTERS, Parameter("limit", "whole", "How many.", low=1, high=MAX_LISTED_SKILLS), _CURSOR)
SKILL = Parameter(
    "skill", "text", "A skill's id, hub:id, path, name or uri.", is_required=True, high=MAX_REFERENCE_CHARS
)
USE = (
    Parameter("search_id", "text", "`search_id` of the search that has shown the skill.", is_required=True),
    SKILL,
    Parameter("outcome", "text", "Whether the skill was useful.", choices=OUTCOMES, is_required=True),
)

CORPORA = {"keyword": "lex", "semantic": "sem", "hybrid": "fused"}  # what answered, in the words of JSON-RPC's clients


def find_request(given: Mapping[str, object], *, is_text: bool = False, default_k: int = DEFAULT_K) -> FindRequest:
    """A search as `search --json` makes it, snippets included. Raises RequestRefused.

    Arguments that are texts come from an address, where the query is called `q`.
    """
    open_fields = {"snippets": True, "k": min(default_k, MAX_SERVED_K)}
    parameters = FIND_IN_ADDRESS if is_text else FIND
    return FindRequest(**open_fields | parse_arguments(parameters, given, is_text=is_text))


def read_request(skill: str, given: Mapping[str, object], *, is_text: bool = False, file: str = "") -> ReadRequest:
    """The ReadRequest for a skill. Raises RequestRefused."""
    return ReadRequest(skill=skill, file=file, **parse_arguments(READ, given, is_text=is_text))


def related_request(skill: str, given: Mapping[str, object], *, is_text: bool = False) -> RelatedRequest:
    """The neighbours of a skill. Raises RequestRefused."""
    return RelatedRequest(skill=skill, **parse_arguments(RELATED, given, is_text=is_text))


def list_request(given: Mapping[str, object], *, is_text: bool = False) -> ListRequest:
    """A page of skills. Raises RequestRefused."""
    return ListRequest(**parse_arguments(LIST, given, is_text=is_text))


def report_use(service: Service, given: Mapping[str, object]) -> dict[str, object]:
    """Records the outcome of a skill. Raises RequestRefused, and as `Service.report_use` does."""
    service.report_use(**parse_arguments(USE, given))
    return {"recorded": True}


def plan_steps(request: FindRequest) -> tuple[FindRequest, ...]:
    """The searches to make, in order; the last one is the answer."""
    if request.mode in ("keyword", "semantic") or request.cursor:
        return (request,)
    return request.replace(mode="keyword", snippets=False, explain=False, is_preview=True), request
