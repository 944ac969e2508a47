"""The tiny reader and our own client are one acceptance: the same verdict on every damaged index of the test suite."""

import random
import time
from dataclasses import replace
from pathlib import Path

import pytest
from support.builds.conformance_cases import tiny_verdict
from support.builds.damaged_indexes import FILES, PARTS, damaged_sets, write_raw
from support.builds.index_maker import unsealed

from hub_index import reader
from hub_index.errors import IndexUnusable
from hub_index.index.folder.reading import read_files
from hub_index.index.format.verify import decode_index

_KINDS = {"IndexMissing": "missing", "IndexTooNew": "too-new", "IndexCorrupt": "corrupt"}

_SIGNS = [b'"', b"\\", b"0", b"[", b",", b"\xc3\xa9", b"\x7f"]


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Readers wait for a set that may still come; here nobody else is at work."""
    monkeypatch.setattr(time, "sleep", lambda _: None)


def _verdicts(folder: Path) -> tuple[str, str]:
    """Our own client's, and the tiny reader's."""
    try:
        decode_index(read_files(folder))
        ours = "good"
    except IndexUnusable as error:
        ours = _KINDS[type(error).__name__]
    return ours, tiny_verdict(reader, folder)[1]


def test_every_damaged_index_of_the_suite(tmp_path: Path) -> None:
    """All 240 of them, and the right ones beside them."""
    names = []
    for number, (name, files) in enumerate([*damaged_sets(), ("right", FILES), ("right parts", PARTS)]):
        ours, tiny = _verdicts(write_raw(tmp_path / str(number), files))
        assert ours == tiny, name
        names.append((name, ours))
    assert len(names) > 200
    assert [verdict for _, verdict in names].count("corrupt") > 190
    assert names[-2:] == [("right", "good"), ("right parts", "good")]


@pytest.mark.parametrize("has_facts", [True, False])
def test_flipped_bits_and_changed_bytes_anywhere(tmp_path: Path, has_facts: bool) -> None:
    """Bits of any file, and signs of manifest and records, changed by chance: where one refuses, both do."""
    chance, right = random.Random(31), FILES if has_facts else unsealed(FILES)
    good = 0
    for _ in range(700):
        name = chance.choice(["manifest", "skills", "skills", "vectors"])
        data = bytearray(getattr(right, name))
        place = chance.randrange(len(data))
        if chance.random() < 0.5:
            data[place] ^= 1 << chance.randrange(8)
        else:
            data[place : place + chance.randrange(3)] = chance.choice(
                [b'"', b"\\", b"0", b"[", b",", b"\xc3\xa9", b"\x7f"]
            )
        ours, tiny = _verdicts(write_raw(tmp_path / "index", replace(right, **{name: bytes(data)})))  # type: ignore[arg-type]
        assert ours == tiny, (name, place, bytes(data))
        good += ours == "good"
    assert good < 600
