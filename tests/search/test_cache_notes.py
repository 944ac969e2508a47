"""Notes in the cache folder: whatever became of one, it counts as absent and is made again."""

from pathlib import Path

import pytest
from support.search_world import ids, make_world

from hub_index.search.cache_notes import read_note, write_note


def test_a_note_comes_back_as_it_was_written(tmp_path: Path) -> None:
    """Values may hold equal signs and any letter."""
    write_note(str(tmp_path), "kind", "key", {"a": "b=c", "名": "值", "empty": ""})
    assert read_note(str(tmp_path), "kind", "key") == {"a": "b=c", "名": "值", "empty": ""}


@pytest.mark.parametrize("at", [0, 3, 10, -3, -12])
def test_a_note_with_another_byte_counts_as_absent(tmp_path: Path, at: int) -> None:
    """In a name, in a value or in the last line: nothing of it is believed."""
    write_note(str(tmp_path), "kind", "key", {"version": "5", "count": "12"})
    file = tmp_path / "kind/key"
    content = bytearray(file.read_bytes())
    content[at] ^= 1
    file.write_bytes(content)
    assert read_note(str(tmp_path), "kind", "key") is None


def test_a_damaged_note_about_an_index_is_made_again(tmp_path: Path) -> None:
    """A search answers as before and leaves a note that is whole: a damaged name ended every search of the hub."""
    world = make_world(tmp_path)
    before = world.open().search("slow queries", mode="keyword")
    notes = list((world.cache / "manifests").iterdir())
    for note in notes:
        note.write_text(note.read_text().replace("skills_sha256", "skills_sha25X"))
    assert ids(world.open().search("slow queries", mode="keyword").hits) == ids(before.hits)
    assert all("skills_sha256" in note.read_text() for note in notes)
