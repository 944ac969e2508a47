"""One skill by what the user calls it, and what is said of skills that are gone."""

import shutil
from pathlib import Path

import pytest
from support.searches.search_world import SKILLS, SearchWorld, ids, make_world

from hub_index.errors import ConfigError


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> SearchWorld:
    """Skills of which some share a name, one of them so named by its id, and two workflows."""
    names = ("pdf", "ann/pdf", "bob/pdf", *(f"u{n:02}/tool" for n in range(30)), "z/tool", "tool")
    skills = SKILLS | {name: (f"Reads files, {name}.", "") for name in names}
    made = make_world(tmp_path_factory.mktemp("lookup"), skills, build=False)
    for name in ("release", "sub/rollback"):
        made.story.hub.write(f"workflows/{name}.md", f"---\nname: {name}\ndescription: How to {name}\n---\n")
    made.story.hub.commit("workflows")
    made.story.build()
    return made


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("db-advisor", "db-advisor"),
        ("DB-Advisor", "db-advisor"),
        ("db advisor", "db-advisor"),
        ("skills/db-advisor", "db-advisor"),
        ("skills/db-advisor/", "db-advisor"),
        ("./skills/db-advisor/SKILL.md", "db-advisor"),
        ("skills/中文写作/", "中文写作"),
        ("pdf", "pdf"),
        ("tool", "tool"),
        ("skills/ann/pdf", "ann/pdf"),
        ("workflows:release", "workflows:release"),
        ("workflows/release.md", "workflows:release"),
        ("workflows/sub/rollback", "workflows:sub:rollback"),
    ],
)
def test_show_and_related_take_the_same_names(world: SearchWorld, said: str, meant: str) -> None:
    """Id, path or name, as search prints them, for both verbs."""
    index = world.open()
    assert index.show(said).id == meant
    related = index.related(said, k=100)
    assert meant not in ids(related.hits)
    assert len(related.hits) == 41


@pytest.mark.parametrize(
    "said", ["nobody", "skills/nobody", "", "/", "skills", "advisor/", "\udc80", "../db-advisor/x"]
)
def test_a_name_that_nobody_has_is_a_usage_error(world: SearchWorld, said: str) -> None:
    """One line says so."""
    for ask in (world.open().show, world.open().related):
        with pytest.raises(ConfigError, match="no skill"):
            ask(said)


def test_a_name_that_several_have_lists_their_ids(tmp_path: Path) -> None:
    """Nobody guesses which one is meant."""
    world = make_world(tmp_path, {f"{who}/pdf": ("Reads PDF files.", "") for who in ("ann", "bob")})
    for ask in (world.open().show, world.open().related):
        with pytest.raises(ConfigError, match="“ann/pdf”, “bob/pdf”"):
            ask("pdf")


@pytest.mark.parametrize("query", [None, b"x", 5, ["x"]])
def test_a_query_that_is_no_text_is_a_usage_error(world: SearchWorld, query: object) -> None:
    """Python callers get the error of the library, not one from its depths."""
    for ask in (world.open().search, world.open().show, world.open().related):
        with pytest.raises(ConfigError):
            ask(query)  # type: ignore[arg-type]


@pytest.mark.parametrize("least", [float("nan"), float("inf"), float("-inf"), "0.5"])
def test_a_least_score_must_be_a_number(world: SearchWorld, least: object) -> None:
    """NaN would compare as false with everything."""
    with pytest.raises(ConfigError, match="min_score"):
        world.open().search("slides", min_score=least)


def test_skills_that_are_gone_are_not_related_and_shown_with_a_notice(tmp_path: Path) -> None:
    """The verbs say what search says: this skill is no longer in the checkout."""
    world = make_world(tmp_path)
    before = world.open().related("db-advisor", k=2)
    shutil.rmtree(world.hub / "skills" / before.hits[0].id)
    after = world.open().related("db-advisor", k=2)
    assert before.notices == ()
    assert before.hits[0].id not in ids(after.hits)
    assert [hit.rank for hit in after.hits] == [1, 2]
    assert any("1 nearer skill is no longer in the checkout" in text for text in after.notices)
    shown = world.open().show(before.hits[0].id)
    assert shown.notices == (f"“{shown.id}” is no longer in the checkout",)
    assert world.open().show("db-advisor").notices == ()
    assert world.open().related(shown.id).notices == (f"“{shown.id}” is no longer in the checkout",)


@pytest.mark.parametrize("what", ["folder", "file", "parent", "missing file"])
@pytest.mark.parametrize("mode", ["keyword", "hybrid"])
def test_a_skill_that_became_a_link_is_gone(tmp_path: Path, what: str, mode: str) -> None:
    """Links lead anywhere: whatever stands behind one is not the skill that was indexed."""
    world = make_world(tmp_path, SKILLS | {"ann/deck": ("Make PowerPoint slides for Ann.", "")})
    place = world.hub / "skills" / "ann" / "deck"
    moved = {"folder": place, "file": place / "SKILL.md", "parent": place.parent, "missing file": place / "SKILL.md"}
    target = Path(shutil.move(moved[what], tmp_path / "outside"))
    if what != "missing file":
        moved[what].symlink_to(target)
    results = world.open().search("powerpoint slides", mode=mode)
    assert ids(results.hits)[0] == "ppt-maker"
    assert "ann/deck" not in ids(results.hits)
    assert any("no longer in the checkout" in text for text in results.notices)


@pytest.mark.parametrize("name", ["skill.md", "Skill.MD"])
def test_another_spelling_of_the_file_is_not_gone(tmp_path: Path, name: str) -> None:
    """Every spelling that a build indexes counts."""
    world = make_world(tmp_path, build=False)
    place = world.hub / "skills" / "ppt-maker"
    (place / "SKILL.md").rename(place / name)
    world.story.hub.commit("renamed")
    world.story.build()
    assert ids(world.open().search("slides", mode="keyword").hits)[0] == "ppt-maker"
