"""The index folder, checked from the first byte to the last and never in memory as a whole: what `verify` runs.

Records are read line by line and vectors through a window, whatever the format and the size.
"""

import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hub_index.errors import IndexCorrupt
from hub_index.index.folder.open_folder import IndexFolder, OpenFolder, read_once, size_of_file
from hub_index.index.folder.retry_read import retry_until_settled
from hub_index.index.format.manifest import decode_manifest
from hub_index.index.format.records import read_records, wrong_line_count
from hub_index.index.format.sections import Section, sections_of
from hub_index.index.format.validate import check_manifest_schema, open_checker
from hub_index.index.format.vectors import check_rows
from hub_index.limits import MAX_LINE_BYTES
from hub_index.models import IndexFiles, Manifest
from hub_index.record import Record

if TYPE_CHECKING:
    from hashlib import _Hash

_WINDOW_BYTES = 4 * 1024 * 1024
CheckLine = Callable[[dict[str, Any], str], object]


@dataclass(frozen=True, slots=True)
class VerifiedFolder:
    """The manifest of an index whose every record and vector was checked, and how many there are."""

    manifest: Manifest
    rows: int


def verify_folder(
    folder: IndexFolder,
    accept: Callable[[IndexFiles], object] | None = None,
    *,
    with_schemas: bool = False,
    see: Callable[[Record], object] | None = None,
) -> VerifiedFolder:
    """The index in a folder, checked in full. Raises IndexUnusable, and the errors of `accept`.

    `accept` is given the manifest and its signature, not the files; `see` is given each record, some of them twice if
    the folder changed meanwhile. With the schemas, ConfigError without the extra.
    """

    def verify(opened: OpenFolder) -> VerifiedFolder:
        data = opened.manifest()
        manifest = decode_manifest(data)
        check_line = _schema_checks(data) if with_schemas else None
        total = 0
        for section in sections_of(manifest):
            rows = _verify_records(opened, section, check_line, see)
            _verify_vectors(opened, section, manifest, rows)
            total += rows
        if accept is not None:
            accept(IndexFiles(data, signature=opened.signature()))
        return VerifiedFolder(manifest, total)

    return retry_until_settled(Path(folder), lambda: read_once(folder, verify))


def _schema_checks(manifest: bytes) -> CheckLine:
    check_manifest_schema(manifest)
    return open_checker("record").check


def _verify_records(
    folder: OpenFolder, section: Section, check_line: CheckLine | None, see: Callable[[Record], object] | None
) -> int:
    """The number of records in a section, each of them valid."""
    digest, count = sha256(), 0
    for record, values in read_records(_lines(folder, section, digest), section):
        count += 1
        if see is not None:
            see(record)
        if check_line is not None:
            check_line(values, f"{section.skills_file} line {count}")
    section.check_skills_digest(digest.hexdigest())
    return count


def _lines(folder: OpenFolder, section: Section, digest: "_Hash") -> Iterator[bytes]:
    with folder.open(section.skills_file) as file:
        section.check_skills_size(size_of_file(file))
        buffered = io.BufferedReader(file)  # type: ignore[type-var]  # open_regular gives a raw file
        while line := buffered.readline(MAX_LINE_BYTES + 1):
            digest.update(line)
            if not line.endswith(b"\n") and len(line) <= MAX_LINE_BYTES:
                raise IndexCorrupt.at(section.skills_file, "the last line does not end in a line feed")
            yield line


def _verify_vectors(folder: OpenFolder, section: Section, manifest: Manifest, rows: int) -> None:
    step = max(1, _WINDOW_BYTES // section.stride) * section.stride
    window = memoryview(bytearray(step))

    def room_for(size: int) -> memoryview:
        if (expected_rows := section.count_rows(size)) != rows:
            raise wrong_line_count(rows, expected_rows, section)
        return window

    digest, done = sha256(), 0
    for piece in folder.stream(section.vector_file, room_for, step):
        digest.update(piece)
        check_rows(piece, manifest, section.vector_file, done)
        done += len(piece) // section.stride
    section.check_vector_digest(digest.hexdigest())
