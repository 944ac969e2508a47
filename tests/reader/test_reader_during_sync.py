"""F57 for the tiny reader: an index that is rewritten in place, file after file, is read whole or refused."""

import time
from pathlib import Path
from threading import Event, Thread

import pytest
from support.builds.damaged_indexes import write_raw
from support.builds.index_maker import DIM, PART_IDS, make_files, make_parts, seal

from hub_index.models import IndexFiles
from hub_index.reader import IndexRefused, TinyIndex

_OTHER_IDS = [id_.replace("skill", "other") for id_ in PART_IDS]


def _same_sizes() -> tuple[IndexFiles, IndexFiles]:
    """Two sets of equal sizes, so that digests alone tell them apart; the rows of the second one are turned round."""
    one, other = make_files(PART_IDS), make_files(_OTHER_IDS)
    rows = [other.vectors[at : at + DIM * 4] for at in range(0, len(other.vectors), DIM * 4)]
    turned = seal(other.skills, b"".join(reversed(rows)))
    assert (len(one.skills), len(one.vectors)) == (len(turned.skills), len(turned.vectors))
    return one, turned


_PAIRS = {"format 1": _same_sizes(), "parts": (make_parts(), make_parts(_OTHER_IDS))}


def _rewrite(folder: Path, sets: tuple[IndexFiles, IndexFiles], is_over: Event) -> None:
    """As git does: in place, the manifest first."""
    for turn in range(100_000):
        if is_over.is_set():
            return
        write_raw(folder, sets[turn % 2])


@pytest.mark.parametrize("kind", _PAIRS)
def test_f57_the_tiny_reader_mixes_no_two_sets(tmp_path: Path, kind: str) -> None:
    """Records and vectors are of one set, whichever; else there is an error, and never another one than a refusal."""
    sets = _PAIRS[kind]
    right = []
    for place, files in enumerate(sets):
        index = TinyIndex(write_raw(tmp_path / str(place), files))
        right.append(([record["id"] for record in index.records], index.vectors()))
    folder, is_over = write_raw(tmp_path / "search", sets[0]), Event()
    writer = Thread(target=_rewrite, args=(folder, sets, is_over))
    writer.start()
    try:
        found = _read_often(folder)
    finally:
        is_over.set()
        writer.join()
    assert all(each in right for each in found)


def _read_often(folder: Path) -> list[object]:
    """What was read until there were 20 whole sets and 20 refusals, or for some seconds."""
    found: list[object] = []
    refused, end = 0, time.monotonic() + 5
    while (len(found) < 20 or refused < 20) and time.monotonic() < end:
        try:
            index = TinyIndex(folder)
            found.append(([record["id"] for record in index.records], index.vectors()))
        except IndexRefused:
            refused += 1
    assert found
    return found
