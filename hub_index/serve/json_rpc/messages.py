"""JSON-RPC 2.0 messages: a parsed value → calls, results and errors → messages. Every answer carries our version."""

from dataclasses import dataclass
from math import isfinite
from typing import Any, TypeGuard

from hub_index.base.characters import clean_line
from hub_index.errors import HubIndexError
from hub_index.serve.refusal import RequestRefused, candidates_of, is_callers_mistake, status_of

VERSION = 1  # of methods, parameters and items
PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS = -32700, -32600, -32601, -32602
FAILED, BUSY, OTHER_VERSION = -32000, -32001, -32002
_CODES = {429: BUSY, 503: BUSY}
_MAX_ID_CHARS = 256


class RpcError(Exception):
    """An error with JSON-RPC's own code."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


@dataclass(frozen=True, slots=True)
class Call:
    """One call; a notification has no id and gets no answer."""

    id: str | int | float | None
    method: str
    params: dict[str, Any]
    is_notification: bool


def parse_call(value: object) -> Call:
    """The call in one object. Raises RpcError."""
    if not isinstance(value, dict) or value.get("jsonrpc") != "2.0" or not isinstance(value.get("method"), str):
        raise RpcError(INVALID_REQUEST, 'a call is {"jsonrpc": "2.0", "id": 1, "method": "index.status"}')
    if "id" in value and value["id"] is not None and not _is_id(value["id"]):
        raise RpcError(INVALID_REQUEST, "id must be a text, a number or null")
    params = value.get("params", {})
    if not isinstance(params, dict):
        raise RpcError(INVALID_PARAMS, "params are named here: send an object")
    if "version" in value:  # some clients ask for one beside the method
        params = {"version": value["version"], **params}
    return Call(id_of(value), value["method"], params, is_notification="id" not in value)


def id_of(value: object) -> str | int | float | None:
    """The id of a call, even of one that is wrong elsewhere; None if it cannot be one."""
    call_id = value.get("id") if isinstance(value, dict) else None
    if not _is_id(call_id) or (isinstance(call_id, str) and len(call_id) > _MAX_ID_CHARS):
        return None
    return call_id


def _is_id(found: object) -> TypeGuard[str | int | float]:
    """Whether it can be an id: a text or a number that JSON can write (1e999 is read as one that it cannot)."""
    if isinstance(found, float):
        return isfinite(found)
    return isinstance(found, str | int) and not isinstance(found, bool)


def encode_result(call: Call, result: dict[str, object]) -> dict[str, object]:
    """The answer to a call."""
    return {"jsonrpc": "2.0", "id": call.id, "result": {"version": VERSION, **result}}


def encode_notification(method: str, params: dict[str, object]) -> dict[str, object]:
    """A message without an answer."""
    return {"jsonrpc": "2.0", "method": method, "params": {"version": VERSION, **params}}


def encode_error(call_id: object, error: HubIndexError | RpcError) -> dict[str, object]:
    """The answer to a failed call: the code, and in `data` the error's name as every door has it."""
    data: dict[str, object] = {"version": VERSION}
    if isinstance(error, RpcError):
        code = error.code
        if code == OTHER_VERSION:
            data["supported"] = [VERSION]
    else:
        status = status_of(error)
        code = INVALID_PARAMS if is_callers_mistake(error) else _CODES.get(status, FAILED)
        data |= {"error": type(error).__name__, "exit_code": error.exit_code, "status": status} | candidates_of(error)
        if isinstance(error, RequestRefused) and error.retry_s is not None:
            data["retry_after_s"] = error.retry_s
    return {"jsonrpc": "2.0", "id": call_id, "error": {"code": code, "message": clean_line(str(error)), "data": data}}
