"""skills.jsonl, or the records of a part ↔ Records: a line per skill, sorted by id; refused as a whole (F63).

Lines are split at line feeds only, and hold no carriage return, which JSON would take for space around a row.
"""

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from hub_index.base.characters import has_forbidden, may_hold_forbidden, nfc
from hub_index.errors import IndexCorrupt, SkillError
from hub_index.hub.record_file import ROOT_ID, ROOT_PATH, is_document_id, is_document_record, record_type
from hub_index.index.format.manifest import is_hash, is_time
from hub_index.index.format.parts import SKILLS_FILE
from hub_index.index.format.sections import WHOLE_INDEX, Section
from hub_index.index.format.strict_json import parse_object
from hub_index.limits import (
    MAX_DESCRIPTION_CHARS,
    MAX_ID_BYTES,
    MAX_KEYWORDS_CHARS,
    MAX_LANG_CHARS,
    MAX_LINE_BYTES,
    MAX_NAME_CHARS,
    MAX_PATH_BYTES,
)
from hub_index.record import Record

_LANG = re.compile(rf"[A-Za-z0-9-]{{0,{MAX_LANG_CHARS}}}", re.ASCII)
_TYPE = re.compile(r"[a-z]{1,16}", re.ASCII)
_ODD_ESCAPE = re.compile(rb"\\[ubfrt]")  # an escape of a character that may be refused
_TEXT_FIELDS = ("id", "path", "name", "description", "text_hash", "updated_at")

_NOT_STEPS = frozenset(("", ".", ".."))


def encode_records(records: Iterable[Record]) -> bytes:
    """The file's bytes, in the order given. Raises SkillError for a record too long for the Axon client."""
    return b"".join(map(encode_record, records))


def decode_records(data: bytes, count: int, section: Section = WHOLE_INDEX) -> tuple[Record, ...]:
    """Exactly `count` records, ids strictly ascending, all of their section. Raises IndexCorrupt."""
    return tuple(record for record, _ in read_records(split_lines(data, count, section), section))


def decode_accepted(data: bytes) -> tuple[Record, ...]:
    """The records of a file that `decode_records` has accepted before: the same values, without a check."""
    # a line feed stands between lines only: JSON has none inside of a text
    lines: list[dict[str, Any]] = json.loads(b"[" + data[:-1].replace(b"\n", b",") + b"]")
    return tuple(map(_made, lines))


def read_records(lines: Iterable[bytes], section: Section = WHOLE_INDEX) -> Iterator[tuple[Record, dict[str, Any]]]:
    """Each record and the object that it was made of, ids strictly ascending, all of their section.

    Raises IndexCorrupt.
    """
    name, last = section.skills_file, None
    for number, line in enumerate(lines, start=1):
        values = _parse_line(line, name, number)
        record = _record(values, f"{name} line {number}")
        # Sorted and unique in one comparison; code points order as UTF-8 bytes do.
        if last is not None and record.id <= last:
            raise IndexCorrupt.at(name, f"line {number} is out of order, or its id occurs twice")
        section.check_place(record.id, number)
        last = record.id
        yield record, values


def decode_line(line: bytes, number: int) -> Record:
    """The record of one line, with or without its line feed; `number` is for the message. Raises IndexCorrupt."""
    return _record(_parse_line(line, SKILLS_FILE, number), f"{SKILLS_FILE} line {number}")


def _parse_line(line: bytes, name: str, number: int) -> dict[str, Any]:
    """The object of a line. Raises IndexCorrupt."""
    if len(line) > MAX_LINE_BYTES:
        raise IndexCorrupt.at(name, f"line {number} is longer than {MAX_LINE_BYTES} bytes")
    if b"\r" in line:
        raise IndexCorrupt.at(name, f"line {number} holds a carriage return; a row ends in a line feed alone")
    return parse_object(line, f"{name} line {number}")


def find_record(data: bytes, id_: str) -> Record | None:
    """The record of an id among lines of ours that `decode_records` has accepted before; None if it has none."""
    start = b'{"id":' + json.dumps(id_, ensure_ascii=False).encode("utf-8") + b","
    place = 0 if data.startswith(start) else data.find(b"\n" + start) + 1
    line = data[place : data.find(b"\n", place) + 1]
    return decode_accepted(line)[0] if line.startswith(start) else None


def check_characters(data: bytes, section: Section = WHOLE_INDEX) -> None:
    """Raises IndexCorrupt if a record holds a forbidden character; decodes only what looks as if it might."""
    if b"\r" in data or may_hold_forbidden(data) or _holds_odd_escape(data):
        decode_records(data, data.count(b"\n"), section)


def _holds_odd_escape(data: bytes) -> bool:
    """Whether one of these escapes begins with a backslash that is not itself escaped."""
    for escape in _ODD_ESCAPE.finditer(data):
        before = data[max(0, escape.start() - MAX_LINE_BYTES) : escape.start()]
        if (len(before) - len(before.rstrip(b"\\"))) % 2 == 0:
            return True
    return False


def split_lines(data: bytes, count: int, section: Section = WHOLE_INDEX) -> Iterator[bytes]:
    """Each line with its line feed; their number is checked before anything is taken apart. Raises IndexCorrupt."""
    check_line_count(data, count, section)
    start = 0
    for _ in range(count):
        end = data.index(b"\n", start) + 1
        yield data[start:end]
        start = end


def check_line_count(data: bytes, count: int, section: Section = WHOLE_INDEX) -> None:
    """Raises IndexCorrupt unless the file is `count` lines, each with its line feed."""
    name = section.skills_file
    if data and not data.endswith(b"\n"):
        raise IndexCorrupt.at(name, "the last line does not end in a line feed")
    if (lines := data.count(b"\n")) != count:
        raise wrong_line_count(lines, count, section)


def wrong_line_count(lines: int, count: int, section: Section) -> IndexCorrupt:
    """The error for a file of records that does not fit its vectors."""
    return IndexCorrupt.at(
        section.skills_file,
        f"its number of lines ({lines}) is not the number of rows in {section.vector_file} ({count})",
    )


def encode_record(record: Record) -> bytes:
    """The record's line. Raises SkillError for one that is too long for the Axon client."""
    values: dict[str, Any] = {field: getattr(record, field) for field in _TEXT_FIELDS}
    if record.keywords:
        values["keywords"] = record.keywords
    if record.lang:
        values["lang"] = record.lang
    if (type_ := record_type(record.id, record.path)) != "skill":
        values["type"] = type_
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
    if not isinstance(values.get("type", ""), str) or not _TYPE.fullmatch(values.get("type", "skill")):
        raise IndexCorrupt.at(where, "type is not a word")
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
    return _made(values)


def _made(values: dict[str, Any]) -> Record:
    return Record(
        id=values["id"],
        path=values["path"],
        name=values["name"],
        description=values["description"],
        text_hash=values["text_hash"],
        updated_at=values["updated_at"],
        keywords=tuple(values.get("keywords", ())),
        lang=values.get("lang", ""),
    )


def _check_text(field: str, text: object, max_chars: int, where: str, keep: str = "") -> None:
    """Raises IndexCorrupt unless it is a text of at least one character, short enough and harmless to print."""
    if not isinstance(text, str) or not text or len(text) > max_chars:
        raise IndexCorrupt.at(where, f"{field} is empty, too long or not a text")
    if has_forbidden(text, keep):
        raise IndexCorrupt.at(where, f"{field} holds a control, direction or tag character")


def problem_with(id_: str, path: str) -> str:
    """Why this id and path may not be in an index; empty if they may."""
    if not is_relative(id_) or len(id_.encode("utf-8")) > MAX_ID_BYTES:
        return "id is unsafe or too long"
    if path == ROOT_PATH:
        return "" if id_ == ROOT_ID else "only the id root may have the path ."
    if not is_relative(path) or len(path.encode("utf-8")) > MAX_PATH_BYTES:
        return "path is unsafe or too long"
    if is_document_id(id_):  # a skill's path that ends in it would be another record under the document's id (F80)
        return (
            "" if is_document_record(id_, path) else "path is not the place of the workflow, command or agent in the id"
        )
    ends_in_id = f"/{path}".endswith(f"/{id_}") or f"/{nfc(path)}".endswith(
        f"/{nfc(id_)}"
    )  # ids are NFC, paths as git's
    return "" if ends_in_id else "path does not end in the id"


def is_relative(path: str) -> bool:
    """Whether a path names something below the folder it starts from, in plain steps."""
    if "\\" in path or has_forbidden(path):  # a backslash separates folders elsewhere
        return False
    return _NOT_STEPS.isdisjoint(path.split("/"))
