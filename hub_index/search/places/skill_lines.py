"""The lines of a verified skills.jsonl; only lines that are new since the last one are decoded.

A line is right or wrong by itself, but for its place: ids ascend. So the digests of verified lines are remembered with
their ids, in the user's own cache; after an edit one line of many thousands is decoded.
"""

import os
from hashlib import sha256
from itertools import pairwise

from hub_index.base.checksummed_file import read_sealed, write_sealed
from hub_index.errors import IndexCorrupt
from hub_index.index.format.records import check_line_count, decode_accepted, decode_line
from hub_index.limits import MAX_OPEN_HUBS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from hub_index.record import Record

_KIND = "lines"
_DIGEST_BYTES = 16
_SUM_BYTES = 32  # of skills.jsonl
_COUNT_BYTES = 4
_VERSION = b"hub-index lines 3\n"  # of the checks that a line has passed
_KEPT = MAX_OPEN_HUBS  # a note for each index folder; 25,000 skills take 1 MB


class SkillLines:
    """Digests and ids of the lines, row by row; the lines themselves are read where a record is asked for."""

    __slots__ = ("_lines", "_read", "digests", "ids")

    def __init__(self, digests: list[bytes], ids: list[str], read: "Callable[[], list[bytes]]") -> None:
        self.digests = digests
        self.ids = ids
        self._read = read
        self._lines: list[bytes] | None = None

    def decode(self, row: int) -> "Record":
        """The record of a row, whose line was checked when it was verified. Raises IndexUnusable if it is gone."""
        if self._lines is None:
            self._lines = self._read()
        return decode_accepted(self._lines[row] + b"\n")[0]


def split_lines(skills: bytes) -> list[bytes]:
    """The lines without their line feeds."""
    return skills.split(b"\n")[:-1]


def verify_lines(skills: bytes, skills_sha256: str, count: int, folder: str, cache: str) -> SkillLines:
    """The lines of a file whose digest is right, each one checked now or before. Raises IndexCorrupt.

    `folder` is where the index lies: what was last verified there is looked at.
    """
    check_line_count(skills, count)
    lines = split_lines(skills)
    digests = [sha256(line).digest()[:_DIGEST_BYTES] for line in lines]
    before = _read_known(cache, folder)
    ids_before = dict(zip(before.digests, before.ids, strict=True)) if before else {}
    ids = [ids_before.get(digest) or decode_line(lines[row], row + 1).id for row, digest in enumerate(digests)]
    _check_order(ids)
    verified = SkillLines(digests, ids, lambda: lines)
    if before is None or before.skills_sha256 != skills_sha256:
        _write_known(cache, folder, skills_sha256, verified)
    return verified


def remembered_lines(
    skills_sha256: str, folder: str, cache: str, read: "Callable[[], list[bytes]]"
) -> SkillLines | None:
    """The lines of a file of this digest, if that was verified here last; they are read only where they are needed."""
    before = _read_known(cache, folder)
    return SkillLines(before.digests, before.ids, read) if before and before.skills_sha256 == skills_sha256 else None


class _KnownLines:
    """The lines of a folder that were verified last."""

    __slots__ = ("digests", "ids", "skills_sha256")

    def __init__(self, skills_sha256: str, digests: list[bytes], ids: list[str]) -> None:
        self.skills_sha256 = skills_sha256
        self.digests = digests
        self.ids = ids


def _check_order(ids: list[str]) -> None:
    for number, (id_, following) in enumerate(pairwise(ids), start=2):
        if following <= id_:
            raise IndexCorrupt.at("skills.jsonl", f"line {number} is out of order, or its id occurs twice")


def _path(cache: str, folder: str) -> str:
    return os.path.join(cache, _KIND, sha256(os.fsencode(os.path.realpath(folder))).hexdigest())


def _read_known(cache: str, folder: str) -> _KnownLines | None:
    """The lines that were verified last in this folder; None if there are none that can be trusted."""
    body = read_sealed(_path(cache, folder))
    if body is None or not body.startswith(_VERSION):
        return None
    counted = len(_VERSION) + _SUM_BYTES
    start = counted + _COUNT_BYTES
    end = start + int.from_bytes(body[counted:start], "little") * _DIGEST_BYTES
    digests = [body[at : at + _DIGEST_BYTES] for at in range(start, end, _DIGEST_BYTES)]
    ids = body[end:].decode("utf-8", "surrogateescape").split("\n") if digests else []
    return _KnownLines(body[len(_VERSION) : counted].hex(), digests, ids) if len(ids) == len(digests) else None


def _write_known(cache: str, folder: str, skills_sha256: str, lines: SkillLines) -> None:
    """Remembers lines, if that can be done."""
    head = _VERSION + bytes.fromhex(skills_sha256) + len(lines.ids).to_bytes(_COUNT_BYTES, "little")
    ids = "\n".join(lines.ids).encode("utf-8", "surrogateescape")
    write_sealed(_path(cache, folder), b"".join((head, *lines.digests, ids)), _KEPT)
