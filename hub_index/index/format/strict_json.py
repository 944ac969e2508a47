"""Bytes → a JSON object, or IndexCorrupt: what `json.loads` lets through and others read differently is refused.

NaN, Infinity, duplicate keys, deep nesting, very long numbers, lone surrogates, a BOM and bytes that are not UTF-8
(F62): a value that passed can be encoded again and means the same to every reader.
"""

import json
import re
from typing import Any

from hub_index.errors import IndexCorrupt
from hub_index.limits import MAX_INT_DIGITS, MAX_JSON_DEPTH

_STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)


class _Refused(ValueError):
    pass


def parse_object(data: bytes, where: str) -> dict[str, Any]:
    """The one object that the bytes hold. Raises IndexCorrupt."""
    try:
        text = data.decode("utf-8")
        _check_depth(text)
        value = _DECODER.decode(text)
        if "\\u" in text:
            # Only an escape can smuggle in half a character; the decoded bytes cannot hold one.
            json.dumps(value, ensure_ascii=False).encode("utf-8")
    except (ValueError, RecursionError) as error:  # JSON and Unicode errors are ValueErrors
        raise IndexCorrupt.at(where, f"is not valid JSON ({_reason(error)})") from error
    if not isinstance(value, dict):
        raise IndexCorrupt.at(where, "is not a JSON object")
    return value


def _check_depth(text: str) -> None:
    if text.count("[") + text.count("{") <= MAX_JSON_DEPTH:
        return
    depth = 0
    for sign in _STRING.sub("", text):
        if sign in "[{":
            depth += 1
            if depth > MAX_JSON_DEPTH:
                raise _Refused(f"nested deeper than {MAX_JSON_DEPTH}")
        elif sign in "]}":
            depth -= 1


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) != len(pairs):
        raise _Refused("a key occurs twice")
    return values


def _small_int(digits: str) -> int:
    if len(digits) > MAX_INT_DIGITS:
        raise _Refused("a number is too long")
    return int(digits)


def _finite(digits: str) -> float:
    value = float(digits)
    if value in (float("inf"), float("-inf")):
        raise _Refused("a number is too large")
    return value


def _no_constant(name: str) -> Any:
    raise _Refused(f"{name} is not JSON")


def _reason(error: Exception) -> str:
    if isinstance(error, UnicodeEncodeError):
        return "half a character: a lone surrogate"
    if isinstance(error, UnicodeDecodeError):
        return f"not UTF-8 at byte {error.start}"
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg.removesuffix(' at')} at character {error.pos}"
    return str(error) if isinstance(error, _Refused) else "nested too deeply"


_DECODER = json.JSONDecoder(
    object_pairs_hook=_unique, parse_int=_small_int, parse_float=_finite, parse_constant=_no_constant
)
