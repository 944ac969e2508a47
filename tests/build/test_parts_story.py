"""A hub whose index is in parts: built, edited, moved between the formats, without a vector made twice."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.builds.build_story import BuildStory, make_story

from hub_index.index.folder.reading import map_index, read_files
from hub_index.index.folder.verification import verify_folder
from hub_index.index.format import format_choice as choice
from hub_index.index.format import parts as parts_module
from hub_index.index.format.verify import decode_index


@pytest.fixture
def story(tmp_path: Path) -> Iterator[BuildStory]:
    """A hub of 30 skills that chooses format 2, built."""
    made = make_story(tmp_path / "hub", skills=30)
    made.hub.write("hub-index.toml", "format = 2\n")
    made.hub.commit("format 2")
    made.build()
    yield made
    verify_folder(made.folder, with_schemas=True)


def _names(story: BuildStory) -> set[str]:
    return {path.name for path in story.folder.iterdir()} - {".gitattributes", "index_manifest.json"}


def _inodes(story: BuildStory) -> dict[str, int]:
    return {name: os.stat(story.folder / name).st_ino for name in _names(story)}


def _edit(story: BuildStory, number: int, description: str = "Does something else.") -> None:
    story.hub.skill(f"skill-{number:02}", description)
    story.hub.commit("edit")


def test_one_edit_writes_one_part_of_each_kind(story: BuildStory) -> None:
    """The other parts keep their bytes and are not even written again; one text is embedded."""
    before = _inodes(story)
    _edit(story, 7)
    report = story.build()
    after = _inodes(story)
    assert (report.embedded, report.reused, len(story.encoder.texts)) == (1, 29, 1)
    changed = sorted(name for name in before if before[name] != after[name])
    assert [name.partition("-")[0] for name in changed] == ["skills", "vectors"]
    assert all(os.stat(story.folder / name).st_nlink == 1 for name in after)


def test_a_body_edit_writes_no_part_at_all(story: BuildStory) -> None:
    """Only the manifest has a new source_digest."""
    before = _inodes(story)
    story.hub.skill("skill-03", "Does thing number 3.", body="# Other\n")
    story.hub.commit("body")
    assert story.build().changed
    assert _inodes(story) == before


def test_an_unchanged_hub_changes_no_byte(story: BuildStory) -> None:
    """A second build writes nothing."""
    before = _inodes(story)
    report = story.build()
    assert (report.changed, report.embedded, story.encoder.texts) == (False, 0, [])
    assert _inodes(story) == before


def test_the_hub_goes_to_format_1_and_back_without_embedding(story: BuildStory) -> None:
    """Every vector moves over bit for bit, and the other format's files are gone."""
    parts, mapped = _names(story), map_index(story.folder)
    story.hub.write("hub-index.toml", "format = 1\n")
    story.hub.commit("format 1")
    report = story.build()
    assert (report.changed, report.embedded, report.reused, story.encoder.texts) == (True, 0, 30, [])
    assert _names(story) == {"skills.jsonl", "vectors.f32"}
    whole = read_files(story.folder)
    assert (whole.skills, whole.vectors) == (mapped.skills, bytes(mapped.vectors))
    story.hub.write("hub-index.toml", "format = 2\n")
    story.hub.commit("format 2")
    assert (story.build().embedded, story.encoder.texts) == (0, [])
    assert _names(story) == parts
    assert bytes(map_index(story.folder).vectors) == whole.vectors


def test_a_hub_that_outgrows_format_1_gets_parts_by_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Above the limit format 2, which stays below it, too; nothing is embedded for that."""
    story = make_story(tmp_path / "hub", skills=20)
    story.build()
    assert "vectors.f32" in _names(story)
    size = (story.folder / "skills.jsonl").stat().st_size
    monkeypatch.setattr(choice, "MAX_GIT_FILE_BYTES", size - 1)
    assert (story.build().embedded, story.encoder.texts) == (0, [])
    assert "vectors.f32" not in _names(story)
    assert not story.build().changed
    monkeypatch.setattr(choice, "MAX_GIT_FILE_BYTES", 2 * size)
    assert not story.build().changed


def test_parts_split_in_two_when_they_grow_and_stay_split(story: BuildStory, monkeypatch: pytest.MonkeyPatch) -> None:
    """k grows by one; the vectors of skills that were there are not made again."""
    assert len(_names(story)) == 4
    largest = max((story.folder / name).stat().st_size for name in _names(story))
    monkeypatch.setattr(parts_module, "PART_BYTES", largest)
    for number in range(30, 34):
        story.hub.skill(f"skill-{number:02}", f"Does thing number {number}.")
    story.hub.commit("more")
    assert (story.build().embedded, len(story.encoder.texts)) == (4, 4)
    assert len(_names(story)) == 8
    for number in range(20, 34):
        story.hub.git("rm", "-q", "-r", f"skills/skill-{number:02}")
    story.hub.commit("fewer")
    assert story.build(allow_shrink=True).embedded == 0
    assert len(_names(story)) == 8


def test_a_moved_skill_takes_its_vector_into_another_part(story: BuildStory) -> None:
    """A text is embedded once, under whatever id it was known."""
    old = decode_index(read_files(story.folder))
    vector = old.rows.take([5]).tobytes()
    story.hub.git("mv", "skills/skill-05", "skills/zz-renamed")
    story.hub.commit("rename")
    assert (story.build().embedded, story.encoder.texts) == (0, [])
    new = decode_index(read_files(story.folder))
    assert new.records[-1].id == "zz-renamed"
    assert new.rows.take([29]).tobytes() == vector


def test_parts_give_the_same_bytes_whatever_was_there_before(story: BuildStory, tmp_path: Path) -> None:
    """An index that grew edit by edit is the one that a first build makes."""
    for number in (3, 9, 9, 27):
        _edit(story, number, f"Does something else, {number} of them.")
        story.build()
    story.build(out=tmp_path / "fresh", force=True)
    for name in _names(story):
        assert (tmp_path / "fresh" / name).read_bytes() == (story.folder / name).read_bytes()


def test_a_damaged_part_is_made_anew(story: BuildStory) -> None:
    """A build finds it, says so, and writes a whole index."""
    (story.folder / "vectors-1.f32").write_bytes(b"")
    report = story.build()
    assert (report.embedded, report.changed) == (30, True)
    assert any("cannot be used" in notice for notice in report.notices)
