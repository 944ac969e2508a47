"""The part of SARIF 2.1.0 that `hub-index check` writes, as a JSON Schema.

Written from the standard's text, since no installed package carries the official schema. Like that one it allows no
property that it does not name; unlike it, it names only the properties that we write.
"""

from typing import Any

_LEVEL = {"enum": ["none", "note", "warning", "error"]}


def _object(required: tuple[str, ...], **properties: Any) -> dict[str, Any]:
    return {"type": "object", "required": list(required), "properties": properties, "additionalProperties": False}


_MESSAGE = _object(("text",), text={"type": "string"})
_ARTIFACT = _object((), uri={"type": "string", "format": "uri-reference"}, uriBaseId={"type": "string"})
_REGION = _object((), startLine={"type": "integer", "minimum": 1})
_LOCATION = _object((), physicalLocation=_object((), artifactLocation=_ARTIFACT, region=_REGION))
_RESULT = _object(
    ("message",),
    ruleId={"type": "string"},
    ruleIndex={"type": "integer", "minimum": -1},
    level=_LEVEL,
    message=_MESSAGE,
    locations={"type": "array", "items": _LOCATION},
)
_RULES = {"type": "array", "uniqueItems": True, "items": _object(("id",), id={"type": "string"})}
_DRIVER = _object(("name",), name={"type": "string"}, version={"type": "string"}, rules=_RULES)
_NOTIFICATIONS = {"type": "array", "items": _object(("message",), level=_LEVEL, message=_MESSAGE)}
_INVOCATION = _object(
    ("executionSuccessful",), executionSuccessful={"type": "boolean"}, toolExecutionNotifications=_NOTIFICATIONS
)
_RUN = _object(
    ("tool",),
    tool=_object(("driver",), driver=_DRIVER),
    invocations={"type": "array", "items": _INVOCATION},
    results={"type": "array", "items": _RESULT},
)
SARIF_SCHEMA: dict[str, Any] = _object(
    ("version", "runs"),
    **{"$schema": {"type": "string", "format": "uri"}},
    version={"const": "2.1.0"},
    runs={"type": "array", "items": _RUN},
)
