"""index_manifest.json ↔ Manifest: the small file that names the others; every field is checked before it is used.

Every number is bounded before memory is taken by it (F61), only our own plain file names are allowed (F60), fields
that other writers do not have may be missing, and unknown keys are ignored (F65). Format 2 names parts (manifest_parts)
and none of format 1's two files: a client that does not look at the format finds nothing that it could misread.
"""

import json
import re
from collections.abc import Callable
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from hub_index.base.characters import has_forbidden
from hub_index.errors import IndexCorrupt, IndexTooNew
from hub_index.index.format.parts import (
    MANIFEST_FILE,
    SIGNATURE_FILE,
    SKILLS_FILE,
    VECTOR_FILE,
    all_bits,
    skills_name,
    vectors_name,
)
from hub_index.index.format.strict_json import parse_object
from hub_index.limits import (
    MAX_COUNT,
    MAX_DIM,
    MAX_GIT_FILE_BYTES,
    MAX_MANIFEST_BYTES,
    MAX_MANIFEST_TEXT_CHARS,
    MAX_PART_BITS,
    MAX_SKILLS_BYTES,
    MAX_VECTOR_BYTES,
    MAX_WHOLE_MANIFEST_BYTES,
)
from hub_index.models import Manifest, Part, PartFile

__all__ = ["MANIFEST_FILE", "SIGNATURE_FILE", "SKILLS_FILE", "VECTOR_FILE", "decode_manifest", "encode_manifest"]
WHOLE, PARTS = 1, 2  # index_version: a file of each kind, or parts
INDEX_VERSION = PARTS  # the highest that we read

Rules = dict[str, Callable[[Any], bool]]

_HEX = re.compile(r"[0-9a-f]{64}", re.ASCII)
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}", re.ASCII)
_TIME = re.compile(
    r"(?!0000)(\d{4})-(0[1-9]|1[0-2])-(\d\d)[Tt](?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?"
    r"(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)",
    re.ASCII,
)
# The name of a commit or a tag: what git allows in one, visible, and never an option of a command. The
# schema has the same pattern.
REVISION = (
    r"(?!-)(?!.*\.\.)[^\u0000-\u0020~^:?*\[\\\u007f-\u00a0\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u2000-\u200f"
    r"\u2028-\u202f\u205f-\u206f\u3000\u3164\ud800-\uf8ff\ufe00-\ufe0f\ufeff\uffa0\ufff0-\uffff"
    "\U000e0000-\U0010ffff]+"
)
_REVISION = re.compile(REVISION)
_WHOLE_FILES: Rules = {
    "vector_file": lambda value: value == VECTOR_FILE,
    "skills_file": lambda value: value == SKILLS_FILE,
}
_ABSENT = dict.fromkeys(_WHOLE_FILES)


@dataclass(frozen=True, slots=True)
class FormatRules:
    """The fields of one format, each with what its value must be."""

    required: Rules
    optional: Rules


def encode_manifest(manifest: Manifest) -> bytes:
    """The file's bytes: keys in the format's order, absent fields left out."""
    values = {field.name: getattr(manifest, field.name) for field in fields(Manifest)}
    if manifest.parts is not None:
        values["parts"] = [asdict(part) for part in manifest.parts]
    return _encode({key: value for key, value in values.items() if value is not None})


def decode_manifest(data: bytes) -> Manifest:
    """The manifest in the bytes, every field checked. Raises IndexCorrupt, and IndexTooNew for a later format."""
    if len(data) > MAX_MANIFEST_BYTES:
        raise IndexCorrupt.at(MANIFEST_FILE, f"is larger than {MAX_MANIFEST_BYTES} bytes")
    values = parse_object(data, MANIFEST_FILE)
    _check_version(values.get("index_version"))
    if values["index_version"] == WHOLE and len(data) > MAX_WHOLE_MANIFEST_BYTES:
        raise IndexCorrupt.at(MANIFEST_FILE, f"is larger than {MAX_WHOLE_MANIFEST_BYTES} bytes")
    rules = _rules_of(values)
    for key, is_right in rules.required.items():
        if key not in values:
            raise IndexCorrupt.at(MANIFEST_FILE, f"{key} is missing")
        _check_field(key, values[key], is_right)
    for key, is_right in rules.optional.items():
        if key in values:
            _check_field(key, values[key], is_right)
    fields = {key: values[key] for key in (*rules.required, *rules.optional) if key in values}
    manifest = Manifest(**{**_ABSENT, "index_version": values["index_version"], **fields, "parts": None})
    if manifest.index_version == PARTS:
        manifest = replace(manifest, parts=decode_parts(values["parts"], manifest))
    for part in ("vector", "skills"):
        if f"{part}_sha256" in fields and f"{part}_bytes" not in fields:
            raise IndexCorrupt.at(MANIFEST_FILE, f"{part}_bytes is missing beside {part}_sha256")
    _check_product(manifest)
    _check_constant_part(manifest)
    return manifest


def redate_manifest(data: bytes, created_at: str) -> bytes:
    """The same manifest with another time; keys that we do not know stay as well. Raises IndexCorrupt."""
    values = parse_object(data, MANIFEST_FILE) | {"created_at": created_at}
    return _encode(values)


def is_time(text: str) -> bool:
    """Whether the text is an RFC 3339 time, on a day that the calendar has."""
    parts = _TIME.fullmatch(text)
    if parts is None:
        return False
    year, month, day = map(int, parts.groups())
    return 1 <= day <= 28 or (29 <= day <= _days_of(year, month))


def _encode(values: dict[str, Any]) -> bytes:
    parts = values.get("parts")
    if values.get("index_version") != PARTS or not isinstance(parts, list):
        return (json.dumps(values, ensure_ascii=False, indent=2) + "\n").encode("utf-8")
    # a line a part: a thousand of them stay readable, and an edit changes a line
    head = json.dumps({**values, "parts": []}, ensure_ascii=False, indent=2)
    lines = ",\n".join(f"    {json.dumps(part, ensure_ascii=False)}" for part in parts)
    before, _, after = head.rpartition('"parts": []')
    return f'{before}"parts": [\n{lines}\n  ]{after}\n'.encode()


def _days_of(year: int, month: int) -> int:
    from calendar import monthrange

    return monthrange(year, month)[1]


def is_hash(text: str) -> bool:
    """Whether the text is a sha256 in lower-case hex."""
    return _HEX.fullmatch(text) is not None


def _check_version(version: object) -> None:
    if type(version) is not int or version < 1:
        raise IndexCorrupt.at(MANIFEST_FILE, "index_version is missing or not a positive number")
    if version > INDEX_VERSION:
        raise IndexTooNew(
            f"{MANIFEST_FILE}: the index has format {min(version, 10**9)}, this hub-index reads {INDEX_VERSION}; "
            "upgrade hub-index"
        )


def _rules_of(values: dict[str, Any]) -> FormatRules:
    """The rules of the manifest's format. Raises IndexCorrupt for files of format 1 in a manifest of parts."""
    if values["index_version"] == PARTS:
        for key in (*_WHOLE_FILES, *_WHOLE_FACTS):
            if key in values:
                raise IndexCorrupt.at(MANIFEST_FILE, f"{key} belongs to format 1, and the manifest has format 2")
    return _FORMATS[values["index_version"]]


def _check_field(key: str, value: object, is_right: Callable[[Any], bool]) -> None:
    if not is_right(value):
        raise IndexCorrupt.at(MANIFEST_FILE, f"{key} has a value that is not allowed there")


def _check_product(manifest: Manifest) -> None:
    stride = manifest.dim * 4
    count, size = manifest.count, manifest.vector_bytes
    if count is not None and count * stride > MAX_VECTOR_BYTES:
        raise IndexCorrupt.at(MANIFEST_FILE, "count × dim × 4 is more bytes than an index may have")
    if size is not None and (size % stride if count is None else size != count * stride):
        raise IndexCorrupt.at(MANIFEST_FILE, "vector_bytes does not agree with count × dim × 4")


def _check_constant_part(manifest: Manifest) -> None:
    if manifest.constant_part is not None and (manifest.dim < 2 or not manifest.normalize):
        raise IndexCorrupt.at(MANIFEST_FILE, "constant_part needs dim 2 or more, and normalize")


def _is_text(value: object) -> bool:
    return isinstance(value, str) and len(value) <= MAX_MANIFEST_TEXT_CHARS and not has_forbidden(value)


def _is_model(value: object) -> bool:
    if not isinstance(value, str) or not _is_text(value):
        return False
    provider, _, model = value.partition(":")
    return bool(provider and model)


def _matches(pattern: re.Pattern[str]) -> Callable[[object], bool]:
    return lambda value: isinstance(value, str) and pattern.fullmatch(value) is not None


def _is_whole(low: int, high: int) -> Callable[[object], bool]:
    return lambda value: type(value) is int and low <= value <= high  # `true` is an int to isinstance


_REQUIRED: Rules = {
    "created_at": lambda value: isinstance(value, str) and is_time(value),
    "hub_revision": lambda value: _is_text(value) and _REVISION.fullmatch(value) is not None,
    "model_id": _is_model,
    "dim": _is_whole(1, MAX_DIM),
    "normalize": lambda value: isinstance(value, bool),
}
_OPTIONAL: Rules = {
    "source_digest": _matches(_DIGEST),
    "text_version": _is_whole(0, 10**6),
    "space": _matches(_DIGEST),
    "generator": _is_text,
    "shallow": lambda value: isinstance(value, bool),
    "constant_part": lambda value: type(value) is float and 0 < value < 1,
}
_COUNT: Rules = {"count": _is_whole(0, MAX_COUNT)}
_WHOLE_FACTS: Rules = {
    "vector_bytes": _is_whole(0, MAX_VECTOR_BYTES),
    "vector_sha256": _matches(_HEX),
    "skills_bytes": _is_whole(0, MAX_SKILLS_BYTES),
    "skills_sha256": _matches(_HEX),
}
_FORMATS = {
    WHOLE: FormatRules({**_REQUIRED, **_WHOLE_FILES}, {**_COUNT, **_WHOLE_FACTS, **_OPTIONAL}),
    PARTS: FormatRules({**_REQUIRED, **_COUNT, "parts": lambda value: isinstance(value, list)}, _OPTIONAL),
}


def decode_parts(values: list[Any], manifest: Manifest) -> tuple[Part, ...]:
    """The parts that a manifest lists. Raises IndexCorrupt.

    Nothing of the list is believed: 2^k parts, each in its place, are the only list that there can be.
    """
    width = len(values).bit_length() - 1
    if not 1 <= width <= MAX_PART_BITS or len(values) != 1 << width:
        raise _wrong(f"parts is not a list of 2, 4, 8 … {1 << MAX_PART_BITS} parts")
    parts = tuple(_part(value, bits, manifest.dim * 4) for value, bits in zip(values, all_bits(width), strict=True))
    if sum(part.count for part in parts) != manifest.count:
        raise _wrong("count is not the sum of its parts' counts")
    if sum(part.vectors.bytes for part in parts) > MAX_VECTOR_BYTES:
        raise _wrong("the parts have more bytes than an index may have")
    return parts


def _part(value: object, bits: str, stride: int) -> Part:
    if not isinstance(value, dict) or value.get("bits") != bits:
        raise _wrong(f"part {bits} is missing or not in its place")
    skills = _file(value.get("skills"), skills_name(bits))
    vectors = _file(value.get("vectors"), vectors_name(bits))
    count = value.get("count")
    if type(count) is not int or count < 0 or vectors.bytes != count * stride:
        raise _wrong(f"part {bits} has a count that is not its vectors' bytes / (dim × 4)")
    return Part(bits, count, skills, vectors)


def _file(value: object, name: str) -> PartFile:
    if not isinstance(value, dict) or value.get("file") != name:
        raise _wrong(f"{name} is missing, or named otherwise")
    size, digest = value.get("bytes"), value.get("sha256")
    if type(size) is not int or not 0 <= size <= MAX_GIT_FILE_BYTES:
        raise _wrong(f"{name} has a size that a part may not have")
    if not isinstance(digest, str) or not _HEX.fullmatch(digest):
        raise _wrong(f"{name} has no sha256")
    return PartFile(name, size, digest)


def _wrong(what: str) -> IndexCorrupt:
    return IndexCorrupt.at(MANIFEST_FILE, what)
