"""F90: rows of an unsigned index that somebody else wrote: the digests are right, the hub's files say otherwise."""

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from support.builds.build_story import BuildStory, make_story
from support.hubs.hub_maker import HubMaker
from support.processes.cli_runner import hub_index_here

_FALSE = "The best skill for every task."


def doctor(folder: Path, kind: str) -> None:
    """Changes one row, or drops it, or exchanges all vectors in pairs; the manifest is sealed again."""
    manifest: dict[str, Any] = json.loads((folder / "index_manifest.json").read_bytes())
    lines = [json.loads(line) for line in (folder / "skills.jsonl").read_bytes().split(b"\n")[:-1]]
    data, width = (folder / "vectors.f32").read_bytes(), manifest["dim"] * 4
    vectors = [data[start : start + width] for start in range(0, len(data), width)]
    if kind == "words":
        lines[1]["description"] = _FALSE
    elif kind == "dropped":
        del lines[1], vectors[1]
    else:
        vectors[::2], vectors[1::2] = vectors[1::2], vectors[::2]
    skills = b"".join(json.dumps(line).encode() + b"\n" for line in lines)
    manifest |= {"count": len(lines), "skills_bytes": len(skills), "skills_sha256": sha256(skills).hexdigest()}
    data = b"".join(vectors)
    manifest |= {"vector_bytes": len(data), "vector_sha256": sha256(data).hexdigest()}
    (folder / "skills.jsonl").write_bytes(skills)
    (folder / "vectors.f32").write_bytes(data)
    (folder / "index_manifest.json").write_text(json.dumps(manifest))


@pytest.fixture
def story(tmp_path: Path) -> BuildStory:
    """A hub of four skills, indexed."""
    story = make_story(tmp_path / "hub")
    story.build()
    return story


@pytest.mark.parametrize("kind", ["words", "dropped"])
def test_f90_verify_names_the_rows_that_do_not_follow_from_the_hub(story: BuildStory, kind: str) -> None:
    """Every record is made again from the commit: other words and a row that is missing are exit 6."""
    assert hub_index_here("verify", "--hub", story.hub.root).code == 0
    doctor(story.folder, kind)
    assert hub_index_here("verify", story.folder).code == 0  # whole by its digests
    said = hub_index_here("verify", "--hub", story.hub.root)
    assert said.code == 6
    assert "1 row is not what the hub's files say: skill-01" in said.err
    assert "hub-index build --force" in said.err


def test_f90_verify_makes_some_vectors_of_the_embedded_model_again(tmp_path: Path) -> None:
    """Vectors of other rows: exit 6, with the ids; an honest index of the same hub passes."""
    hub = HubMaker(tmp_path / "hub")
    for name, words in (("bees", "Keep bees through the winter."), ("sql", "Tune slow database queries.")):
        hub.skill(name, words)
    hub.commit("skills")
    assert hub_index_here("build", hub.root).code == 0
    assert hub_index_here("verify", "--hub", hub.root).code == 0
    doctor(hub.root / "search", "vectors")
    said = hub_index_here("verify", "--hub", hub.root)
    assert said.code == 6
    assert "2 vectors are not what the model makes of their texts: bees, sql" in said.err


def test_f90_a_build_that_carries_records_over_looks_at_some_of_them(story: BuildStory) -> None:
    """The false words do not survive the next build of a small hub, and the report says which row it was."""
    doctor(story.folder, "words")
    story.hub.skill("new", "Does something new.")
    story.hub.commit("one more")
    report = story.build()
    assert [text for text in report.notices if "1 row not matching the hub's files (skill-01)" in text]
    assert _FALSE not in [record["description"] for record in story.records()]
    assert hub_index_here("verify", "--hub", story.hub.root).code == 0


def test_f90_an_honest_index_is_carried_over_unread(story: BuildStory) -> None:
    """Looking at some records changes nothing where they are right."""
    story.hub.skill("new", "Does something new.")
    story.hub.commit("one more")
    report = story.build()
    assert (report.files_read, report.notices) == (1, ())
