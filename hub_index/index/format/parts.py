"""The names of the published files; and format 2's parts: the part of each skill, its files, and their number.

A skill's part is the first k bits of sha256(id), so that it stays in place when other skills come and go. k grows by
one, each part splitting in two, when the largest file of a part passes its limit. It never shrinks: otherwise the
removal of some skills would write and push everything anew.
"""

import re
from collections.abc import Iterable, Sequence
from hashlib import sha256

from hub_index.limits import MAX_PART_BITS, PART_BYTES
from hub_index.models import Manifest, Part
from hub_index.record import Record

_NAME = re.compile(rf"(?:skills-[01]{{1,{MAX_PART_BITS}}}\.jsonl|vectors-[01]{{1,{MAX_PART_BITS}}}\.f32)", re.ASCII)
MANIFEST_FILE = "index_manifest.json"
SIGNATURE_FILE = "index_manifest.json.sig"  # beside it where the hub's owner signs; no reader needs it
SKILLS_FILE = "skills.jsonl"
VECTOR_FILE = "vectors.f32"


def skills_name(bits: str) -> str:
    """The file of a part's records."""
    return f"skills-{bits}.jsonl"


def vectors_name(bits: str) -> str:
    """The file of a part's vectors."""
    return f"vectors-{bits}.f32"


def is_part_name(name: str) -> bool:
    """Whether a file of an index folder is called as a part's files are."""
    return _NAME.fullmatch(name) is not None


def all_bits(width: int) -> list[str]:
    """The names of all parts, in the order of the manifest."""
    return [format(number, f"0{width}b") for number in range(1 << width)]


def part_number(id_: str, width: int) -> int:
    """The place of a skill's part among all parts."""
    return int.from_bytes(sha256(id_.encode("utf-8")).digest()[:2]) >> (16 - width)


def width_of(parts: Sequence[Part]) -> int:
    """The number of bits that name one of these parts."""
    return len(parts[0].bits)


def choose_width(records: Sequence[Record], line_sizes: Sequence[int], stride: int, previous: Manifest | None) -> int:
    """The smallest k, not below the previous index's, that keeps all files of parts below their limit; or the largest.

    `line_sizes` are the bytes of each record's line, `stride` those of a vector.
    """
    width = width_of(previous.parts) if previous is not None and previous.parts else 1
    finest = [part_number(record.id, MAX_PART_BITS) for record in records]
    while width < MAX_PART_BITS and is_too_large(_largest(finest, line_sizes, stride, MAX_PART_BITS - width)):
        width += 1
    return width


def is_too_large(size: int) -> bool:
    """True if a part with a file of `size` bytes has to be split."""
    return size > PART_BYTES


def _largest(finest: Sequence[int], line_sizes: Iterable[int], stride: int, shift: int) -> int:
    """The size of the largest file if each part is `shift` bits coarser than the finest ones."""
    parts = 1 << (MAX_PART_BITS - shift)
    lines, rows = [0] * parts, [0] * parts
    for number, size in zip(finest, line_sizes, strict=True):
        lines[number >> shift] += size
        rows[number >> shift] += 1
    return max(*lines, max(rows) * stride)


def skills_digest(manifest: Manifest) -> str | None:
    """A digest of all bytes of an index's records; None if another writer gives none."""
    if manifest.parts is None:
        return manifest.skills_sha256
    return _joined(part.skills.sha256 for part in manifest.parts)


def vectors_digest(manifest: Manifest) -> str | None:
    """A digest of an index's vectors in the order of its records; None if another writer gives none."""
    if manifest.parts is None:
        return manifest.vector_sha256
    # the order of the rows is that of the ids, which the records' digests fix
    return _joined(digest for part in manifest.parts for digest in (part.skills.sha256, part.vectors.sha256))


def _joined(digests: Iterable[str]) -> str:
    return sha256("\n".join(digests).encode("ascii")).hexdigest()
