"""skills.jsonl ↔ Records: a line per skill, sorted by id; split at line feeds only, refused as a whole (F63)."""

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from hub_index.errors import IndexCorrupt, SkillError
from hub_index.hub.skill.characters import has_forbidden, may_hold_forbidden
from hub_index.index.format.manifest import SKILLS_FILE, VECTOR_FILE, is_hash, is_time
from hub_index.index.format.record_path import problem_with
from hub_index.index.format.strict_json import parse_object
from hub_index.limits import (
    MAX_DESCRIPTION_CHARS,
    MAX_KEYWORDS_CHARS,
    MAX_LANG_CHARS,
    MAX_LINE_BYTES,
    MAX_NAME_CHARS,
)
from hub_index.record import Record

_LANG = re.compile(rf"[A-Za-z0-9-]{{0,{MAX_LANG_CHARS}}}", re.ASCII)
_ODD_ESCAPE = re.compile(rb"\\[ubfrt]")  # what may stand for a character that is refused
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


def decode_line(line: bytes, number: int) -> Record:
    """The record of one line, with or without its line feed. Raises IndexCorrupt."""
    where = f"{SKILLS_FILE} line {number}"
    if len(line) > MAX_LINE_BYTES:
        raise IndexCorrupt.at(SKILLS_FILE, f"line {number} is longer than {MAX_LINE_BYTES} bytes")
    return _record(parse_object(line, where), where)


def check_characters(data: bytes) -> None:
    """Raises IndexCorrupt where a record holds a forbidden character; decodes only what looks as if it might."""
    if may_hold_forbidden(data) or _holds_odd_escape(data):
        decode_records(data, data.count(b"\n"))


def _holds_odd_escape(data: bytes) -> bool:
    """Whether one of these escapes begins with a backslash that is not itself escaped."""
    for found in _ODD_ESCAPE.finditer(data):
        before = data[max(0, found.start() - MAX_LINE_BYTES) : found.start()]
        if (len(before) - len(before.rstrip(b"\\"))) % 2 == 0:
            return True
    return False


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
    if not isinstance(lang, str) or not _LANG.fullmatch(lang):
        raise IndexCorrupt.at(where, "lang is not the short name of a language")
    if not isinstance(keywords, list) or len(keywords) > MAX_KEYWORDS_CHARS:
        raise IndexCorrupt.at(where, "keywords is not a list of texts")
    for word in keywords:
        _check_text("keywords", word, MAX_KEYWORDS_CHARS, where)
    _check_text("name", values["name"], MAX_NAME_CHARS, where)
    if values["description"]:
        _check_text("description", values["description"], MAX_DESCRIPTION_CHARS, where, keep="\n")
    if problem := problem_with(values["id"], values["path"]):
        raise IndexCorrupt.at(where, problem)
    if not is_hash(values["text_hash"]) or not is_time(values["updated_at"]):
        raise IndexCorrupt.at(where, "text_hash is not a sha256, or updated_at is not a time")
    return Record(**{field: values[field] for field in _TEXT_FIELDS}, keywords=tuple(keywords), lang=lang)


def _check_text(field: str, text: object, max_chars: int, where: str, keep: str = "") -> None:
    """Raises IndexCorrupt unless it is a text of at least one character, short enough and harmless to print."""
    if not isinstance(text, str) or not text or len(text) > max_chars:
        raise IndexCorrupt.at(where, f"{field} is empty, too long or not a text")
    if has_forbidden(text, keep):
        raise IndexCorrupt.at(where, f"{field} holds a control, direction or tag character")
