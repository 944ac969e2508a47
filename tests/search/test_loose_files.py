"""Files of a checkout that are not what git's index says answer for themselves, and for no other state or checkout."""

from collections.abc import Callable
from pathlib import Path

import pytest
from support.builds.remembered import ask, ask_fresh
from support.searches.search_world import SearchWorld, ids, make_world

from hub_index.search.lexical.cache import edited_files as loose

FILE = "skills/sql-explain/SKILL.md"


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SearchWorld:
    """A hub whose index is committed; files count as old as soon as they are written."""
    monkeypatch.setattr(loose, "_STEP_NS", -(10**12))
    world = make_world(tmp_path)
    world.story.hub.commit("index")
    return world


def edit(world: SearchWorld, word: str) -> None:
    """Puts a word into a body; git is not told."""
    file = world.hub / FILE
    file.write_text(f"{file.read_text()}{word}\n")


def restore(world: SearchWorld) -> None:
    """The body as it was committed, by an editor's hand: git's index stays the same file."""
    content = world.story.hub.git("show", f"HEAD:{FILE}")
    (world.hub / FILE).write_text(f"{content}\n")


def skip(world: SearchWorld) -> None:
    """What a sparse checkout does with a skill."""
    world.story.hub.git("sparse-checkout", "set", "--no-cone", "/*", "!/skills/sql-explain/")


def hide(world: SearchWorld) -> None:
    """An edit that git is told not to look at."""
    world.story.hub.git("update-index", "--assume-unchanged", FILE)
    edit(world, "quokka")


def show(world: SearchWorld) -> None:
    """The edit is taken back, and git looks again."""
    restore(world)
    world.story.hub.git("update-index", "--no-assume-unchanged", FILE)


CHANGES: dict[str, tuple[Callable[[SearchWorld], object], Callable[[SearchWorld], object]]] = {
    "edited": (lambda world: edit(world, "quokka"), restore),
    "taken back by git": (
        lambda world: edit(world, "quokka"),
        lambda world: world.story.hub.git("checkout", "-q", "--", "."),
    ),
    "sparse": (skip, lambda world: world.story.hub.git("sparse-checkout", "disable")),
    "assumed to be unchanged": (hide, show),
    "removed": (lambda world: (world.hub / FILE).unlink(), restore),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_that_is_taken_back_leaves_no_words(world: SearchWorld, name: str) -> None:
    """The first search finds a checkout that is not as git has it; later ones answer as with an empty cache."""
    change, take_back = CHANGES[name]
    change(world)
    assert ask(world) == ask_fresh(world)
    take_back(world)
    assert ask(world) == ask_fresh(world)
    change(world)
    ask(world)
    take_back(world)
    assert ask(world) == ask_fresh(world)


def test_one_checkouts_edit_is_not_found_in_another(world: SearchWorld, tmp_path: Path) -> None:
    """Two checkouts of one commit share a cache: each answers from its own files, whoever is asked first."""
    world.story.hub.git("clone", "-q", ".", str(tmp_path / "clone"))
    edit(world, "quokka")
    for hub in (world.hub, tmp_path / "clone", world.hub):
        assert ask(world, hub) == ask_fresh(world, hub)
    assert [ids(answer.hits) for answer in ask(world)][1] == ["sql-explain"]


def test_a_second_edit_is_found_too(world: SearchWorld) -> None:
    """An edit of an edit changes neither HEAD nor git's index."""
    for word in ("quokka", "zymurgy", "quokka"):
        edit(world, word)
        assert ask(world) == ask_fresh(world)


def test_a_file_to_be_added_later_is_read_as_it_is(world: SearchWorld) -> None:
    """`git add -N` names a file without its bytes."""
    for word in ("quokka", "zymurgy"):
        world.story.hub.skill("later", f"Writes about the {word}.")
        world.story.hub.git("add", "-N", "skills/later/SKILL.md")
        assert ask(world) == ask_fresh(world)
    world.story.hub.git("add", "skills")
    assert ask(world) == ask_fresh(world)


def test_an_edited_checkout_is_prepared_once(world: SearchWorld) -> None:
    """As long as the edited file stays as it is, its entry serves every search."""
    edit(world, "quokka")
    ask(world)
    made = {path.name: path.stat().st_ctime_ns for path in (world.cache / "lexical").glob("*/seal")}
    entries = sorted(path.name for path in (world.cache / "lexical").iterdir())
    ask(world)
    assert sorted(path.name for path in (world.cache / "lexical").iterdir()) == entries
    assert {path.name: path.stat().st_ctime_ns for path in (world.cache / "lexical").glob("*/seal")} == made


def test_a_file_that_is_just_being_written_is_read_again(world: SearchWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    """What it was when it was read is not known afterwards: the entry serves one answer."""
    monkeypatch.setattr(loose, "_STEP_NS", 10**9)
    edit(world, "quokka")
    assert ask(world) == ask_fresh(world)
    names = [path.name for path in (world.cache / "lexical").iterdir() if path.is_dir()]
    assert names
    assert all(name.startswith("moved-") for name in names)
