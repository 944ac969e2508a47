"""F84: one acceptance for all who read an index, and JSON output that hides nothing."""

import json
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.builds.build_story import BuildStory
from support.builds.index_maker import make_files, make_manifest, make_record, make_vectors, seal
from support.hubs.hub_maker import HubMaker
from support.models.fake_encoder import FakeEncoder
from support.processes.cli_runner import hub_index_here

from hub_index.cli.terminal import print_json
from hub_index.errors import HubIndexError, IndexCorrupt
from hub_index.index.folder.reading import map_index, read_digests_ok, read_files, read_skills
from hub_index.index.format.manifest import REVISION, decode_manifest
from hub_index.index.format.records import decode_records, encode_records
from hub_index.index.format.validate import open_checker, read_schema
from hub_index.models import IndexFiles
from hub_index.search import open_index

REFUSED = [
    *("\x00", "\x07", "\t", "\r", "\x1b", "\x7f", "\x85", "\x9b"),
    *("\u061c", "\u200e", "\u200f", "\u202a", "\u202e", "\u2066", "\u2069"),
    *("\U000e0000", "\U000e0041", "\U000e007f", "\U0001f3f4\U000e0075\U000e0073\U000e007f"),
]
ENGLAND = "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f"
ACCEPTED = ["می\u200cخواهم", "👩\u200d💻", "❤\ufe0f", ENGLAND, "zero\u200bwidth", "整理", "two\u2028lines", "café"]
FIELDS: list[Callable[[str], dict[str, Any]]] = [
    lambda text: {"name": text},
    lambda text: {"description": text},
    lambda text: {"keywords": (text,)},
]


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Readers wait for a set that may still come; here nobody else is at work."""
    monkeypatch.setattr(time, "sleep", lambda _: None)


def _publish(folder: Path, files: IndexFiles) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "index_manifest.json").write_bytes(files.manifest)
    (folder / "skills.jsonl").write_bytes(files.skills)
    (folder / "vectors.f32").write_bytes(files.vectors)
    return folder


def _index_with(**changes: Any) -> IndexFiles:
    return seal(encode_records([make_record("a").replace(**changes)]), make_vectors(1))


def _schema_accepts(name: str, value: object) -> bool:
    try:
        open_checker(name).check(value, name)
    except IndexCorrupt:
        return False
    return True


@pytest.mark.parametrize("field", FIELDS, ids=["name", "description", "keywords"])
@pytest.mark.parametrize("char", REFUSED, ids=ascii)
def test_f84_every_reader_and_the_schema_refuse(field: Callable[[str], dict[str, Any]], char: str) -> None:
    """Controls, bidirectional controls and loose tags are refused in every field, by reader and schema alike."""
    line = encode_records([make_record("a").replace(**field(f"Sorts{char}files."))])
    with pytest.raises(IndexCorrupt, match="line 1"):
        decode_records(line, 1)
    assert not _schema_accepts("record", json.loads(line))


@pytest.mark.parametrize("field", FIELDS, ids=["name", "description", "keywords"])
@pytest.mark.parametrize("text", ACCEPTED, ids=ascii)
def test_f84_every_reader_and_the_schema_accept(field: Callable[[str], dict[str, Any]], text: str) -> None:
    """Joiners, selectors, the three flags with tags and every script pass, escaped or not."""
    record = make_record("a").replace(**field(text))
    line = encode_records([record])
    assert decode_records(line, 1) == (record,)
    assert decode_records(json.dumps(json.loads(line)).encode() + b"\n", 1) == (record,)
    assert _schema_accepts("record", json.loads(line))


def test_f84_a_line_feed_belongs_in_a_description_only() -> None:
    """The one control that the format allows, where it allows it."""
    assert decode_records(encode_records([make_record("a", description="one\ntwo")]), 1)
    for field in (FIELDS[0], FIELDS[2]):
        with pytest.raises(IndexCorrupt):
            decode_records(encode_records([make_record("a").replace(**field("one\ntwo"))]), 1)


@pytest.mark.parametrize("char", ["\x1b", "\u202e"], ids=ascii)
def test_f84_no_way_in_accepts_what_verify_refuses(tmp_path: Path, char: str) -> None:
    """Build's look at the previous index, the reads of search and `verify` agree on one folder."""
    _check_refused(_publish(tmp_path / "search", _index_with(description=f"Sorts{char}files.")), "description")


@pytest.mark.parametrize("place", [b"\r\n", b"\n\r"], ids=["at the end", "at the beginning"])
def test_f84_rows_end_in_a_line_feed_alone(tmp_path: Path, place: bytes) -> None:
    """JSON takes a carriage return around a row for space: no reader does, whatever the manifest's digests say."""
    skills = make_files().skills
    odd = skills.replace(b"\n", place) if place == b"\r\n" else skills.replace(b"\n", place, 1)
    files = seal(odd, make_files().vectors, rows=skills.count(b"\n"))
    _check_refused(_publish(tmp_path / "search", files), "carriage return")


def _check_refused(folder: Path, reason: str) -> None:
    """Whoever reads the folder refuses it with this reason."""
    for read in (read_files, read_digests_ok, read_skills, map_index):
        with pytest.raises(IndexCorrupt, match=reason):
            read(folder)
    verified = hub_index_here("verify", folder)
    assert (verified.code, reason in verified.err) == (6, True)
    for mode in ("--keyword", "--semantic", "--hybrid"):
        done = hub_index_here("search", "files", mode, "--index-dir", folder)
        assert (done.code, reason in done.err) == (6, True), done.err
    with pytest.raises(HubIndexError):
        open_index(folder).show("a")


def test_f84_a_bad_previous_index_is_built_anew(tmp_path: Path) -> None:
    """An index that says it is ours and current, and holds an escape sequence, is replaced and not left alone."""
    hub = HubMaker(tmp_path / "hub")
    hub.skill("a", "Sorts files.")
    hub.commit("skill")
    story = BuildStory(hub, FakeEncoder())
    story.build()
    folder = hub.root / "search"
    good = read_files(folder)
    skills = good.skills.replace(b"Sorts files", b"Sorts \\u001b[31mfiles")
    _publish(folder, seal(skills, good.vectors, manifest=decode_manifest(good.manifest), rows=1))
    story.build()
    assert b"\\u001b" not in read_files(folder).skills


GOOD_REVISIONS = ["0" * 40, "a" * 64, "v1.2.3", "release/2026-01", "版本-1", "x"]
BAD_REVISIONS = ["", "-x", "--upload-pack=touch x", "--upload-pack=x", "a b", "a\x1bb", "a\u202eb", "a..b", "a:b", "a^"]
BAD_REVISIONS += ["a\u200bb", "a\U000e0041", "a\n", "a\u2028b", "a\\b", "x" * 1_025, "a\ue000"]


@pytest.mark.parametrize("revision", GOOD_REVISIONS)
def test_f84_a_revision_is_the_name_of_a_commit_or_a_tag(revision: str) -> None:
    """What git could have written passes reader and schema."""
    data = make_files(revision=revision).manifest
    assert decode_manifest(data).hub_revision == revision
    assert _schema_accepts("manifest", json.loads(data))


@pytest.mark.parametrize("revision", BAD_REVISIONS, ids=ascii)
def test_f84_a_revision_that_could_be_an_option_or_a_trick_is_refused(revision: str) -> None:
    """Whoever hands it to git hands over no option, and whoever prints it prints what is there."""
    data = make_files(revision=revision).manifest
    with pytest.raises(IndexCorrupt, match="hub_revision"):
        decode_manifest(data)
    assert not _schema_accepts("manifest", json.loads(data))


@pytest.mark.parametrize("field", ["model_id", "generator"])
@pytest.mark.parametrize("char", ["\u202e", "\x1b", "\U000e0041"], ids=ascii)
def test_f84_the_manifests_other_texts_are_plain(field: str, char: str) -> None:
    """They are printed by every verb."""
    values: dict[str, Any] = {field: f"local:{char}usem3"}
    data = seal(b"", b"", manifest=replace(make_manifest(), **values)).manifest
    with pytest.raises(IndexCorrupt, match=field):
        decode_manifest(data)
    assert not _schema_accepts("manifest", json.loads(data))


def test_f84_the_schemas_rule_for_a_revision_is_the_readers() -> None:
    """One pattern, in two places that a test holds together."""
    assert read_schema("manifest")["properties"]["hub_revision"]["pattern"] == f"^{REVISION}$(?!\\n)"


def test_f84_json_output_escapes_what_cannot_be_seen(capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing hidden reaches a terminal through --json, and the value comes back the same."""
    hidden = "".join([*REFUSED, "\n", "\u200b", "\u200c", "\u200d", "\u2060", "\ufeff", "\xad", "\u2028"])
    value = {"text": f"a{hidden}b", "plain": "整理 café ❤"}
    print_json(value)
    out = capsys.readouterr().out
    assert json.loads(out) == value
    assert not set(hidden.replace("\n", "").replace("\U0001f3f4", "")) & set(out)
    assert "整理 café ❤" in out


def test_f84_the_command_line_escapes_a_joiner_in_json(tmp_path: Path) -> None:
    """`search` and `show` print a published joiner as an escape."""
    folder = _publish(tmp_path / "search", _index_with(description="Sorts 👩\u200d💻 files."))
    for done in (
        hub_index_here("search", "files", "--keyword", "--json", "--index-dir", folder),
        hub_index_here("show", "a", "--json", "--index-dir", folder),
    ):
        assert done.code == 0, done.err
        assert "\\u200d" in done.out
        assert "\u200d" not in done.out
        told = json.loads(done.out)
        assert told.get("hits", [told])[0]["description"] == "Sorts 👩\u200d💻 files."
