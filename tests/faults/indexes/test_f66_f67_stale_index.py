"""The hub has moved on, or back, and its index has not."""

import shutil
from pathlib import Path

import pytest
from support.searches.search_world import ids, make_world


@pytest.mark.parametrize("mode", ["keyword", "semantic", "hybrid"])
def test_f66_a_stale_index_is_used_with_a_notice(tmp_path: Path, mode: str) -> None:
    """New commits without a new index: the old one answers and says that it is old."""
    world = make_world(tmp_path)
    assert world.open().search("slides", mode=mode).notices == ()
    world.story.hub.skill("new-skill", "Something new.")
    world.story.hub.commit("new")
    results = world.open().search("slides", mode=mode)
    assert (results.mode, ids(results.hits)[0]) == (mode, "ppt-maker")
    assert any("changed since" in notice for notice in results.notices)


@pytest.mark.parametrize("mode", ["keyword", "semantic", "hybrid"])
def test_f66_a_skill_that_is_gone_is_not_shown(tmp_path: Path, mode: str) -> None:
    """A result whose folder is no longer in the checkout is dropped, and the next one moves up."""
    world = make_world(tmp_path)
    shutil.rmtree(world.hub / "skills" / "ppt-maker")
    results = world.open().search("powerpoint slides for a database", k=4, mode=mode)
    assert results.hits
    assert "ppt-maker" not in ids(results.hits)
    assert [hit.rank for hit in results.hits] == list(range(1, len(results.hits) + 1))
    assert any("no longer in the checkout" in notice for notice in results.notices)


def test_f66_many_gone_skills_do_not_hide_the_rest(tmp_path: Path) -> None:
    """However many better matches are gone, what is left is found."""
    skills = {f"copy-{n:02}": ("Counts sheep, sheep and sheep.", "Sheep.\n") for n in range(30)}
    skills["z-last"] = ("Counts sheep among other things of no interest.", "Nothing.\n")
    world = make_world(tmp_path, skills)
    for n in range(30):
        shutil.rmtree(world.hub / "skills" / f"copy-{n:02}")
    assert ids(world.open().search("sheep", mode="keyword").hits) == ["z-last"]
    assert ids(world.open().search("sheep", mode="hybrid").hits) == ["z-last"]


def test_f66_a_workflow_that_is_gone_is_not_shown(tmp_path: Path) -> None:
    """Documents share a folder: the file itself is looked for."""
    world = make_world(tmp_path, build=False)
    for name in ("release", "rollback"):
        world.story.hub.write(f"workflows/{name}.md", f"---\nname: {name}\ndescription: How to {name} a service\n---\n")
    world.story.hub.commit("workflows")
    world.story.build()
    assert set(ids(world.open().search("service", mode="keyword").hits)) == {"workflows:release", "workflows:rollback"}
    (world.hub / "workflows" / "release.md").unlink()
    assert ids(world.open().search("service", mode="keyword").hits) == ["workflows:rollback"]


def test_f67_an_older_set_is_whole_but_called_stale(tmp_path: Path) -> None:
    """An older index put back beside newer skills is used as what it is: consistent, and old."""
    world = make_world(tmp_path)
    older = Path(shutil.copytree(world.hub / "search", tmp_path / "older"))
    world.story.hub.skill("new-skill", "Something new.")
    world.story.hub.commit("new")
    world.story.build()
    assert world.open().search("something new").notices == ()
    shutil.rmtree(world.hub / "search")
    shutil.copytree(older, world.hub / "search")
    results = world.open().search("something new", explain=True)
    assert {hit.id: hit.reasons.cosine for hit in results.hits}["new-skill"] == 0  # by its words alone
    assert any("changed since" in notice for notice in results.notices)
