"""The verified copy of an index's vectors in the user's cache, and the signs that are kept with it."""

import os
import subprocess
import sys
from mmap import MAP_PRIVATE, mmap
from pathlib import Path

import numpy as np
import pytest
from support.searches.search_world import SearchWorld, ids, make_world

from hub_index.search.places import verified_vectors as published_vectors
from hub_index.search.semantic import semantic, vector_copy
from hub_index.search.semantic.semantic import VectorScan
from hub_index.search.semantic.sign_prefilter import open_sign_bits

_QUERY = "slides"


@pytest.fixture(autouse=True)
def room_on_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """However full the disk of the machine is that runs the tests."""
    monkeypatch.setattr(vector_copy, "SPARE_SHARE", 0.0)


@pytest.fixture
def world(tmp_path: Path) -> SearchWorld:
    """A hub with an index that nobody has searched yet."""
    return make_world(tmp_path)


def copies(world: SearchWorld) -> list[Path]:
    """The copies in the user's cache."""
    return sorted((world.cache / "mapped").glob("*")) if (world.cache / "mapped").is_dir() else []


_OPENED = """
import os, sys
from hub_index.base.safe_open import rooted
from hub_index.search.places.verified_vectors import read_vectors
sys.addaudithook(lambda event, facts: event == "open" and print(os.path.basename(str(facts[0]))))
read_vectors(rooted(sys.argv[1]), sys.argv[2])
"""


def test_vectors_are_checked_once(world: SearchWorld) -> None:
    """A process after the first one maps the copy: it opens the manifest, and not the hub's vectors."""
    world.open().search(_QUERY, mode="hybrid")
    (copy,) = copies(world)
    vectors = world.hub / "search" / "vectors.f32"
    assert copy.read_bytes().startswith(vectors.read_bytes())
    assert os.stat(copy).st_ino != os.stat(vectors).st_ino
    opened = [sys.executable, "-c", _OPENED, str(world.hub / "search"), str(world.cache)]
    names = subprocess.run(opened, check=True, capture_output=True, text=True).stdout.split()
    assert {"index_manifest.json", copy.name} <= set(names)
    assert "vectors.f32" not in names


@pytest.mark.parametrize("name", ["vectors.f32", "skills.jsonl"])
def test_a_hubs_file_that_has_changed_is_verified_again(world: SearchWorld, name: str) -> None:
    """Zeros in the hub's own file are noticed whatever was verified before; with the bytes back it answers again."""
    first = world.open().search(_QUERY, mode="hybrid")
    file = world.hub / "search" / name
    whole = file.read_bytes()
    file.write_bytes(bytes(len(whole)))
    damaged = world.open().search(_QUERY, mode="auto")
    assert (damaged.mode, name in damaged.fallback_reason) == ("keyword", True)
    assert name == "vectors.f32" or name in world.open().search(_QUERY, mode="keyword").fallback_reason
    file.write_bytes(whole)
    again = world.open().search(_QUERY, mode="hybrid")
    assert (again.mode, ids(again.hits)) == ("hybrid", ids(first.hits))


def test_a_copy_that_others_may_write_is_not_believed(world: SearchWorld) -> None:
    """Then the vectors are read as ever, and a hub's file that is cut is noticed."""
    world.open().search(_QUERY, mode="hybrid")
    (copy,) = copies(world)
    copy.chmod(0o666)
    (world.hub / "search" / "vectors.f32").write_bytes(b"cut")
    results = world.open().search(_QUERY, mode="auto")
    assert results.mode == "keyword"
    assert "vectors.f32" in results.fallback_reason


@pytest.mark.parametrize("damage", ["cut", "link", "zeros", "a row of zeros", "another copy"])
def test_a_damaged_copy_is_made_anew(world: SearchWorld, damage: str) -> None:
    """A copy that is cut, no file, of zeros in whole or in part, or the copy of other vectors, counts as none."""
    right = world.open().search(_QUERY, mode="hybrid")
    (copy,) = copies(world)
    whole = copy.read_bytes()
    copy.unlink()
    if damage == "link":
        copy.symlink_to(world.hub / "search" / "vectors.f32")
    else:
        copy.write_bytes(_damaged(world, whole, damage))
    found = world.open().search(_QUERY, mode="hybrid")
    assert (found.mode, found.hits) == ("hybrid", right.hits)
    assert not copy.is_symlink()
    assert copy.read_bytes() == whole


def _damaged(world: SearchWorld, whole: bytes, damage: str) -> bytes:
    """What stands in the copy's place."""
    if damage == "cut":
        return whole[:-4]
    if damage == "zeros":
        return bytes(len(whole))
    if damage == "a row of zeros":
        return bytes(64 * 4) + whole[64 * 4 :]
    rows = np.random.default_rng(3).normal(size=(len(whole) // (64 * 4 + 4), 64)).astype(np.float32)
    assert vector_copy.keep_copy(str(world.cache), "other", len(rows), 64, vector_copy.write_matrix(rows))
    return Path(vector_copy.copy_path(str(world.cache), "other")).read_bytes()


def test_a_damaged_copy_of_many_rows_is_made_anew(world: SearchWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of many rows those that a search or a comparison takes are checked, and its answer is the right one."""
    monkeypatch.setattr(semantic, "MANY_ROWS", 1)
    monkeypatch.setattr(published_vectors, "MANY_ROWS", 1)
    right = world.open().search(_QUERY, mode="hybrid").hits, world.open().related("ppt-maker").hits
    for ask in (0, 1):
        (copy,) = copies(world)
        whole = copy.read_bytes()
        copy.write_bytes(bytes(len(whole)))
        with world.open() as index:
            found = index.related("ppt-maker").hits if ask else index.search(_QUERY, mode="hybrid").hits
        assert found == right[ask]
        assert copy.read_bytes() == whole


@pytest.mark.parametrize("damage", ["zeros", "another copy"])
def test_damaged_signs_are_made_anew(tmp_path: Path, damage: str) -> None:
    """Signs of zeros, or those of another index, are not believed."""
    matrix = np.random.default_rng(5).normal(size=(100, 64)).astype(np.float32)
    query = matrix[7]
    bits = open_sign_bits(str(tmp_path), "rows", matrix)
    assert bits is not None
    expected = bits.likely(query, 5, None).tolist()
    assert open_sign_bits(str(tmp_path), "other", -matrix) is not None
    kept, other = tmp_path / "mapped" / "rows.signs1", tmp_path / "mapped" / "other.signs1"
    kept.write_bytes(bytes(kept.stat().st_size) if damage == "zeros" else other.read_bytes())
    again = open_sign_bits(str(tmp_path), "rows", matrix)
    assert again is not None
    assert again.likely(query, 5, None).tolist() == expected


def test_without_room_vectors_are_read_as_ever(world: SearchWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the budget is too small there is an answer all the same, and no copy."""
    monkeypatch.setattr(vector_copy, "MAX_VECTOR_COPIES_BYTES", 10)
    assert world.open().search(_QUERY, mode="hybrid").mode == "hybrid"
    assert copies(world) == []


def test_the_oldest_copies_go_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A new copy takes the place of the one that was used longest ago."""
    monkeypatch.setattr(vector_copy, "MAX_VECTOR_COPIES_BYTES", 20)
    for name in ("first", "second", "third"):
        assert vector_copy.keep_copy(str(tmp_path), name, 1, 1, lambda file: file.write(b"1234"))
        if name == "first":
            os.utime(vector_copy.copy_path(str(tmp_path), name), (10**9, 10**9))
    assert sorted(path.name for path in (tmp_path / "mapped").iterdir()) == ["second", "third"]


def test_a_first_pass_over_signs_finds_the_nearest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of clustered rows the best ten are those of an exact scan, with the same scores, also among allowed rows only."""
    rng = np.random.default_rng(7)
    centres = rng.normal(size=(200, 70))
    rows = centres[rng.integers(0, 200, 20_000)] + 0.7 * rng.normal(size=(20_000, 70))
    matrix = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    monkeypatch.setattr(semantic, "MANY_ROWS", 1)
    monkeypatch.setattr(semantic, "_MIN_DEPTH", 400)
    exact = VectorScan(matrix)
    allowed = list(range(0, 20_000, 2))
    shares = []
    for query in matrix[:40]:
        scan = VectorScan(matrix, lambda: open_sign_bits(str(tmp_path), "rows", matrix))
        for among in (None, allowed):
            expected, found = exact.nearest(query, 10, among), scan.nearest(query, 10, among)
            shares.append(len(set(expected) & set(found)) / 10)
    assert sum(shares) / len(shares) >= 0.99
    assert [path.name for path in (tmp_path / "mapped").iterdir()] == ["rows.signs1"]


def test_rows_from_all_over_a_mapped_copy_leave_nothing_resident(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows of a mapped copy are those of the matrix, in any order, and none of its pages stays resident."""
    matrix = np.random.default_rng(3).normal(size=(40_000, 64)).astype(np.float32)
    assert vector_copy.keep_copy(str(tmp_path), "rows", len(matrix), 64, vector_copy.write_matrix(matrix))
    copy = vector_copy.open_copy(str(tmp_path), "rows", len(matrix), 64)
    assert copy is not None
    mapped = copy.matrix
    monkeypatch.setattr(semantic, "MANY_ROWS", 1)
    monkeypatch.setattr(vector_copy, "_STRETCH_BYTES", 1 << 20)
    wanted = [39_999, 3, 40_000, 17_000, 4, 3]  # one beyond the last has no vector
    expected = [0.0 if row == 40_000 else float(matrix[row] @ matrix[3]) for row in wanted]
    assert VectorScan(mapped).cosines(matrix[3], wanted) == pytest.approx(expected, abs=1e-4)
    allowed = list(range(39_999, 0, -7))
    assert VectorScan(mapped).nearest(matrix[3], 5, allowed) == VectorScan(matrix).nearest(matrix[3], 5, allowed)
    assert _resident_bytes("rows") == 0


def test_memory_that_is_no_copy_is_never_given_back() -> None:
    """Vectors that were read into memory of our own keep their values: given back, they would be zeros."""
    own = np.frombuffer(memoryview(mmap(-1, 1 << 16, flags=MAP_PRIVATE)), dtype="<f4").reshape(-1, 64)
    own.flags.writeable = True
    own[:] = 1.0
    assert vector_copy.take_rows(own, np.arange(len(own))).all()
    assert own.all()


def _resident_bytes(name: str) -> int:
    """How much of the mapped file of this name is resident in this process."""
    lines = Path("/proc/self/smaps").read_text().splitlines()
    start = next(place for place, line in enumerate(lines) if line.endswith(f"/mapped/{name}"))
    return next(int(line.split()[1]) * 1024 for line in lines[start:] if line.startswith("Rss:"))


@pytest.mark.parametrize("mode", ["semantic", "hybrid"])
@pytest.mark.parametrize("bits", [0x7F00_0000, 0x7FC0_0000], ids=["far too large", "not a number"])
def test_a_copy_in_which_a_disk_has_lost_bits_is_made_anew(world: SearchWorld, mode: str, bits: int) -> None:
    """No cosine is greater than one: a row that has one puts no skill first, in a new process or an open one."""
    with world.open() as index:
        right = ids(index.search(_QUERY, mode=mode).hits)
        (copy,) = copies(world)
        sound = copy.read_bytes()
        numbers = np.frombuffer(sound, dtype="<u4").copy()
        numbers[3] |= bits
        with open(copy, "r+b") as file:  # in place, as a disk does it: an open index has it mapped
            file.write(numbers.tobytes())
        assert ids(index.search(_QUERY, mode=mode).hits) == right
    assert [path.read_bytes() for path in copies(world)] == [sound]
    with world.open() as index:
        found = index.search(_QUERY, mode=mode)
        assert (found.mode, ids(found.hits)) == (mode, right)
