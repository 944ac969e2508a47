"""F57: index files that are rewritten or cut in place while others search: whole answers or a reason, never a crash."""

import gc
import os
import shutil
import threading
from pathlib import Path

import pytest
from support.builds.index_maker import DIM, make_files, make_record, make_vectors, seal
from support.processes.cli_runner import hub_index
from support.searches.search_world import SearchWorld, ids, make_world

from hub_index.index.folder.reading import map_index
from hub_index.index.format.records import encode_records
from hub_index.models import IndexFiles

NAMES = ("index_manifest.json", "skills.jsonl", "vectors.f32")


def large_files(count: int) -> IndexFiles:
    """A right set of that many rows."""
    return seal(encode_records(make_record(f"skill-{row:06}") for row in range(count)), make_vectors(count))


def write_in_place(folder: Path, files: IndexFiles) -> None:
    """As `cp` does it: the same inode, cut to nothing and written again."""
    for name, data in zip(NAMES, (files.manifest, files.skills, files.vectors), strict=True):
        (folder / name).write_bytes(data)


def test_f57_what_was_verified_is_what_is_used(tmp_path: Path) -> None:
    """Cutting the file to nothing after it was read changes nothing for its reader."""
    files = large_files(600)  # more than a page: reading a map of a cut file would kill this process
    write_in_place(tmp_path, files)
    mapped = map_index(tmp_path)
    (tmp_path / "vectors.f32").write_bytes(b"")
    assert bytes(mapped.vectors) == files.vectors
    assert mapped.vectors.readonly
    assert len(mapped.vectors) == 600 * DIM * 4


def test_f57_searches_survive_a_copy_over_the_index(tmp_path: Path) -> None:
    """Processes that search while another set is copied over theirs, again and again, end by themselves and rightly."""
    folder = tmp_path / "search"
    folder.mkdir()
    sets = (large_files(4000), large_files(40))
    write_in_place(folder, sets[0])
    stop = threading.Event()

    def rewrite() -> None:
        turn = 0
        while not stop.is_set():
            turn += 1
            write_in_place(folder, sets[turn % 2])

    writer = threading.Thread(target=rewrite)
    writer.start()
    try:
        outcomes = [hub_index("related", "skill-000007", "--index-dir", folder) for _ in range(6)]
    finally:
        stop.set()
        writer.join()
    for outcome in outcomes:
        assert outcome.code in (0, 6), outcome
        assert outcome.code != 0 or outcome.out.startswith("Results (5 found):")
        assert outcome.code != 6 or outcome.err.count("\n") == 1


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("mode", ["keyword", "auto"])
def test_f57_a_folder_in_place_of_a_file_is_a_refusal(tmp_path: Path, name: str, mode: str) -> None:
    """The checkout's files answer, with the reason, where there is no verified copy; no handle is left."""
    world: SearchWorld = make_world(tmp_path)
    shutil.copytree(world.hub / "search", world.home / "search")
    world.open().search("slides", mode=mode)
    (world.home / "search" / name).unlink()
    (world.home / "search" / name).mkdir()
    shutil.rmtree(world.cache)
    before = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0
    results = world.open().search("slides", mode=mode)
    if mode == "auto" or name != "vectors.f32":
        assert results.index_dir == str(world.hub / "search")
    (world.hub / "search" / name).unlink()
    (world.hub / "search" / name).mkdir()
    shutil.rmtree(world.cache)
    results = world.open().search("slides", mode=mode)
    assert ids(results.hits)[0] == "ppt-maker"
    assert results.mode == "keyword"
    if mode == "auto" or name != "vectors.f32":
        assert "as a regular file (it is a folder" in results.fallback_reason
    gc.collect()  # an index that nobody holds any more lets go of its mapped copy
    assert not before or len(os.listdir("/proc/self/fd")) <= before


def test_f57_an_empty_set_is_read_too(tmp_path: Path) -> None:
    """An empty file needs no memory and is not an error."""
    write_in_place(tmp_path, make_files(()))
    assert bytes(map_index(tmp_path).vectors) == b""
