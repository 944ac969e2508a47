"""F83: a search in the middle of a checkout stores nothing wrong, and answers from one state."""

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from support.searches.search_world import SearchWorld, make_world

from hub_index.search.checkout import files
from hub_index.search.lexical import preparing
from hub_index.search.results import Hit, Results

QUERY = "paints things vermilion"
MODES = ("keyword", "hybrid", "semantic")


def two_states(world: SearchWorld) -> list[str]:
    """Two published commits whose bodies and skills differ; the second is checked out."""
    commits = []
    for word in ("crimson", "azure"):
        for number in range(5):
            body = "Vermilion. " * (number if word == "azure" else 5 - number)
            world.story.hub.skill(f"skill-{number}", "Paints things.", body=f"{word} {body}\n")
        if word == "azure":
            world.story.hub.skill("extra", "Paints extra things.")
        world.story.hub.commit(word)
        world.story.build()
        commits.append(world.story.hub.commit(f"{word} index"))
    return commits


@pytest.fixture
def world(tmp_path: Path) -> SearchWorld:
    """A hub without skills yet."""
    return make_world(tmp_path, {}, build=False)


def ask(world: SearchWorld, mode: str = "keyword") -> Results:
    """One query by a process of its own, as it were."""
    return world.open().search(QUERY, k=10, mode=mode, explain=True, snippets=True)


def ask_fresh(world: SearchWorld, mode: str = "keyword") -> Results:
    """The same query with an empty cache."""
    return ask(
        SearchWorld(world.home, world.cache.with_name(f"cache-{os.urandom(4).hex()}"), world.story, world.encoder), mode
    )


def move(world: SearchWorld, commit: str) -> None:
    """What git does between two commits, whole."""
    world.story.hub.git("checkout", "-q", "-f", "--detach", commit)


READERS = {"words": (preparing, "_read"), "reasons": (files, "read_body")}  # what bodies are read for


def during_the_first_body(
    monkeypatch: pytest.MonkeyPatch, reader: str, act: Callable[[], None]
) -> list[Callable[[], None]]:
    """Something happens while the first of the bodies is read, once; what waits until then."""
    module, name = READERS[reader]
    read, waiting = getattr(module, name), [act]

    def read_after(hub: str, file: str) -> object:
        text = read(hub, file)
        while waiting:
            waiting.pop()()
        return text

    monkeypatch.setattr(module, name, read_after)
    return waiting


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("reader", READERS)
def test_f83_a_move_while_bodies_are_read_is_not_stored(
    world: SearchWorld, monkeypatch: pytest.MonkeyPatch, mode: str, reader: str
) -> None:
    """The answer is that of the state after the move, and both states then answer as with an empty cache."""
    first, second = two_states(world)
    move(world, first)
    waiting = during_the_first_body(monkeypatch, reader, lambda: move(world, second))
    answer = ask(world, mode)
    assert not waiting
    assert answer == ask_fresh(world, mode)
    assert answer.notices == ()
    for commit in (first, second, first):
        move(world, commit)
        assert ask(world, mode) == ask_fresh(world, mode)


@pytest.mark.parametrize("mode", MODES)
def test_f83_files_and_index_move_before_the_head(world: SearchWorld, mode: str) -> None:
    """Between git's last two steps an answer is of the new state, and nothing of it is stored for the old one."""
    first, second = two_states(world)
    fresh = ask_fresh(world, mode)
    move(world, first)
    world.story.hub.git("read-tree", "-u", "--reset", second)
    assert world.story.hub.git("rev-parse", "HEAD") == first
    assert ask(world, mode) == fresh
    move(world, first)
    assert ask(world, mode) == ask_fresh(world, mode)
    assert ask(world, mode).notices == ()


def test_f83_files_that_git_is_writing_are_not_stored(world: SearchWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where git holds its lock all the time the answer says so, and is forgotten."""
    monkeypatch.setattr("hub_index.search.checkout.still._PATIENCE_S", 0.05)
    first, _ = two_states(world)
    move(world, first)
    body = world.hub / "skills" / "skill-0" / "SKILL.md"
    whole = body.read_bytes()
    lock = world.hub / ".git" / "index.lock"
    lock.touch()
    body.write_bytes(whole.replace(b"crimson", b"azure vermilion"))
    answer = ask(world)
    assert answer.hits
    assert any("git is changing the checkout" in notice for notice in answer.notices)
    body.write_bytes(whole)
    lock.unlink()
    assert ask(world) == ask_fresh(world)
    assert ask(world).notices == ()


def test_f83_a_lock_that_was_left_behind_costs_no_time(world: SearchWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    """A git that died yesterday is not waited for; the notice names its lock."""
    two_states(world)
    expected = ask(world)
    lock = world.hub / ".git" / "index.lock"
    lock.touch()
    os.utime(lock, (1_700_000_000, 1_700_000_000))
    monkeypatch.setattr(time, "sleep", lambda _: pytest.fail("it waited"))
    answer = ask(world)
    assert answer.hits == expected.hits
    assert ["index.lock" in notice for notice in answer.notices] == [True]


def test_f83_an_index_that_stays_open_follows_the_checkout(world: SearchWorld) -> None:
    """Whoever keeps an index open gets the answers of the state that is checked out, in every mode."""
    first, second = two_states(world)
    opened = world.open()
    for commit in (first, second, first):
        move(world, commit)
        for mode in MODES:
            answer = opened.search(QUERY, k=10, mode=mode, explain=True, snippets=True)
            assert answer == ask_fresh(world, mode)
        shown: Hit = opened.show("skill-1")
        assert (shown.id, shown.notices) == ("skill-1", ())


def test_f83_a_touched_index_file_does_not_cost_a_new_lexical_index(world: SearchWorld) -> None:
    """`git status` rewrites git's index; the same skills keep their entry, and one note a hub is kept."""
    two_states(world)
    ask(world)
    for age in (1, 2, 3):
        os.utime(world.hub / ".git" / "index", (age, age))
        ask(world)
    entries = [entry for entry in (world.cache / "lexical").iterdir() if entry.is_dir()]
    assert (len(entries), len(list((world.cache / "checkouts").iterdir()))) == (1, 1)
