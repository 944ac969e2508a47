"""Skills that stand in the checkout and not in the index: builds read commits, search also the checkout."""

import json
from pathlib import Path

import pytest
from support.processes.cli_runner import hub_index_here
from support.searches.search_world import SearchWorld, ids, make_world

from hub_index.errors import IndexStale
from hub_index.search.results import Results


@pytest.fixture
def world(tmp_path: Path) -> SearchWorld:
    """A fresh index, and then three documents more in git's index."""
    world = make_world(tmp_path)
    hub = world.story.hub
    hub.skill("latin-poems", "Translates poems into Latin.", body="# Steps\nScan the hexameter.\n")
    hub.write("workflows/release.md", "---\nname: release\ndescription: How to release a service\n---\nTag it.\n")
    hub.write("skills/中文/SKILL.md", "---\nname: 翻译\ndescription: 把诗歌翻译成拉丁文。\n---\n")
    hub.git("add", "-A")
    return world


def ask(world: SearchWorld, query: str, mode: str = "keyword", k: int = 5) -> Results:
    """A query in a process of its own, as it were."""
    return world.open().search(query, k=k, mode=mode, explain=True, snippets=True)


@pytest.mark.parametrize("mode", ["keyword", "hybrid"])
@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("poems in Latin", "latin-poems"),
        ("hexameter", "latin-poems"),
        ("release a service", "workflows:release"),
        ("翻译诗歌", "中文"),
        ("latin-poems", "latin-poems"),
        ("path:latin poems", "latin-poems"),
        ("lang:zh 翻译", "中文"),
    ],
)
def test_a_skill_that_is_not_in_the_index_is_found_by_its_words(
    world: SearchWorld, mode: str, query: str, found: str
) -> None:
    """Words, bodies, names, filters and workflows; staged is enough, and the notice says how many."""
    results = ask(world, query, mode)
    assert results.mode == mode
    assert found in ids(results.hits if mode == "hybrid" else results.hits[:1])
    hit = next(hit for hit in results.hits if hit.id == found)
    assert hit.reasons.cosine == (0.0 if mode == "hybrid" else None)
    assert hit.weak == (mode == "keyword" and query == "翻译诗歌")  # two pairs of characters of three, common here
    assert [notice for notice in results.notices if "3 skills are not in it" in notice]


def test_what_is_not_in_the_index_has_no_place_among_meanings(world: SearchWorld) -> None:
    """Semantic search shows records with vectors only."""
    results = ask(world, "poems in Latin", "semantic", k=50)
    assert len(results.hits) == 5
    assert "latin-poems" not in ids(results.hits)


@pytest.mark.parametrize("options", [{"diverse": True}, {"recency": True}, {"fusion": "rrf"}, {"fusion": "linear"}])
def test_every_way_to_rank_bears_skills_without_a_vector(world: SearchWorld, options: dict[str, object]) -> None:
    """No option stumbles over a row beyond the last vector."""
    results = world.open().search("poems release 翻译 slides", k=8, mode="hybrid", **options)
    assert {"latin-poems", "workflows:release", "中文", "ppt-maker"} <= set(ids(results.hits))


def test_show_and_related_know_them(world: SearchWorld) -> None:
    """`show` prints the record; `related` says that there is no vector yet, and never offers them."""
    assert world.open().show("latin-poems").description == "Translates poems into Latin."
    with pytest.raises(IndexStale, match=r"“latin-poems” is not in the index and has no vector yet"):
        world.open().related("latin-poems")
    assert "latin-poems" not in ids(world.open().related("db-advisor", k=50).hits)


def test_the_hubs_own_rules_hold(world: SearchWorld) -> None:
    """What hub-index.toml excludes is not found, nor what is neither committed nor staged."""
    world.story.hub.write("hub-index.toml", 'exclude = ["skills/latin-poems/**"]\n')
    world.story.hub.git("add", "-A")
    world.story.hub.skill("untracked", "Counts hexameter feet.")
    results = ask(world, "hexameter")
    assert results.hits == ()
    assert any("2 skills are not in it" in notice for notice in results.notices)


def test_a_build_makes_them_ordinary(world: SearchWorld) -> None:
    """Once committed and built there is no notice, and the cosine is the vector's."""
    ask(world, "poems in Latin", "hybrid")
    world.story.hub.commit("more")
    world.story.build()
    results = ask(world, "poems in Latin", "hybrid")
    assert (ids(results.hits)[0], results.notices) == ("latin-poems", ())
    assert (results.hits[0].reasons.cosine or 0) > 0


def test_a_skill_that_was_removed_again_is_gone(world: SearchWorld) -> None:
    """A new skill whose file is deleted is not shown, staged or not."""
    assert ids(ask(world, "hexameter").hits) == ["latin-poems"]
    (world.hub / "skills" / "latin-poems" / "SKILL.md").unlink()
    assert ask(world, "hexameter").hits == ()
    world.story.hub.git("add", "-A")
    assert ask(world, "hexameter").hits == ()


def test_one_new_skill_in_an_index_of_none(tmp_path: Path) -> None:
    """An index without a single row has nothing to scan, and words still find the first skill."""
    world = make_world(tmp_path, {}, build=False)
    world.story.hub.skill("a", "Sorts files.")
    world.story.hub.commit("one")
    world.story.build()
    world.story.hub.git("rm", "-q", "-r", "skills/a")
    world.story.hub.commit("none")
    world.story.build(allow_shrink=True)
    world.story.hub.skill("b", "Counts sheep.")
    world.story.hub.commit("new")
    for mode in ("keyword", "hybrid"):
        results = ask(world, "sheep", mode)
        assert ids(results.hits) == ["b"]
        assert any("1 skill is not in it and is found" in notice for notice in results.notices)


def test_the_command_line_shows_them(world: SearchWorld) -> None:
    """`search --json`, `show` and `related` from the shell."""
    found = hub_index_here("search", "hexameter", "--keyword", "--json", "--hub", world.hub)
    assert [hit["id"] for hit in json.loads(found.out)["hits"]] == ["latin-poems"]
    assert hub_index_here("show", "workflows:release", "--hub", world.hub).code == 0
    related = hub_index_here("related", "latin-poems", "--hub", world.hub)
    assert (related.code, "no vector yet" in related.err, "Traceback" in related.err) == (6, True, False)
