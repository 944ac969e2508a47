"""Readers while a hub is updated: every answer is of one revision, and an update that dies leaves the old one."""

import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from support.searches.search_world import SearchWorld, make_world
from support.servers.store_world import load, open_stored, source_of

from hub_index.errors import PublishError
from hub_index.postgres.connection import parse_address
from hub_index.postgres.hub_view import HubView
from hub_index.postgres.index_source import StoreRow
from hub_index.postgres.loading import load_hub

_READERS = 8
_WORDS = ("red", "blue")


def _skills(word: str, count: int = 12) -> dict[str, tuple[str, str]]:
    """Skills that all say which revision they are of."""
    return {f"paint-{number:02}": (f"Paint walls {word}, room {number}.", f"Use {word}.\n") for number in range(count)}


@pytest.fixture(scope="module")
def worlds(tmp_path_factory: pytest.TempPathFactory) -> tuple[SearchWorld, SearchWorld]:
    first, second = (make_world(tmp_path_factory.mktemp(word), _skills(word)) for word in _WORDS)
    return first, second


def _colours(world: SearchWorld, url: str, seconds: float) -> list[set[str]]:
    """Which revisions the hits of each answer were of, for some time."""
    end_s = time.monotonic() + seconds
    found: list[set[str]] = []
    with open_stored(world, url) as stored:
        while time.monotonic() < end_s or not found:
            hits = stored.search("paint walls", 10, "hybrid").hits
            found.append({word for hit in hits for word in _WORDS if word in hit.description})
    return found


def _read_while_updating(worlds: tuple[SearchWorld, SearchWorld], url: str, seconds: float, updates: int) -> None:
    load(worlds[0], url)
    answers: list[set[str]] = []
    readers = [
        threading.Thread(target=lambda: answers.extend(_colours(worlds[0], url, seconds))) for _ in range(_READERS)
    ]
    for reader in readers:
        reader.start()
    for number in range(1, updates + 1):
        load(worlds[number % 2], url)
    for reader in readers:
        reader.join()
    assert len(answers) >= _READERS
    assert all(len(colours) == 1 for colours in answers)
    with open_stored(worlds[0], url) as stored:
        last = stored.search("paint walls", 10).hits
    assert {_WORDS[updates % 2] in hit.description for hit in last} == {True}


def test_eight_readers_never_see_half_an_update(worlds: tuple[SearchWorld, SearchWorld], database: str) -> None:
    """All hits of an answer are of one revision while the hub goes back and forth between two."""
    _read_while_updating(worlds, database, seconds=2.0, updates=5)


@pytest.mark.soak
def test_readers_and_updates_for_a_minute(worlds: tuple[SearchWorld, SearchWorld], database: str) -> None:
    """The same for longer, with hundreds of updates."""
    _read_while_updating(worlds, database, seconds=60.0, updates=300)


def test_two_exports_at_once_come_one_after_another(worlds: tuple[SearchWorld, SearchWorld], database: str) -> None:
    """Both end well, and the hub is wholly that of the one or of the other."""
    exports = [threading.Thread(target=load, args=(world, database)) for world in worlds]
    for export in exports:
        export.start()
    for export in exports:
        export.join()
    assert [len(colours) for colours in _colours(worlds[0], database, 0.0)] == [1]


def test_an_update_that_is_killed_leaves_the_old_state_and_can_be_run_again(
    worlds: tuple[SearchWorld, SearchWorld], database: str
) -> None:
    """SIGKILL after the rows were sent: readers find what was there, nothing stays locked, the next run does it all."""
    load(worlds[0], database)
    command = [sys.executable, "-m", "hub_index", "export", "postgres", database, "--hub", str(worlds[1].hub)]
    with psycopg.connect(database) as blocker:
        blocker.execute("LOCK TABLE hub_index.words_1 IN SHARE MODE")  # the update can go no further than its rows
        update = subprocess.Popen([*command, "--name", "hub"], stdin=subprocess.DEVNULL)
        end_s = time.monotonic() + 100
        while not blocker.execute(
            "SELECT 1 FROM pg_locks WHERE relation = 'hub_index.words_1'::regclass AND NOT granted"
        ).fetchone():
            assert time.monotonic() < end_s, "the update never came so far"
            time.sleep(0.05)
        update.kill()
        update.wait()
        assert _colours(worlds[0], database, 0.0) == [{"red"}]
    assert _colours(worlds[0], database, 0.0) == [{"red"}]
    assert load(worlds[1], database).sent == 12
    assert _colours(worlds[0], database, 0.0) == [{"blue"}]


def test_an_update_whose_connection_is_cut_says_so(worlds: tuple[SearchWorld, SearchWorld], database: str) -> None:
    """The server ends it: one of our errors, and the old state is there."""
    load(worlds[0], database)
    source = source_of(worlds[1])
    rows = source.read

    def cut(wanted: list[int]) -> Iterator[StoreRow]:
        for number, row in enumerate(rows(wanted)):
            if number == 3:
                with psycopg.connect(database, autocommit=True) as connection:
                    connection.execute(
                        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                        "WHERE application_name = 'hub-index' AND datname = current_database()"
                    )
            yield row

    source.read = cut  # type: ignore[method-assign, assignment]
    with pytest.raises(PublishError, match="went away"):
        load_hub(parse_address(database), "hub", source)
    assert _colours(worlds[0], database, 0.0) == [{"red"}]


def test_a_search_by_both_legs_is_asked_again_where_the_hub_was_loaded_anew(
    worlds: tuple[SearchWorld, SearchWorld], database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its tables go between its first statement and the next: the answer is the new state's, not an error."""
    load(worlds[0], database)
    ask, loads = HubView.ask, [worlds[1]]

    def late(view: HubView, *arguments: Any, **options: Any) -> list[tuple[object, ...]]:
        while loads:
            load(loads.pop(), database, vectors="vector")  # another kind of vectors needs other tables
        return ask(view, *arguments, **options)

    monkeypatch.setattr(HubView, "ask", late)
    with open_stored(worlds[0], database) as stored:
        found = stored.search("paint walls", 3, "hybrid")
    assert (found.mode, {"blue" in hit.description for hit in found.hits}) == ("hybrid", {True})
