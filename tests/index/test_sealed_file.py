"""Sealed notes of the cache: what is read is what was written, and a folder keeps those written last."""

import os
from pathlib import Path

import pytest

from hub_index.base.checksummed_file import read_sealed, write_sealed


def write_many(folder: Path, count: int) -> None:
    """Notes 0 and up, each a second older than the next; a folder of so many drops none."""
    for number in range(count):
        note = folder / f"note-{number}"
        write_sealed(str(note), b"%d" % number, count)
        os.utime(note, (number, number))


def names(folder: Path) -> list[str]:
    """What lies in a folder."""
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("body", [b"", b"one", bytes(range(256)) * 9])
def test_what_was_written_is_read(tmp_path: Path, body: bytes) -> None:
    """Whatever the bytes are, and over what was there before."""
    path = str(tmp_path / "notes" / "one")
    write_sealed(path, b"before", 1)
    write_sealed(path, body, 1)
    assert read_sealed(path) == body


@pytest.mark.parametrize("at", [0, 31, 32, -1])
def test_a_damaged_note_counts_as_absent(tmp_path: Path, at: int) -> None:
    """One bit in the seal or behind it, or an end that is missing."""
    path = tmp_path / "notes" / "one"
    write_sealed(str(path), b"what was worked out", 1)
    whole = path.read_bytes()
    damaged = bytearray(whole)
    damaged[at] ^= 1
    path.write_bytes(damaged)
    assert read_sealed(str(path)) is None
    path.write_bytes(whole[:at])
    assert read_sealed(str(path)) is None
    assert read_sealed(str(path.with_name("two"))) is None


def test_a_note_is_for_its_user_alone_whatever_the_umask(tmp_path: Path) -> None:
    """A note that others may write would never be believed."""
    before = os.umask(0)
    try:
        write_sealed(str(tmp_path / "notes" / "one"), b"body", 1)
    finally:
        os.umask(before)
    assert read_sealed(str(tmp_path / "notes" / "one")) == b"body"


@pytest.mark.parametrize("place", [".", "notes", "notes/one"])
def test_a_note_that_others_may_write_counts_as_absent(tmp_path: Path, place: str) -> None:
    """The note itself, its folder, or the cache."""
    path = str(tmp_path / "notes" / "one")
    write_sealed(path, b"body", 1)
    (tmp_path / place).chmod(0o777)
    assert read_sealed(path) is None


def test_a_folder_keeps_the_notes_written_last(tmp_path: Path) -> None:
    """As many as are to be kept, and not one fewer."""
    write_many(tmp_path, 4)
    write_sealed(str(tmp_path / "note-4"), b"4", 5)
    assert names(tmp_path) == [f"note-{number}" for number in range(5)]
    write_sealed(str(tmp_path / "note-5"), b"5", 3)
    assert names(tmp_path) == ["note-3", "note-4", "note-5"]


def test_notes_that_another_process_removes_meanwhile_stop_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two writers prune the same folder: one of them finds names of what is gone, and removes the rest."""
    write_many(tmp_path, 6)
    found = [*os.listdir(tmp_path), "gone", "temporary"]
    monkeypatch.setattr(os, "listdir", lambda _: found)
    write_sealed(str(tmp_path / "note-5"), b"5", 2)
    monkeypatch.undo()
    assert names(tmp_path) == ["note-4", "note-5"]


def test_a_note_that_cannot_be_written_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a full disk the old note stays, and the new one's beginning does not take up the rest."""
    path = str(tmp_path / "one")
    write_sealed(path, b"before", 1)

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", fail)
    write_sealed(path, b"after", 1)
    assert (names(tmp_path), read_sealed(path)) == (["one"], b"before")
