"""The vector cache: vectors come back bit for bit, damaged files are skipped, several builders share it."""

import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from support.models.provider_world import skill_texts

from hub_index.embedding.cache import cache_files
from hub_index.embedding.cache.cache_care import plan_merge, prune_cache, read_info
from hub_index.embedding.cache.vector_cache import VectorCache

SPACE = "sha256:" + "a" * 64
OTHER = "sha256:" + "b" * 64


def _rows(count: int, dim: int = 16, seed: int = 0) -> dict[str, NDArray[np.float32]]:
    rows = np.random.default_rng(seed).standard_normal((count, dim))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return dict(zip((text.text_hash for text in skill_texts(count)), rows.astype(np.float32), strict=True))


def _is_equal(found: dict[str, NDArray[np.float32]], rows: dict[str, NDArray[np.float32]]) -> bool:
    return found.keys() == rows.keys() and all(found[key].tobytes() == rows[key].tobytes() for key in rows)


def _files(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.parquet"))


def _age(path: Path, seconds: float = 7200) -> None:
    then = time.time() - seconds
    os.utime(path, (then, then))


def test_vectors_come_back_bit_for_bit(tmp_path: Path) -> None:
    """What was added is read again by another process's cache, and by its own space only."""
    rows = _rows(50)
    VectorCache(tmp_path).add(SPACE, rows, "test:m")
    assert _is_equal(VectorCache(tmp_path).read_vectors(SPACE, rows, 16), rows)
    assert VectorCache(tmp_path).read_vectors(OTHER, rows, 16) == {}
    assert VectorCache(tmp_path).read_vectors(SPACE, rows, 17) == {}
    assert VectorCache(tmp_path).read_held(SPACE, [*list(rows)[:3], "f" * 64], None) == set(list(rows)[:3])


def test_a_merge_makes_one_file_and_loses_nothing(tmp_path: Path) -> None:
    """Many batches become one file; a second merge of a large and a small file leaves the large one alone."""
    rows = _rows(400)
    cache = VectorCache(tmp_path)
    for start in range(0, 400, 20):
        cache.add(SPACE, {key: rows[key] for key in list(rows)[start : start + 20]})
    assert len(_files(tmp_path)) == 20
    cache.merge(SPACE)
    (large,) = _files(tmp_path)
    assert _is_equal(cache.read_vectors(SPACE, rows, None), rows)
    for number in range(3):
        cache.add(SPACE, _rows(1, seed=number + 1))
        cache.merge(SPACE)
    assert large in _files(tmp_path)
    assert len(_files(tmp_path)) <= 3
    assert plan_merge(large.parent) == []


@pytest.mark.parametrize("damage", ["cut", "empty", "flipped", "garbage", "other space", "folder"])
def test_a_damaged_file_is_skipped(tmp_path: Path, damage: str) -> None:
    """Torn, foreign and flipped files give no vector and no error, and the sound ones beside them are used."""
    rows = _rows(40)
    cache = VectorCache(tmp_path)
    first, second = dict(list(rows.items())[:20]), dict(list(rows.items())[20:])
    cache.add(SPACE, first)
    (path,) = _files(tmp_path)
    content = path.read_bytes()
    if damage == "cut":
        path.write_bytes(content[:-100])
    elif damage == "empty":
        path.write_bytes(b"")
    elif damage == "flipped":
        middle = len(content) // 2  # inside the vectors' page, which has a checksum
        path.write_bytes(content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :])
    elif damage == "garbage":
        path.write_bytes(os.urandom(5000))
    elif damage == "other space":
        VectorCache(tmp_path).add(OTHER, first)
        os.replace(cache_files.list_files(cache_files.space_folder(tmp_path, OTHER))[0], path)
    else:
        path.unlink()
        path.mkdir()
    cache.add(SPACE, second)
    assert _is_equal(cache.read_vectors(SPACE, rows, None), second)
    later = VectorCache(tmp_path)
    later.merge(SPACE)
    assert later.problem is None
    assert _is_equal(cache.read_vectors(SPACE, rows, None), second)


def test_every_flipped_bit_gives_the_right_vector_or_none(tmp_path: Path) -> None:
    """Whatever single bit of a file flips, a vector that comes back is the one that was written."""
    rows = _rows(8, dim=4)
    VectorCache(tmp_path).add(SPACE, rows)
    (path,) = _files(tmp_path)
    content = path.read_bytes()
    for place in range(0, len(content), 7):
        path.write_bytes(content[:place] + bytes([content[place] ^ (1 << place % 8)]) + content[place + 1 :])
        for key, row in VectorCache(tmp_path).read_vectors(SPACE, rows, 4).items():
            assert row.tobytes() == rows[key].tobytes(), place


def test_f45_a_full_disk_costs_the_cache_not_the_build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """When a file cannot be written the cache says so once, leaves no temporary file, and the build goes on."""
    cache = VectorCache(tmp_path)

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "rename", fail)
    cache.add(SPACE, _rows(3))
    cache.add(SPACE, _rows(3))
    cache.merge(SPACE)
    assert cache.problem is not None
    assert "No space left" in cache.problem
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_a_file_that_vanishes_while_it_is_looked_for_is_found_merged(tmp_path: Path) -> None:
    """A reader whose list is older than a merge looks again and misses nothing."""
    rows = _rows(60)
    cache = VectorCache(tmp_path)
    for start in range(0, 60, 10):
        cache.add(SPACE, {key: rows[key] for key in list(rows)[start : start + 10]})
    real = cache_files.read_matching
    merged = False

    def merge_first(*arguments: object) -> dict[str, NDArray[np.float32]]:
        nonlocal merged
        if not merged:
            merged = True
            VectorCache(tmp_path).merge(SPACE)
        return real(*arguments)  # type: ignore[arg-type]

    cache_files.read_matching = merge_first  # type: ignore[assignment]
    try:
        assert _is_equal(cache.read_vectors(SPACE, rows, None), rows)
    finally:
        cache_files.read_matching = real


def test_readers_writers_and_mergers_meet_without_harm(tmp_path: Path) -> None:
    """While others add and merge, a reader always finds everything that was there when it began."""
    rows = _rows(300)
    cache = VectorCache(tmp_path)
    keys = list(rows)
    cache.add(SPACE, {key: rows[key] for key in keys[:50]})
    stop = threading.Event()
    problems: list[str] = []

    def merge_on() -> None:
        while not stop.is_set():
            VectorCache(tmp_path).merge(SPACE)

    def read_on() -> None:
        while not stop.is_set():
            found = VectorCache(tmp_path).read_vectors(SPACE, keys[:50], None)
            if len(found) != 50:
                problems.append(f"{len(found)} of 50")

    threads = [threading.Thread(target=work) for work in (merge_on, merge_on, read_on, read_on)]
    for thread in threads:
        thread.start()
    for start in range(50, 300, 5):
        cache.add(SPACE, {key: rows[key] for key in keys[start : start + 5]})
    stop.set()
    for thread in threads:
        thread.join()
    assert problems == []
    assert _is_equal(cache.read_vectors(SPACE, rows, None), rows)


def test_info_and_prune_cache(tmp_path: Path) -> None:
    """Info tells spaces, models and sizes; prune keeps what an index uses, and what a build may be writing now."""
    rows = _rows(20)
    cache = VectorCache(tmp_path)
    cache.add(SPACE, rows, "test:one")
    cache.add(OTHER, rows, "test:two")
    info = read_info(tmp_path)
    assert [(space.model_id, space.dim, space.vectors) for space in info.spaces] == [
        ("test:one", 16, 20),
        ("test:two", 16, 20),
    ]
    assert info.size_bytes == sum(path.stat().st_size for path in _files(tmp_path))
    kept = set(list(rows)[:5])
    assert prune_cache(tmp_path, {SPACE: kept}).freed_bytes == 0  # batches of the last hour: a build may be under way
    leftover = cache_files.space_folder(tmp_path, SPACE) / ".tmp-batch-x.parquet"
    leftover.write_bytes(b"torn")
    for path in [*_files(tmp_path), leftover]:
        _age(path)
    pruned = prune_cache(tmp_path, {SPACE: kept})
    assert pruned.freed_bytes > 0
    assert cache.read_held(SPACE, rows, None) == kept
    assert [space.space for space in read_info(tmp_path).spaces] == [SPACE]
    assert not leftover.exists()
    assert read_info(tmp_path / "nowhere").spaces == ()


def test_two_processes_fill_one_cache_at_once(tmp_path: Path) -> None:
    """Both builders succeed, nothing is torn, everything is there."""
    code = (
        "import sys; from pathlib import Path; import numpy as np\n"
        "from hub_index.embedding.cache.vector_cache import VectorCache\n"
        "cache = VectorCache(Path(sys.argv[1]))\n"
        "for start in range(0, 200, 10):\n"
        "    rows = np.eye(200, dtype=np.float32)[start:start + 10]\n"
        "    cache.add(sys.argv[2], {f'{start + n:064x}': row for n, row in enumerate(rows)})\n"
        "    if start % 50 == 0: cache.merge(sys.argv[2])\n"
        "cache.merge(sys.argv[2]); assert cache.problem is None\n"
    )
    children = [subprocess.Popen([sys.executable, "-c", code, str(tmp_path), SPACE]) for _ in range(2)]
    assert [child.wait(60) for child in children] == [0, 0]
    found = VectorCache(tmp_path).read_vectors(SPACE, [f"{number:064x}" for number in range(200)], 200)
    assert len(found) == 200
    assert all(found[f"{number:064x}"][number] == 1 for number in range(200))
    assert read_info(tmp_path).torn_files == 0
