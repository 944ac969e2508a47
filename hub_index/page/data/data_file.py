"""The page's data files: named arrays ↔ one file, and skills in their rows → chunks of JSON.

A file of arrays is four bytes with the header's length, a JSON header, then the numbers; `web/sections.js` reads it. A
float matrix of at most 256 different values is written as a look-up table and bytes: the embedded model's are of that
kind, and need a quarter of the room without losing a bit.

Chunks are records for lists of hits, and bodies for a skill's own page. Only the chunks of changed rows change. A hole,
which a removed skill left, is null.

Of the previous page rows, basis and axes are read for the next one; none of them if a digest does not fit.
"""

import gzip
import json
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from hub_index.base.safe_open import read_regular
from hub_index.page.page_folder import read_listing

if TYPE_CHECKING:
    from hub_index.page.content import SkillPage

    Rows = Sequence[SkillPage | None]


_MAX_VALUES = 256
RECORD_ROWS = 64  # some 10 kB to a visitor: ten hits are at most ten of them
BODY_ROWS = 8  # some 20 kB
KEPT_FILES = ("data/ids.bin", "data/basis.bin", "data/axes.bin")
_MAX_FILE_BYTES = 64 * 1024 * 1024
_DIM = 512


@dataclass(frozen=True, slots=True)
class PreviousData:
    """The reusable parts of the last page; empty without one that can be trusted."""

    rows: tuple[str, ...] = ()
    basis: NDArray[np.float32] | None = None
    axes: NDArray[np.float32] | None = None


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


def encode_records(rows: "Rows") -> list[bytes]:
    """The values of each skill in a list of hits, chunk by chunk."""
    return _chunks(rows, RECORD_ROWS, _record)


def encode_bodies(rows: "Rows", *, with_text: bool = True) -> list[bytes]:
    """The values of a skill's own page alone, chunk by chunk; without its text if the whole would be too large."""
    return _chunks(rows, BODY_ROWS, lambda page: _body(page, with_text=with_text))


def encode_json(value: object) -> bytes:
    """Compact JSON, the same bytes for the same value."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def _chunks(rows: "Rows", size: int, encode: "Callable[[SkillPage], object]") -> list[bytes]:
    values = [None if page is None else encode(page) for page in rows]
    return [encode_json(values[start : start + size]) for start in range(0, len(values), size)]


def _record(page: "SkillPage") -> dict[str, object]:
    record = page.record
    return {
        "id": record.id,
        "name": record.name,
        "description": record.description,
        "keywords": list(record.keywords),
        "lang": record.lang,
        "path": record.path,
        "file": page.file,
        "updated": record.updated_at,
        "kind": page.kind,
        "problems": len(page.problems),
    }


def _body(page: "SkillPage", *, with_text: bool) -> dict[str, object]:
    return {
        "text": page.body if with_text else None,
        "cut": page.is_cut,
        "files": [list(file) for file in page.files],
        "problems": [
            {"level": p.level, "line": p.line, "code": p.code, "reason": p.reason, "fix": p.fix} for p in page.problems
        ],
    }


def read_previous(folder: Path) -> PreviousData:
    """The kept parts of the page in that folder; a damaged page leaves nothing, and the next is made from nothing."""
    ids = _read(folder, "data/ids.bin")
    rows = json.loads(ids) if ids else []
    if not isinstance(rows, list) or not all(isinstance(id_, str) for id_ in rows):
        return PreviousData()
    return PreviousData(tuple(rows), _matrix(folder, "basis"), _matrix(folder, "axes"))


def _matrix(folder: Path, name: str) -> NDArray[np.float32] | None:
    content = _read(folder, f"data/{name}.bin")
    if not content:
        return None
    floats = decode_floats(content, name)
    is_sound = floats is not None and floats.size % _DIM == 0 and bool(np.isfinite(floats).all())
    return floats.reshape(_DIM, -1) if floats is not None and is_sound else None


def _read(folder: Path, name: str) -> bytes:
    try:
        stored = read_regular(str(folder / name), _MAX_FILE_BYTES)
        if read_listing(folder).get(name) != sha256(stored).hexdigest():
            return b""
        return gzip.decompress(stored)
    except (OSError, EOFError, zlib.error):
        return b""
