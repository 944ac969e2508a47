"""`GET /openapi.json`: what this server answers, in OpenAPI 3.1, from the tables that requests are parsed by."""

import json
from collections.abc import Iterable, Sequence
from importlib.resources import files
from typing import Any

from hub_index import __version__
from hub_index.serve.json_rpc.methods import METHODS
from hub_index.serve.operations import FIND, FIND_IN_ADDRESS, LIST, READ, RELATED, SKILL, USE
from hub_index.serve.parameters import Parameter

_ID = Parameter("id", "text", "A skill's id, hub:id or name, percent-encoded as one segment.", is_required=True)
_FILE = Parameter("path", "text", "A file beside the skill, from the skill's folder.", is_required=True)
_MODEL = Parameter("model", "text", "A model's name.", is_required=True)
_STREAM = Parameter("stream", "text", "Partial results, words first.", choices=("sse", "ndjson"))
_ETAG = {"name": "If-None-Match", "in": "header", "schema": {"type": "string"}}

_TEXT: dict[str, Any] = {"type": "string"}
_MAYBE: dict[str, Any] = {"type": ["string", "null"]}
_WHOLE: dict[str, Any] = {"type": "integer"}
_MAYBE_WHOLE: dict[str, Any] = {"type": ["integer", "null"]}
_TEXTS: dict[str, Any] = {"type": "array", "items": _TEXT}
_CALL_ID: dict[str, Any] = {"type": ["string", "number", "null"]}


def describe_server(templates: Iterable[str]) -> dict[str, Any]:
    """The document, with those paths only that are served."""
    served = set(templates)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "hub-index",
            "version": __version__,
            "description": "Search and read the agent skills of your hubs. MCP is at /mcp, a WebSocket at /ws.",
        },
        "paths": {path: item for path, item in _paths().items() if path.replace("{path}", "{path...}") in served},
        "components": {
            "schemas": SCHEMAS | {"Results": _results_schema()},
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{}, {"token": []}],
    }


def _paths() -> dict[str, Any]:
    streams = {
        "text/event-stream": {"schema": {"type": "string"}},
        "application/x-ndjson": {"schema": {"type": "string"}},
    }
    posted = _object([*FIND, _STREAM])
    return {
        "/search": {
            "get": _operation(
                "search", "Find skills.", "Results", query=[*FIND_IN_ADDRESS, _STREAM], more=streams, tag=True
            ),
            "post": _operation("searchPosted", "Find skills.", "Results", body=posted, more=streams),
        },
        "/skills": {"get": _operation("listSkills", "Skills by hub and id.", "SkillList", query=LIST, tag=True)},
        "/skills/{id}": {"get": _operation("readSkill", "Read one.", "SkillText", [_ID], READ, tag=True)},
        "/skills/{id}/related": {
            "get": _operation("relatedSkills", "Skills like it.", "Results", [_ID], RELATED, tag=True)
        },
        "/skills/{id}/files/{path}": {
            "get": _operation("readFile", "Read a file beside it.", "SkillText", [_ID, _FILE], READ, tag=True)
        },
        "/spans": {"get": _operation("readSpan", "Some lines.", "Span", query=[SKILL, *READ], tag=True)},
        "/status": {"get": _operation("status", "The state of each hub.", "Status")},
        "/uses": {"post": _operation("reportUse", "Record whether a skill was useful.", "Recorded", body=_object(USE))},
        "/rpc": {"post": _operation("rpc", f"JSON-RPC 2.0: {', '.join(METHODS)}.", "RpcAnswer", body="RpcCall")},
        "/healthz": {"get": _operation("health", "Whether the server runs.", "Health")},
        "/metrics": {"get": _operation("metrics", "Counters for Prometheus.", "", more={"text/plain": {}})},
        "/openapi.json": {"get": _operation("openapi", "All of this with its parameters, in OpenAPI.", "Anything")},
        "/v1/embeddings": {
            "post": _operation(
                "embed",
                "Embed texts, as OpenAI's API does.",
                "Anything",
                body="EmbeddingsRequest",
                refusal="OpenAiError",
            )
        },
        "/v1/models": {
            "get": _operation(
                "listModels", "The models, as OpenAI's API lists them.", "Anything", refusal="OpenAiError"
            )
        },
        "/v1/models/{model}": {
            "get": _operation("showModel", "One of them.", "Anything", [_MODEL], refusal="OpenAiError")
        },
    }


def _operation(  # noqa: PLR0913 - what an operation of OpenAPI has
    name: str,
    about: str,
    answer: str,
    path: Sequence[Parameter] = (),
    query: Sequence[Parameter] = (),
    *,
    body: str | dict[str, Any] = "",
    more: dict[str, Any] | None = None,
    tag: bool = False,
    refusal: str = "Problem",
) -> dict[str, Any]:
    content = ({"application/json": _refer(answer)} if answer else {}) | (more or {})
    media_type = "application/problem+json" if refusal == "Problem" else "application/json"
    responses: dict[str, Any] = {
        "200": {"description": about, "content": content},
        "default": {"description": "Why not.", "content": {media_type: _refer(refusal)}},
    }
    if tag:
        responses["304"] = {"description": "Nothing has changed since the ETag."}
    if name == "rpc":
        responses["204"] = {"description": "All of it were notifications."}
    operation: dict[str, Any] = {
        "operationId": name,
        "summary": about,
        "parameters": [
            *(_parameter(parameter, "path") for parameter in path),
            *(_parameter(parameter, "query") for parameter in query),
            *([_ETAG] if tag else []),
        ],
        "responses": responses,
    }
    if body:
        schema = {"schema": body} if isinstance(body, dict) else _refer(body)
        operation["requestBody"] = {"required": True, "content": {"application/json": schema}}
    return operation


def _parameter(parameter: Parameter, place: str) -> dict[str, Any]:
    return {
        "name": parameter.name,
        "in": place,
        "required": parameter.is_required,
        "description": parameter.about,
        "schema": {name: value for name, value in parameter.schema().items() if name != "description"},
    }


def _object(parameters: Sequence[Parameter]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {parameter.name: parameter.schema() for parameter in parameters},
        "required": [parameter.name for parameter in parameters if parameter.is_required],
        "additionalProperties": False,
    }


def _refer(schema: str) -> dict[str, Any]:
    return {"schema": {"$ref": f"#/components/schemas/{schema}"}}


def _results_schema() -> dict[str, Any]:
    """The published schema of a search's answer, its own definitions inside."""
    text = files("hub_index.schemas").joinpath("search_result.schema.json").read_text("utf-8")
    schema: dict[str, Any] = json.loads(text.replace('"#/$defs/', '"#/components/schemas/Results/$defs/'))
    schema.pop("$schema", None)
    schema.pop("$id", None)
    return schema


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
_FILE_SHAPE = _shape({"path": _TEXT, "size": _WHOLE, "sha256": _TEXT})
_ENTRY = _shape(
    _texts("hub", "id", "uri", "type", "name", "path", "file", "description")
    | {"lang": _MAYBE, "updated_at": _MAYBE, "keywords": _TEXTS}
)
_HUB = _shape(
    {"name": _TEXT, "state": _TEXT, "skills": _WHOLE, "unindexed": _WHOLE, "embedded": _WHOLE, "to_embed": _WHOLE}
    | dict.fromkeys(("folder", "index_dir", "reason", "model_id", "hub_revision", "created_at"), _MAYBE)
)
_CALL = _shape(
    {"jsonrpc": {"const": "2.0"}, "method": {"enum": list(METHODS)}}, {"id": _CALL_ID, "params": {"type": "object"}}
)
_ERROR = _shape({"code": _WHOLE, "message": _TEXT, "data": _shape({"version": _WHOLE})})
_ANSWER = _shape(
    {"jsonrpc": {"const": "2.0"}, "id": _CALL_ID}, {"result": _shape({"version": _WHOLE}), "error": _ERROR}
)

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
            "files": {"type": "array", "items": _FILE_SHAPE},
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
