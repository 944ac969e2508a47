"""The shapes of answers, as JSON Schema, that OpenAPI's document names."""

from typing import Any

from hub_index.doors.json_rpc.methods import METHODS

_TEXT: dict[str, Any] = {"type": "string"}
_MAYBE: dict[str, Any] = {"type": ["string", "null"]}
_WHOLE: dict[str, Any] = {"type": "integer"}
_MAYBE_WHOLE: dict[str, Any] = {"type": ["integer", "null"]}
_TEXTS: dict[str, Any] = {"type": "array", "items": _TEXT}


def _shape(required: dict[str, Any], optional: dict[str, Any] | None = None) -> dict[str, Any]:
    return {"type": "object", "properties": required | (optional or {}), "required": list(required)}


def _texts(*names: str) -> dict[str, Any]:
    return dict.fromkeys(names, _TEXT)


_SPAN = _texts("hub", "id", "uri", "path", "file", "text") | {
    "start": _WHOLE,
    "end": _WHOLE,
    "total_lines": _WHOLE,
    "next_start": _MAYBE_WHOLE,
    "notices": _TEXTS,
}
_HEADING = _shape({"level": _WHOLE, "text": _TEXT, "start": _WHOLE, "end": _WHOLE})
_FILE = _shape({"path": _TEXT, "size": _WHOLE, "sha256": _TEXT})
_ENTRY = _shape(
    _texts("hub", "id", "uri", "type", "name", "path", "file", "description")
    | {"lang": _MAYBE, "updated_at": _MAYBE, "keywords": _TEXTS}
)
_HUB = _shape(
    {"name": _TEXT, "state": _TEXT, "skills": _WHOLE, "unindexed": _WHOLE, "embedded": _WHOLE, "to_embed": _WHOLE}
    | dict.fromkeys(("folder", "index_dir", "reason", "model_id", "hub_revision", "created_at"), _MAYBE)
)
_ID: dict[str, Any] = {"type": ["string", "number", "null"]}
_CALL = _shape(
    {"jsonrpc": {"const": "2.0"}, "method": {"enum": list(METHODS)}}, {"id": _ID, "params": {"type": "object"}}
)
_ERROR = _shape({"code": _WHOLE, "message": _TEXT, "data": _shape({"version": _WHOLE})})
_ANSWER = _shape({"jsonrpc": {"const": "2.0"}, "id": _ID}, {"result": _shape({"version": _WHOLE}), "error": _ERROR})

SCHEMAS: dict[str, Any] = {
    "Anything": {"type": "object"},
    "Health": _shape({"status": {"const": "ok"}}),
    "Problem": _shape(
        _texts("type", "title", "detail", "error") | {"status": _WHOLE, "exit_code": _WHOLE},
        {"candidates": _TEXTS},  # of SkillAmbiguous: the ids to choose from
    ),
    "OpenAiError": _shape({"error": _shape({"message": _TEXT, "type": _TEXT})}),
    "EmbeddingsRequest": _shape(
        {"model": _TEXT, "input": {"anyOf": [_TEXT, _TEXTS]}},
        {"encoding_format": {"enum": ["float", "base64"]}, "dimensions": _WHOLE},
    ),
    "Span": _shape(_SPAN),
    "SkillText": _shape(
        _SPAN
        | _texts("name", "description")
        | {
            "headings": {"type": "array", "items": _HEADING},
            "files": {"type": "array", "items": _FILE},
        }
    ),
    "SkillList": _shape(
        {"total": _WHOLE, "next_cursor": _MAYBE, "notices": _TEXTS, "skills": {"type": "array", "items": _ENTRY}}
    ),
    "Status": _shape(_texts("version", "hubs_digest") | {"notices": _TEXTS, "hubs": {"type": "array", "items": _HUB}}),
    "Recorded": _shape({"recorded": {"const": True}}),
    "RpcCall": {"anyOf": [_CALL, {"type": "array", "items": _CALL, "minItems": 1}]},
    "RpcAnswer": {"anyOf": [_ANSWER, {"type": "array", "items": _ANSWER}]},
}
