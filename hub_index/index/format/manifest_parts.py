"""`parts` of a format-2 manifest ↔ Parts: all of them, in order, with our own file names and sizes that add up."""

import re
from typing import Any

from hub_index.errors import IndexCorrupt
from hub_index.index.format.names import MANIFEST_FILE
from hub_index.index.format.parts import all_bits, skills_name, vectors_name
from hub_index.limits import MAX_GIT_FILE_BYTES, MAX_PART_BITS, MAX_VECTOR_BYTES
from hub_index.models import Manifest, Part, PartFile

_HEX = re.compile(r"[0-9a-f]{64}", re.ASCII)


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
