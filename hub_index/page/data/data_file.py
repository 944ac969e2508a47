"""Named arrays ↔ one data file of the page: four bytes with the header's length, a JSON header, then the numbers.

`web/sections.js` reads it. A float matrix of at most 256 different values is written as a look-up table and bytes: the
embedded model's are of that kind, and need a quarter of the room without losing a bit.
"""

import json
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

_MAX_VALUES = 256


def encode_sections(arrays: Mapping[str, NDArray[np.generic]]) -> bytes:
    """The file's bytes: the same arrays give the same bytes."""
    spans: dict[str, dict[str, object]] = {}
    parts: list[bytes] = []
    at = 0
    for name, array in arrays.items():
        span, content = _encode_array(array)
        spans[name] = {**span, "at": at, "count": int(array.size)}
        parts.append(content)
        at += len(content)
    header = json.dumps(spans, separators=(",", ":")).encode()
    return len(header).to_bytes(4, "little") + header + b"".join(parts)


def _encode_array(array: NDArray[np.generic]) -> tuple[dict[str, object], bytes]:
    if array.dtype == np.uint8:
        return {"kind": "B"}, array.tobytes()
    if array.dtype == np.uint32:
        return {"kind": "I"}, array.astype("<u4").tobytes()
    values = np.unique(array)
    if array.size <= 2 * _MAX_VALUES or values.size > _MAX_VALUES:
        return {"kind": "f"}, array.astype("<f4").tobytes()
    indices = np.searchsorted(values, array).astype(np.uint8)
    return {"kind": "l", "values": int(values.size)}, values.astype("<f4").tobytes() + indices.tobytes()


def decode_floats(content: bytes, name: str) -> NDArray[np.float32] | None:
    """One section of plain floats from a file that `encode_sections` wrote; None if it holds none of that name."""
    size = int.from_bytes(content[:4], "little")
    try:
        span = json.loads(content[4 : 4 + size])[name]
        if span["kind"] != "f":
            return None
        return np.frombuffer(content, "<f4", span["count"], 4 + size + span["at"]).copy()
    except (ValueError, KeyError, TypeError):
        return None
