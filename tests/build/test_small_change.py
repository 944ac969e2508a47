"""One edited skill of a big index in parts: only the parts that it touches are taken apart; the bytes are the same."""

import json
from hashlib import sha256
from pathlib import Path

import pytest
from support.builds.parts_world import SKILLS, PartsWorld

from hub_index.errors import ProviderBrokePromise
from hub_index.index.folder.reading import read_files
from hub_index.index.format import parts as format_parts
from hub_index.index.format.verify import AcceptedSections, decode_index

_EMPTY = "skills/nothing-readable/SKILL.md"


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> PartsWorld:
    """A hub of 24 skills in two parts, built once."""
    return PartsWorld(tmp_path, monkeypatch)


def _part_of(number: int) -> int:
    return format_parts.part_number(f"skill-{number:02}", 1)


def _in_part(part: int) -> list[int]:
    return [number for number in range(SKILLS) if _part_of(number) == part]


def test_an_edit_opens_one_part_and_gives_the_bytes_of_a_build_from_nothing(world: PartsWorld) -> None:
    """Report and files are those of a build that takes everything apart."""
    world.edit(3, "Does another thing.")
    report = world.build()
    assert world.opened == [{_part_of(3)}]
    assert (report.skills, report.reused, report.embedded, report.files_read) == (SKILLS, SKILLS - 1, 1, 1)
    assert report.edited == ("skill-03",)
    assert world.files() == world.from_nothing()


def test_edits_follow_one_another(world: PartsWorld) -> None:
    """A part that was made by such a build is opened by the next one, and a plan in between changes nothing."""
    for step, number in enumerate((0, 1, 0, 5)):
        world.edit(number, f"Does thing {step} of this story.")
        assert world.build(dry_run=True).embedded == 1
        assert world.build().embedded == 1
    assert None not in world.opened
    assert world.files() == world.from_nothing()


def test_a_text_of_a_part_that_is_not_touched_is_not_embedded_again(world: PartsWorld) -> None:
    """An edit that says what another skill says takes that one's vector, whichever part it is in."""
    here, there = _in_part(0)[0], _in_part(1)[0]
    world.hub.skill(f"skill-{here:02}", f"Does thing number {there}.", name=f"skill-{there:02}")
    world.commit()
    report = world.build()
    assert world.opened == [set()]  # both parts, which is all of them
    assert (report.embedded, world.story.encoder.texts) == (0, [])
    assert world.files() == world.from_nothing()


def test_a_body_only_edit_embeds_nothing(world: PartsWorld) -> None:
    """The source is another one, the record and its vector are not."""
    world.hub.skill("skill-04", "Does thing number 4.", body="# Another body\n")
    world.commit()
    report = world.build()
    assert (world.opened, report.embedded, report.changed) == ([{_part_of(4)}], 0, True)
    assert world.files() == world.from_nothing()


def test_a_file_without_anything_readable_is_named_by_every_build(world: PartsWorld) -> None:
    """It has no record to be carried over, so it is read, and reported, beside the edited one."""
    world.hub.write(_EMPTY, "")
    world.commit()
    world.build()
    world.opened.clear()
    world.edit(3, "Does another thing.")
    report = world.build()
    assert world.opened != [None]
    assert [problem.path for problem in report.problems if problem.level == "error"] == [_EMPTY]
    assert report.files_read == 2
    world.hub.write(_EMPTY, "---\nname: readable\ndescription: Is a skill now.\n---\n")
    world.commit()
    assert world.build().added == ("nothing-readable",)
    assert world.files() == world.from_nothing()


@pytest.mark.parametrize("change", ["lost", "added", "removed", "settings"])
def test_whatever_changes_the_list_of_records_goes_the_whole_way(world: PartsWorld, change: str) -> None:
    """A file that is readable no more, one that comes or goes, other settings: every part is taken apart."""
    if change == "lost":
        world.hub.write("skills/skill-03/SKILL.md", "")
    elif change == "added":
        world.hub.skill("new")
    elif change == "removed":
        (world.hub.root / "skills/skill-03/SKILL.md").unlink()
    else:
        world.hub.write("hub-index.toml", 'format = 2\nexclude = ["nothing/**"]\n')
        world.hub.skill("skill-03", "Does another thing.")
    world.commit()
    world.build()
    assert world.opened == [None]
    assert world.files() == world.from_nothing()


def test_parts_that_nobody_has_accepted_are_all_checked(world: PartsWorld) -> None:
    """Without the notes of an earlier build, as in CI, nothing is taken on trust."""
    world.edit(3, "Does another thing.")
    for note in (Path(world.cache) / "accepted").iterdir():
        note.unlink()
    world.build()
    assert world.opened == [None]
    assert world.files() == world.from_nothing()


def test_a_part_that_would_grow_too_large_is_split_as_ever(world: PartsWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where an edit takes a part over its limit, all records are divided anew."""
    largest = max(path.stat().st_size for path in world.story.folder.glob("skills-*.jsonl"))
    monkeypatch.setattr(format_parts, "PART_BYTES", largest + 1_000)
    world.edit(_in_part(0)[0], "Does " + "another thing, " * 100)
    world.build()
    assert world.opened == [None]
    assert len(json.loads(world.files()["index_manifest.json"])["parts"]) == 4
    assert world.files() == world.from_nothing()


def test_a_doctored_record_of_an_untouched_part_is_found(world: PartsWorld) -> None:
    """Some records of all parts are made again: false words are read from their files, and said."""
    here, there = _in_part(0)[0], _in_part(1)[0]
    _doctor(world, there)
    world.edit(here, "Does another thing.")
    report = world.build()
    assert f"(skill-{there:02})" in "".join(report.notices)
    assert b"The best skill of all." not in b"".join(world.files().values())
    assert world.files() == world.from_nothing()


def _doctor(world: PartsWorld, number: int) -> None:
    """Other words in a skill's record; the manifest is sealed again, and the part noted as accepted."""
    path = world.story.folder / f"skills-{_part_of(number)}.jsonl"
    words = f"Does thing number {number}.".encode()
    path.write_bytes(path.read_bytes().replace(words, b"The best skill of all."))
    manifest = json.loads(world.files()["index_manifest.json"])
    said = manifest["parts"][_part_of(number)]["skills"]
    said |= {"bytes": path.stat().st_size, "sha256": sha256(path.read_bytes()).hexdigest()}
    (world.story.folder / "index_manifest.json").write_text(json.dumps(manifest))
    decode_index(read_files(world.story.folder), AcceptedSections(world.cache))


def test_vectors_that_many_skills_share_are_found_among_all_parts(
    world: PartsWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The gate judges the whole index, not what was opened: here the previous one was accepted with one vector."""
    one_vector = world.story.encoder.vector("always the same")
    with monkeypatch.context() as patch:
        patch.setattr(world.story.encoder, "vector", lambda _: one_vector)
        world.build(force=True, accept=frozenset({"vectors"}))
    world.opened.clear()
    world.edit(3, "Does another thing.")
    with pytest.raises(ProviderBrokePromise, match=f"{SKILLS - 1} of {SKILLS} rows"):
        world.build()
    assert world.opened == [{_part_of(3)}]
