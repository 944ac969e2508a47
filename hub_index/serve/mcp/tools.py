"""The tools as agents see them: names, descriptions and schemas, short, since every session pays for them."""

from typing import Any

from mcp.types import Tool, ToolAnnotations

from hub_index.hub.record_file import TYPES
from hub_index.limits import MAX_AGENT_K, MAX_TOKEN_BUDGET
from hub_index.search.options import MODES, RULES
from hub_index.serve.parameters import Parameter
from hub_index.traces.events import OUTCOMES

MIN_TOKENS = 200  # of an answer, as text or as structure: less holds no hit with its words around it
_BUDGET = Parameter("max_tokens", "whole", "budget of the answer", low=MIN_TOKENS, high=MAX_TOKEN_BUDGET)
_K = Parameter("k", "whole", "default 5", low=1, high=MAX_AGENT_K)
_URI = Parameter("uri", "text", "uri or id of a hit", "skill", is_required=True)

FIND = (
    Parameter("query", "text", "the task, any language", is_required=True),
    _K,
    Parameter("mode", "text", "", choices=MODES),
    Parameter("hub", "text", ""),
    Parameter("path", "text", "folder that holds it"),
    Parameter("lang", "text", "such as en, zh"),
    Parameter("type", "text", "", choices=TYPES),
    Parameter("min_confidence", "number", "below 0.5 is weak", low=0, high=1),
    *[Parameter(rule.name, rule.kind, "", choices=rule.choices) for rule in RULES if rule.for_agents],
    _BUDGET,
    Parameter("cursor", "text", "next_cursor of an answer"),
)
READ = (
    _URI,
    Parameter("start", "whole", "first line", low=1),
    Parameter("end", "whole", "last line", low=1),
    Parameter("heading", "text", "only this section"),
    Parameter("file", "text", "a file beside the skill"),
    _BUDGET,
)
RELATED = (_URI, _K)
REPORT = (
    Parameter("search_id", "text", "of find_skills", is_required=True),
    Parameter("uri", "text", "", is_required=True),
    Parameter("outcome", "text", "", choices=OUTCOMES, is_required=True),
)
PARAMETERS = {"find_skills": FIND, "read_skill": READ, "related_skills": RELATED, "report_use": REPORT}

_TEXT: dict[str, Any] = {"type": "string"}
_NONE: dict[str, Any] = {"type": "null"}  # beside another type by `anyOf`: not every client reads a list of types
_MAYBE: dict[str, Any] = {"anyOf": [_TEXT, _NONE]}
_LINE: dict[str, Any] = {"type": "integer"}
_NOTES: dict[str, Any] = {"type": "array", "items": _TEXT}
_HIT = {
    "type": "object",
    "properties": dict.fromkeys(("uri", "id", "hub", "name", "description", "why"), _TEXT)
    | {"score": {"type": "number"}, "weak": {"type": "boolean"}, "also_like": _NOTES},
    "required": ["uri", "id", "name", "description", "score", "why"],
}
_FOUND = {
    "type": "object",
    "properties": {
        "verdict": {"enum": ["strong", "weak", "none"]},
        "mode": _TEXT,
        "fallback_reason": _MAYBE,
        "hubs_digest": _TEXT,
        "hits": {"type": "array", "items": _HIT},
        "omitted": _NOTES,
        "next_cursor": _MAYBE,
        "search_id": _TEXT,
        "did_you_mean": _TEXT,
        "notices": _NOTES,
    },
    "required": ["verdict", "mode", "fallback_reason", "hubs_digest", "hits", "omitted", "next_cursor"],
}
_READ = {
    "type": "object",
    "properties": dict.fromkeys(("uri", "id", "name", "file", "text"), _TEXT)
    | dict.fromkeys(("start", "end", "total_lines", "next_end"), _LINE)
    | {"next_start": {"anyOf": [_LINE, _NONE]}, "headings": _NOTES, "files": _NOTES, "notices": _NOTES},
    "required": ["uri", "id", "text", "start", "end", "total_lines", "next_start"],
}
_REPORTED = {"type": "object", "properties": {"recorded": {"type": "boolean"}}, "required": ["recorded"]}
_ABOUT = {
    "find_skills": (
        "Find skills (instructions for agents) by words or meaning. Look here before a task that others may "
        "have written down.",
        _FOUND,
    ),
    "read_skill": ("Read a skill, a section or lines of it, or a file beside it.", _READ),
    "related_skills": ("Skills like this one.", _FOUND),
    "report_use": ("Say whether a found skill helped.", _REPORTED),
}


def list_tools(*, has_traces: bool) -> list[Tool]:
    """The served tools; `has_traces` adds the report of uses."""
    return [_make_tool(name) for name in PARAMETERS if has_traces or name != "report_use"]


def _make_tool(name: str) -> Tool:
    about, output = _ABOUT[name]
    is_reading = name != "report_use"
    return Tool(
        name=name,
        description=about,
        input_schema=_input_schema(PARAMETERS[name]),
        output_schema=output,
        annotations=ToolAnnotations(
            read_only_hint=is_reading, destructive_hint=False, idempotent_hint=True, open_world_hint=False
        ),
    )


def _input_schema(parameters: tuple[Parameter, ...]) -> dict[str, Any]:
    properties = {}
    for parameter in parameters:
        schema = parameter.schema()
        if not parameter.about:
            del schema["description"]
        properties[parameter.name] = schema
    required = [parameter.name for parameter in parameters if parameter.is_required]
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
