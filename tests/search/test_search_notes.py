"""What a search remembers of lines and listings: believed where it is whole and ours, else made again."""

from collections.abc import Callable
from pathlib import Path

import pytest
from support.hubs.hub_maker import HubMaker
from support.searches.search_world import SearchWorld, make_world

from hub_index.hub.tree.known_listing import KnownListings
from hub_index.search.checkout import listing
from hub_index.search.results import Results


def flip_a_bit(note: Path) -> None:
    """One letter of the last id becomes another one."""
    data = bytearray(note.read_bytes())
    data[data.rindex(b"sql-explain")] ^= 1
    note.write_bytes(data)


HARM: dict[str, Callable[[Path], object]] = {
    "damaged": flip_a_bit,
    "cut": lambda note: note.write_bytes(note.read_bytes()[:-3]),
    "empty": lambda note: note.write_bytes(b""),
    "absent": Path.unlink,
    "others may write it": lambda note: note.chmod(0o666),
}


def ask(world: SearchWorld) -> Results:
    """One query by a process of its own, as it were."""
    listing._last.clear()
    return world.open().search("plans of a statement", mode="keyword", snippets=True)


@pytest.mark.parametrize("harm", HARM)
@pytest.mark.parametrize("kind", ["lines", "chosen"])
def test_a_note_that_may_not_be_believed_is_made_again(tmp_path: Path, kind: str, harm: str) -> None:
    """The first search after an edit answers as with an empty cache, and leaves the note as it was."""
    world = make_world(tmp_path)
    ask(world)
    (note,) = (world.cache / kind).iterdir()
    whole = note.read_bytes()
    HARM[harm](note)
    world.story.hub.skill("go-server", "Write a small HTTP server in Go.", body="Reads plans.\n")
    world.story.hub.git("add", "skills")
    answer = ask(world)
    assert note.read_bytes() == whole
    fresh = SearchWorld(world.home, tmp_path / "empty", world.story, world.encoder)
    assert answer == ask(fresh)


def test_builds_of_other_hubs_drop_nothing_that_searches_remember(tmp_path: Path) -> None:
    """A build keeps eight listings: the notes of searches are not among those that it counts."""
    hub = HubMaker(tmp_path / "hub")
    hub.skill("one", "The first.")
    hub.commit("one")
    cache = str(tmp_path / "cache")
    assert listing.read_listing(str(hub.root), cache)
    (note,) = (path for path in Path(cache).rglob("*") if path.is_file())
    for number in range(9):
        KnownListings(cache).remember(f"hub-{number}", "0" * 40, ())
    assert note.is_file()
