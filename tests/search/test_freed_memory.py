"""An index that stays open while its hub changes does not keep what the states before have needed."""

from pathlib import Path

import pytest
from support.searches.search_world import make_world

from hub_index.base import freed_memory


def test_memory_is_given_back_whenever_an_open_index_follows_its_hub(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each change of the hub gives back once; the first search and those of an unchanged hub never do."""
    world = make_world(tmp_path)
    given_back: list[str] = []
    monkeypatch.setattr(freed_memory, "give_back_freed", lambda: given_back.append("once"))
    with world.open() as index:
        for _ in range(3):
            index.search("slides", mode="keyword")
        assert given_back == []
        for number in range(1, 4):
            world.story.hub.skill("db-advisor", f"Analyzes databases, text {number}.")
            world.story.hub.commit(f"change {number}")
            world.story.build()
            assert index.search(f"text {number}", mode="keyword")[0].id == "db-advisor"
            index.search("slides", mode="keyword")
            assert len(given_back) == number


def test_giving_back_is_harmless_where_the_system_has_no_call_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """musl and macOS have no malloc_trim: nothing happens."""
    monkeypatch.setattr("ctypes.CDLL", lambda _: object())
    freed_memory.give_back_freed()
    monkeypatch.undo()
    asked: list[int] = []
    library = type("Library", (), {"malloc_trim": staticmethod(asked.append)})
    monkeypatch.setattr("ctypes.CDLL", lambda _: library)
    freed_memory.give_back_freed()
    assert asked == [0]
