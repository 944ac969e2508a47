"""skills.jsonl ↔ Records: a line per skill, sorted by id; split at line feeds only, refused as a whole (F63)."""

import json
from collections.abc import Iterable, Iterator
from typing import Any

from hub_index.errors import IndexCorrupt, SkillError
from hub_index.index.format.manifest import SKILLS_FILE, VECTOR_FILE, is_hash, is_time
from hub_index.index.format.record_path import problem_with
from hub_index.index.format.strict_json import parse_object
from hub_index.limits import MAX_LINE_BYTES
from hub_index.record import Record

_TEXT_FIELDS = ("id", "path", "name", "description", "text_hash", "updated_at")


def encode_records(records: Iterable[Record]) -> bytes:
    """The file's bytes, in the order given. Raises SkillError for a record too long for the Axon client."""
    return b"".join(map(_encode_record, records))


def decode_records(data: bytes, count: int) -> tuple[Record, ...]:
    """Exactly `count` records, ids strictly ascending. Raises IndexCorrupt."""
    records = []
    last = None
    for number, values in enumerate(parse_lines(data, count), start=1):
        record = _record(values, f"{SKILLS_FILE} line {number}")
        # Sorted and unique in one comparison; code points order as UTF-8 bytes do.
        if last is not None and record.id <= last:
            raise IndexCorrupt.at(SKILLS_FILE, f"line {number} is out of order, or its id occurs twice")
        last = record.id
        records.append(record)
    return tuple(records)


def parse_lines(data: bytes, count: int) -> Iterator[dict[str, Any]]:
    """Each line's object; the number of lines is checked before anything is taken apart. Raises IndexCorrupt."""
    check_line_count(data, count)
    start = 0
    for number in range(1, count + 1):
        end = data.index(b"\n", start) + 1
        if end - start > MAX_LINE_BYTES:
            raise IndexCorrupt.at(SKILLS_FILE, f"line {number} is longer than {MAX_LINE_BYTES} bytes")
        yield parse_object(data[start:end], f"{SKILLS_FILE} line {number}")
        start = end


def check_line_count(data: bytes, count: int) -> None:
    """Raises IndexCorrupt unless the file is `count` lines, each with its line feed."""
    if data and not data.endswith(b"\n"):
        raise IndexCorrupt.at(SKILLS_FILE, "the last line does not end in a line feed")
    if (lines := data.count(b"\n")) != count:
        raise IndexCorrupt.at(
            SKILLS_FILE, f"its number of lines ({lines}) is not the number of rows in {VECTOR_FILE} ({count})"
        )


def _encode_record(record: Record) -> bytes:
    values: dict[str, Any] = {field: getattr(record, field) for field in _TEXT_FIELDS}
    if record.keywords:
        values["keywords"] = record.keywords
    if record.lang:
        values["lang"] = record.lang
    line = (json.dumps(values, ensure_ascii=False, separators=(",", ":")) + "\n").encode("utf-8")
    if len(line) > MAX_LINE_BYTES:
        raise SkillError(
            f"{record.path!r}: its record takes {len(line)} bytes, and one line of {MAX_LINE_BYTES + 1} or more makes "
            "the Axon client drop the whole index; shorten description and keywords"
        )
    return line


def _record(values: dict[str, Any], where: str) -> Record:
    for field in _TEXT_FIELDS:
        if not isinstance(values.get(field), str):
            raise IndexCorrupt.at(where, f"{field} is missing or not a text")
    keywords, lang = values.get("keywords", []), values.get("lang", "")
    if not isinstance(keywords, list) or not all(isinstance(word, str) for word in keywords):
        raise IndexCorrupt.at(where, "keywords is not a list of texts")
    if not isinstance(lang, str):
        raise IndexCorrupt.at(where, "lang is not a text")
    if problem := problem_with(values["id"], values["path"]):
        raise IndexCorrupt.at(where, problem)
    if not is_hash(values["text_hash"]) or not is_time(values["updated_at"]):
        raise IndexCorrupt.at(where, "text_hash is not a sha256, or updated_at is not a time")
    return Record(**{field: values[field] for field in _TEXT_FIELDS}, keywords=tuple(keywords), lang=lang)
