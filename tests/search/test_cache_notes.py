"""Notes in the cache folder: whatever became of one, it counts as absent and is made again."""

import os
from binascii import crc32
from pathlib import Path

import pytest
from support.processes.cli_runner import hub_index
from support.searches.search_world import ids, make_world

from hub_index.base.cache_notes import read_note, write_note


def test_a_note_comes_back_as_it_was_written(tmp_path: Path) -> None:
    """Values may hold equal signs and any letter."""
    write_note(str(tmp_path), "kind", "key", {"a": "b=c", "名": "值", "empty": ""})
    assert read_note(str(tmp_path), "kind", "key", ("a", "名", "empty")) == {"a": "b=c", "名": "值", "empty": ""}


@pytest.mark.parametrize("at", [0, 3, 10, -3, -12])
def test_a_note_with_another_byte_counts_as_absent(tmp_path: Path, at: int) -> None:
    """In a name, in a value or in the last line: nothing of it is believed."""
    write_note(str(tmp_path), "kind", "key", {"version": "5", "count": "12"})
    file = tmp_path / "kind/key"
    content = bytearray(file.read_bytes())
    content[at] ^= 1
    file.write_bytes(content)
    assert read_note(str(tmp_path), "kind", "key", ("version", "count")) is None


def test_a_damaged_note_about_an_index_is_made_again(tmp_path: Path) -> None:
    """A search answers as before and leaves a note that is whole: a damaged name ended every search of the hub."""
    world = make_world(tmp_path)
    before = world.open().search("slow queries", mode="keyword")
    notes = list((world.cache / "manifests").iterdir())
    for note in notes:
        note.write_text(note.read_text().replace("skills_sha256", "skills_sha25X"))
    assert ids(world.open().search("slow queries", mode="keyword").hits) == ids(before.hits)
    assert all("skills_sha256" in note.read_text() for note in notes)


def signed(body: str) -> str:
    """A note as anybody can write it: the checksum is no secret."""
    return f"{body}\nend {crc32(body.encode()):08x}"


@pytest.mark.parametrize(
    "forged", [signed(""), signed("version=6"), signed("a=1\na=2\nb=3"), signed("b=1\na=1"), "\nend 00000000"]
)
def test_a_note_of_other_names_counts_as_absent(tmp_path: Path, forged: str) -> None:
    """Too few, too many, twice the same, or none at all."""
    write_note(str(tmp_path), "kind", "key", {"a": "1", "b": "2"})
    (tmp_path / "kind/key").write_text(forged)
    assert read_note(str(tmp_path), "kind", "key", ("a", "b")) is None


@pytest.mark.parametrize("place", [".", "kind", "kind/key"])
def test_a_note_that_others_may_have_written_counts_as_absent(tmp_path: Path, place: str) -> None:
    """The cache's own folder, the note's, or the note."""
    cache = tmp_path / "cache"
    write_note(str(cache), "kind", "key", {"a": "1"})
    (cache / place).chmod(0o777)
    assert read_note(str(cache), "kind", "key", ("a",)) is None


def test_a_note_is_for_its_user_alone_whatever_the_umask(tmp_path: Path) -> None:
    """One that its group may write would be made again by every search."""
    before = os.umask(0o002)
    try:
        write_note(str(tmp_path / "cache"), "kind", "key", {"a": "1"})
    finally:
        os.umask(before)
    assert read_note(str(tmp_path / "cache"), "kind", "key", ("a",)) == {"a": "1"}


@pytest.mark.parametrize("forged", ["", "\nend 00000000", signed("version=6"), "pipe", "link", "source_digest"])
def test_a_cache_that_others_may_write_decides_nothing(tmp_path: Path, forged: str) -> None:
    """Whatever lies in a note's place, a search answers as before: it neither fails, nor waits, nor believes it."""
    world = make_world(tmp_path)
    arguments = ("search", "slow queries", "--hub", world.hub, "--keyword", "--json")
    before = hub_index(*arguments, HUB_INDEX_CACHE=str(world.cache))
    notes = [note for kind in ("manifests", "checkouts") for note in (world.cache / kind).iterdir()]
    for note in notes:
        body = note.read_text().rpartition("\n")[0]
        note.unlink()
        if forged == "pipe":
            os.mkfifo(note)
        elif forged == "link":
            note.symlink_to("/dev/zero")
        elif forged == "source_digest":
            note.write_text(signed(body.replace("source_digest=", "source_digest=00")))
        else:
            note.write_text(forged)
        note.parent.chmod(0o777)
    world.cache.chmod(0o777)
    for _ in range(2):
        after = hub_index(*arguments, HUB_INDEX_CACHE=str(world.cache))
        assert (after.code, after.out, after.err) == (before.code, before.out, before.err)
