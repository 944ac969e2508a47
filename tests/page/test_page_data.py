"""The page's data files: an edit changes its own shards only, and numbers keep their meaning."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.builds.index_maker import make_record
from support.models.fake_encoder import FakeEncoder
from support.pages.page_world import PageWorld, make_page_world

from hub_index.embedding.usem3.mapped_copy import LARGE, SUMS
from hub_index.hub.git.repository import open_repository
from hub_index.page.data import page_data as data
from hub_index.page.data import terms
from hub_index.page.data.data_file import decode_floats, encode_sections
from hub_index.page.data.model_files import encode_model
from hub_index.page.data.terms import PageDocument, Postings, encode_shards, known_lengths, length_codes, shard_of
from hub_index.page.hub_page import hub_title, web_pattern


def test_an_edit_changes_the_files_of_its_own_row(tmp_path: Path) -> None:
    """Of 80 skills one is described anew: other chunks of records and bodies, rows and axes stay as they were."""
    world = make_page_world(tmp_path, 80)
    world.write()
    before = world.files()
    world.hub.skill("skill-03", "Waters the office plants.")
    world.index()
    world.write()
    changed = {name for name, content in world.files().items() if before.get(name) != content}
    assert "data/records/0000.bin" in changed
    assert {name for name in changed if name.startswith("data/bodies/")} <= {"data/bodies/0000.bin"}  # its problems
    assert not changed & {"data/records/0001.bin", "data/ids.bin", "data/axes.bin", "app.js"}


def test_a_visitor_loads_nothing_that_only_our_own_copy_of_the_model_needs() -> None:
    """The file of weights holds neither the table, which comes in shards, nor the sums of its rows."""
    content = encode_model()
    names = set(json.loads(content[4 : 4 + int.from_bytes(content[:4], "little")]))
    assert {"pieces.trie", "scale", "proj_w_5"} <= names
    assert not names & {LARGE, SUMS}


def test_other_spellings_are_in_the_page_where_the_hub_holds_them(tmp_path: Path) -> None:
    """A visitor loads no words for a spelling that finds nothing."""
    world = make_page_world(tmp_path, 2)
    world.hub.skill("cluster", "Watches a kubernetes cluster.")
    world.index()
    world.write()
    forms = json.loads(world.unpacked("everyday.bin"))["forms"]
    assert (forms["k8s"], forms["kubernetes"], forms["a11y"]) == (["kubernet"], [], [])


def test_a_page_is_made_from_an_index_in_parts(tmp_path: Path) -> None:
    """Format 2 gives the same data files as format 1."""
    world = make_page_world(tmp_path, 9)
    world.write()
    before = {name: content for name, content in world.files().items() if "page" not in name}
    world.hub.write("hub-index.toml", "format = 2\n")
    world.index()
    world.write()
    assert (world.hub.root / "search/skills-0.jsonl").exists()
    assert {name: content for name, content in world.files().items() if "page" not in name} == before


def test_an_edit_changes_the_shards_of_its_own_words(monkeypatch: pytest.MonkeyPatch) -> None:
    """Words that did not come or go keep their shard's bytes."""
    monkeypatch.setattr(terms, "_SHARD_BYTES", 200)

    def shards(last: str) -> list[bytes]:
        words = [f"number{at} thing{at}" for at in range(60)]
        postings = Postings(60)
        for row, text in enumerate([*words[:-1], last]):
            postings.add(PageDocument(row, make_record(f"id{row:02}", description=text), ""))
        return encode_shards(postings)

    before, after = shards("number59 thing59"), shards("number59 plants59")
    assert len(before) == len(after) > 4
    changed = {at for at, (old, new) in enumerate(zip(before, after, strict=True)) if old != new}
    assert changed == {shard_of(token, len(after)) for token in ("thing59", "plants59")}


def test_bodies_that_make_a_page_too_large_are_links_to_the_hub(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The text is left out, the skill's files and problems stay, and its words are found all the same."""
    monkeypatch.setattr(data, "_MAX_BYTES", 0)
    world = make_page_world(tmp_path, 3)
    world.write()
    bodies = json.loads(world.unpacked("bodies/0000.bin"))
    assert [body["text"] for body in bodies] == [None, None, None]
    assert bodies[0]["files"] == [["SKILL.md", bodies[0]["files"][0][1]]]


def test_a_removed_skill_leaves_no_word_behind(tmp_path: Path) -> None:
    """Its record is null, and the others keep their rows."""
    world = make_page_world(tmp_path, 3)
    world.write()
    (world.hub.root / "skills/skill-01/SKILL.md").unlink()
    world.index()
    world.write()
    assert json.loads(world.unpacked("ids.bin")) == ["skill-00", "", "skill-02"]
    assert json.loads(world.unpacked("records/0000.bin"))[1] is None
    assert world.facts()["count"] == 2


def test_an_index_of_another_model_is_embedded_for_the_page(tmp_path: Path) -> None:
    """A browser has the embedded model only: its vectors stand in the page, whatever the index holds."""
    world = PageWorld(tmp_path)
    world.hub.skills(3)
    world.index(FakeEncoder("fake:other", 8))
    world.write()
    assert len(world.encoder.texts) == 3
    assert len(world.unpacked("vectors.bin")) > 3 * 512


def test_sections_hold_what_was_put_in() -> None:
    """Floats come back bit for bit; what is not there, or of another kind, is None."""
    numbers = np.linspace(-1, 1, 1000, dtype=np.float32)
    content = encode_sections({"bytes": np.arange(5, dtype=np.uint8), "numbers": numbers})
    found = decode_floats(content, "numbers")
    assert found is not None
    assert found.tobytes() == numbers.tobytes()
    assert decode_floats(content, "bytes") is None
    assert decode_floats(content, "others") is None
    assert decode_floats(b"\xff\xff\xff\xffnonsense", "numbers") is None


def test_a_shard_is_chosen_by_the_published_hash() -> None:
    """FNV-1a of 'a' is 0xe40c292c; its upper half is folded in, and the lowest bits choose."""
    folded = 0xE40C292C ^ (0xE40C292C >> 15)
    assert shard_of("a", 1 << 20) == folded & 0xFFFFF
    assert shard_of("数据", 1) == 0


def test_lengths_are_rounded_down_to_what_a_byte_can_say() -> None:
    """Up to 40 they are exact, as tantivy keeps them; 256 steps reach beyond any document."""
    known = known_lengths()
    assert len(known) == 256
    assert (np.diff(known.astype(np.int64)) > 0)[:200].all()
    assert known[:41].tolist() == list(range(41))
    codes = length_codes(np.array([0, 7, 40, 41, 1000], np.uint32))
    assert (known[codes] <= [0, 7, 40, 41, 1000]).all()
    assert known[codes][:3].tolist() == [0, 7, 40]


def test_a_page_is_called_as_its_repository(tmp_path: Path) -> None:
    """A clone's folder may have any name (in CI it is always the same); nothing of the address but its end is shown."""
    world = PageWorld(tmp_path)
    world.hub.skills(1)
    world.hub.commit()
    assert hub_title(open_repository(world.hub.root), world.hub.root) == "hub"
    world.hub.git("remote", "add", "origin", "https://user:secret@github.com/ann/team-skills.git")
    assert hub_title(open_repository(world.hub.root), world.hub.root) == "team-skills"


@pytest.mark.parametrize(
    ("remote", "expected"),
    [
        ("https://github.com/ann/skills.git", "https://github.com/ann/skills/blob/c0ffee/{path}"),
        ("git@github.com:ann/skills.git", "https://github.com/ann/skills/blob/c0ffee/{path}"),
        ("https://gitlab.com/group/sub/skills", "https://gitlab.com/group/sub/skills/-/blob/c0ffee/{path}"),
        ("https://codeberg.org/ann/skills", "https://codeberg.org/ann/skills/src/commit/c0ffee/{path}"),
        ("https://user:secret@github.com/ann/skills", "https://github.com/ann/skills/blob/c0ffee/{path}"),
        ("https://git.example.org/ann/skills", ""),
        ("/srv/git/skills", ""),
    ],
)
def test_a_file_has_a_web_address_where_the_host_is_known(tmp_path: Path, remote: str, expected: str) -> None:
    """Known hosts have a page for each file of a commit; others get no link, and no secret is ever shown."""
    world = PageWorld(tmp_path)
    world.hub.skills(1)
    world.hub.commit()
    world.hub.git("remote", "add", "origin", remote)
    assert web_pattern(open_repository(world.hub.root), "c0ffee") == expected


def test_links_lead_to_the_indexed_revision_while_its_files_are_those(tmp_path: Path) -> None:
    """A commit of the index alone may never be pushed; once a skill has changed, links lead to what was read."""
    world = PageWorld(tmp_path)
    world.hub.skills(2)
    world.hub.git("remote", "add", "origin", "https://github.com/ann/skills.git")
    world.index()
    indexed = _facts_of(world)["revision"]
    world.hub.commit("the index")
    facts = _facts_of(world)
    assert facts["commit"] != indexed
    assert facts["webAddress"] == f"https://github.com/ann/skills/blob/{indexed}/{{path}}"
    world.hub.write("skills/skill-01/notes.md", "New.")
    world.hub.commit("a file beside a skill")
    facts = _facts_of(world)
    assert facts["webAddress"] == f"https://github.com/ann/skills/blob/{facts['commit']}/{{path}}"


def test_a_kind_of_problem_comes_with_its_sentence_and_some_skills(tmp_path: Path) -> None:
    """Warnings come before advice, the most common first; ten skills stand for all, in the order of their ids."""
    world = PageWorld(tmp_path)
    for number in range(12):
        world.hub.skill(f"skill-{number:02}", "Does it.", name=f"other-{number:02}")
    world.hub.write("skills/bare/SKILL.md", "Only text.\n")
    world.index()
    problems = _facts_of(world)["overview"]["problems"]
    assert [(level, code, count) for level, code, count, _ in problems][-1] == ("advice", "name-not-folder", 12)
    assert problems[0][0] == "warning"
    reason = "the name `other-00` differs from its folder `skill-00`"
    assert problems[-1][3][0] == ["skill-00", "other-00", reason]
    assert len(problems[-1][3]) == 10


def test_a_cluster_is_named_by_names_and_keywords_before_descriptions(tmp_path: Path) -> None:
    """Verbs that many descriptions share tell little; they only fill up what names and keywords leave free."""
    world = PageWorld(tmp_path)
    for number in range(3):
        fields = "description: Add and run things in tables.\nkeywords: [database, sql]"
        world.hub.write(f"skills/s{number}/SKILL.md", f"---\nname: n{number}\n{fields}\n---\n")
    world.index()
    assert _facts_of(world)["clusters"] == ["database · sql · add"]


def test_a_word_that_is_said_again_and_again_counts_three_times() -> None:
    """As in the command line's index: the fourth time adds to the length of the field alone."""
    postings = Postings(1)
    postings.add(PageDocument(0, make_record("one", description="plants " * 9), ""))
    assert postings.lists["plant"][1] == [(0, 3)]
    assert postings.lengths["description"][0] == 9
    assert all(not token.startswith("*") for token in postings.lists)


def _facts_of(world: PageWorld) -> dict[str, Any]:
    world.write()
    return world.facts()
