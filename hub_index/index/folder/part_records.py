"""The records and vectors of several parts → one text and one matrix, sorted by id: readers know one order of rows."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from hub_index.errors import IndexCorrupt
from hub_index.index.format.sections import Section
from hub_index.index.format.strict_json import parse_object

_ID = re.compile(rb'\{"id":"([^"\\]*)"')  # as our own lines begin; others are decoded


@dataclass(frozen=True, slots=True)
class MergedLines:
    """All lines by id; line i was line `order[i]` of all parts, one after the other. None: it was one text already."""

    skills: bytes
    order: list[int] | None


def merge_lines(sections: Sequence[Section], texts: Sequence[bytes]) -> MergedLines:
    """The lines of all sections in the order of their ids. Raises IndexCorrupt for a line of another part.

    Only the ids are decoded here.
    """
    if len(texts) == 1:
        return MergedLines(texts[0], None)
    ids: list[bytes] = []
    lines: list[bytes] = []
    for section, text in zip(sections, texts, strict=True):
        for number, line in enumerate(text.split(b"\n")[:-1], start=1):
            id_ = _read_id(line, f"{section.skills_file} line {number}")
            section.check_place(id_, number)
            ids.append(id_.encode("utf-8"))
            lines.append(line)
    order = sorted(range(len(ids)), key=ids.__getitem__)
    return MergedLines(b"".join(lines[row] + b"\n" for row in order), order)


def _read_id(line: bytes, where: str) -> str:
    if match := _ID.match(line):
        try:
            return match[1].decode("utf-8")
        except UnicodeDecodeError as error:
            raise IndexCorrupt.at(where, "is not UTF-8") from error
    id_ = parse_object(line, where).get("id")
    if not isinstance(id_, str):
        raise IndexCorrupt.at(where, "id is missing or not a text")
    return id_


def order_rows(
    parts: Iterable[memoryview], order: Sequence[int], dim: int, make_room: Callable[[int], memoryview]
) -> memoryview:
    """All rows in memory that `make_room` gives; row i is row `order[i]` of all parts, one after the other."""
    import numpy as np  # late: a keyword search merges lines alone

    places = np.empty(len(order), dtype=np.int64)
    places[np.asarray(order, dtype=np.int64)] = np.arange(len(order))
    room = make_room(len(order) * dim * 4)
    rows = np.frombuffer(room, dtype="<f4").reshape(-1, dim)
    start = 0
    for part in parts:
        matrix = np.frombuffer(part, dtype="<f4").reshape(-1, dim)
        rows[places[start : start + len(matrix)]] = matrix
        start += len(matrix)
    return room
