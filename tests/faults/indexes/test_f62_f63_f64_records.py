"""F62, F63 and F64: JSON that readers disagree about, lines that are not records, places outside the hub."""

import json
import unicodedata
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.builds.damaged_indexes import (
    BAD_JSON,
    BAD_LINES,
    BAD_PLACES,
    FILES,
    GOOD_PLACES,
    LINES,
    TEXT_FIELDS,
    WRONG_KINDS,
)
from support.builds.index_maker import make_record

from hub_index.errors import IndexCorrupt, SkillError
from hub_index.index.format.manifest import decode_manifest
from hub_index.index.format.records import decode_records, encode_records, problem_with


@pytest.mark.parametrize("opening", BAD_JSON.values(), ids=BAD_JSON.keys())
def test_f62_json_that_readers_disagree_about(opening: bytes) -> None:
    """The manifest and every line are refused as corrupt, and with no other error."""
    with pytest.raises(IndexCorrupt):
        decode_manifest(opening + FILES.manifest[1:])
    with pytest.raises(IndexCorrupt, match="line 2"):
        decode_records(LINES[0] + opening + LINES[1][1:] + b"".join(LINES[2:]), 4)


@pytest.mark.parametrize("text", [b"", b"[]", b"null", b'"x"', b"7", b"{", b"{}x", b"{} {}"])
def test_f62_json_that_is_no_object(text: bytes) -> None:
    """Only one object will do."""
    with pytest.raises(IndexCorrupt):
        decode_manifest(text)
    with pytest.raises(IndexCorrupt):
        decode_records(text + b"\n", 1)


def test_f62_just_deep_enough_and_real_characters_pass() -> None:
    """Unknown fields up to the cap, escaped pairs and brackets inside text are allowed."""
    deep = b'{"extra": ' + b"[" * 15 + b"]" * 15 + b', "emoji": "\\ud83d\\ude00", "text": "' + b"[{" * 50 + b'", '
    assert decode_manifest(deep + FILES.manifest[1:]) == decode_manifest(FILES.manifest)
    assert decode_records(deep + LINES[0][1:], 1) == decode_records(LINES[0], 1)


@pytest.mark.parametrize("data", BAD_LINES.values(), ids=BAD_LINES.keys())
def test_f63_lines_that_are_none(data: bytes) -> None:
    """The file is exactly `count` lines, ended by line feeds, ids ascending."""
    with pytest.raises(IndexCorrupt):
        decode_records(data, 4)


def test_f63_unicode_line_ends_inside_a_text_do_not_split() -> None:
    """U+2028 and U+2029 belong to the text that they stand in."""
    record = make_record("a", description="one\u2028two\u2029three\nfour")
    assert decode_records(encode_records([record]), 1) == (record,)


def test_f63_both_sides_of_the_longest_line() -> None:
    """65,535 bytes with the line feed pass; one more is never written and never read."""
    full = make_record("a").replace(keywords=("x" * 2_000,) * 32)
    empty = len(encode_records([full.replace(description="")]))
    longest = full.replace(description="x" * (65_535 - empty))
    data = encode_records([longest])
    assert len(data) == 65_535
    assert decode_records(data, 1) == (longest,)
    with pytest.raises(SkillError, match="65536 bytes"):
        encode_records([full.replace(description="x" * (65_536 - empty))])
    with pytest.raises(IndexCorrupt, match="longer"):
        decode_records(data.replace(b"xx", b"xxx", 1), 1)


@pytest.mark.parametrize(("field", "value"), WRONG_KINDS)
def test_f63_fields_of_a_wrong_kind(field: str, value: Any) -> None:
    """A list where a text belongs would make the Axon client drop the index; here it is refused too."""
    line = json.dumps(json.loads(LINES[0]) | {field: value}).encode() + b"\n"
    with pytest.raises(IndexCorrupt, match="line 1"):
        decode_records(line, 1)


@pytest.mark.parametrize("field", TEXT_FIELDS)
def test_f63_missing_fields(field: str) -> None:
    """The six fields of the format are always there."""
    found = json.loads(LINES[0])
    del found[field]
    with pytest.raises(IndexCorrupt, match=field):
        decode_records(json.dumps(found).encode() + b"\n", 1)


@pytest.mark.parametrize(("id_", "path"), GOOD_PLACES)
def test_f64_odd_but_harmless_places_pass(id_: str, path: str) -> None:
    """Real hubs have folders like these."""
    record = make_record(id_, path=path)
    assert decode_records(encode_records([record]), 1) == (record,)


@pytest.mark.parametrize(("id_", "path"), BAD_PLACES)
def test_f64_places_outside_the_hub_are_refused(id_: str, path: str) -> None:
    """Absolute, with `..`, or not where the id says."""
    with pytest.raises(IndexCorrupt, match="line 1"):
        decode_records(encode_records([make_record(id_, path=path)]), 1)


@settings(max_examples=300, deadline=None)
@given(
    id_=st.text(st.sampled_from("ab./\\:é\u0301\x00\n~"), max_size=8),
    path=st.text(st.sampled_from("ab./\\:é\u0301\x00\n~"), max_size=12),
)
def test_f64_whatever_passes_stays_inside_the_hub(id_: str, path: str) -> None:
    """No id and path that are let through lead out of the hub or away from the id."""
    if problem_with(id_, path):
        return
    assert not path.startswith("/")
    assert ".." not in path.split("/")
    assert not set("\\\x00\n") & set(path + id_)
    assert unicodedata.normalize("NFC", path).endswith(unicodedata.normalize("NFC", id_)) or path == "."
