"""F60, F61 and F65: what a manifest may not say, and what may be missing or unknown."""

import json
import os
import time
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from support.builds.damaged_indexes import FILES, NO_NUMBERS, WRONG_DIMS, WRONG_FIELDS, WRONG_NAMES, change_manifest
from support.builds.index_maker import unsealed

from hub_index.errors import IndexCorrupt, IndexTooNew
from hub_index.index.folder.reading import map_index, read_digests_ok, read_files, read_skills
from hub_index.index.folder.writing import lock_folder, write_files
from hub_index.index.format.manifest import decode_manifest
from hub_index.index.format.verify import decode_index
from hub_index.models import IndexFiles


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Readers wait for a set that may still come; here nobody else is at work."""
    monkeypatch.setattr(time, "sleep", lambda _: None)


@pytest.mark.parametrize("field", ["vector_file", "skills_file"])
@pytest.mark.parametrize("name", WRONG_NAMES)
def test_f60_only_the_two_plain_names(field: str, name: object) -> None:
    """A manifest cannot send a reader to any other file."""
    with pytest.raises(IndexCorrupt, match=field):
        decode_manifest(change_manifest(**{field: name}))


@pytest.mark.parametrize("name", ["index_manifest.json", "skills.jsonl", "vectors.f32"])
@pytest.mark.parametrize("kind", ["link", "folder", "pipe"])
def test_f60_links_folders_and_pipes_are_not_read(tmp_path: Path, name: str, kind: str) -> None:
    """Each of the three must be a regular file; a link to the right bytes is refused like any other."""
    folder = tmp_path / "search"
    with lock_folder(folder):
        write_files(folder, FILES)
    moved = (folder / name).rename(tmp_path / name)
    if kind == "link":
        (folder / name).symlink_to(moved)
    elif kind == "folder":
        (folder / name).mkdir()
    else:
        os.mkfifo(folder / name)
    for read in (read_files, read_digests_ok, map_index):
        with pytest.raises(IndexCorrupt, match=name):
            read(folder)


def test_f60_a_linked_folder_is_not_read(tmp_path: Path) -> None:
    """A hub cannot offer somebody else's folder as its index."""
    with lock_folder(tmp_path / "real"):
        write_files(tmp_path / "real", FILES)
    (tmp_path / "search").symlink_to("real")
    with pytest.raises(IndexCorrupt, match="link"):
        read_skills(tmp_path / "search")


@pytest.mark.parametrize("dim", WRONG_DIMS)
def test_f61_impossible_dimensions(dim: object) -> None:
    """A dimension is a whole number between 1 and the cap."""
    with pytest.raises(IndexCorrupt, match="dim"):
        decode_manifest(change_manifest(dim=dim))


@pytest.mark.parametrize("number", NO_NUMBERS)
def test_f61_dimensions_that_are_no_json(number: str) -> None:
    """Numbers that JSON does not have, or that take longer to read than to refuse."""
    with pytest.raises(IndexCorrupt):
        decode_manifest(change_manifest(dim=424242).replace(b"424242", number.encode()))


@pytest.mark.parametrize("changes", WRONG_FIELDS)
def test_f61_fields_of_a_wrong_type_or_size(changes: dict[str, Any]) -> None:
    """Every known field is checked, also those that may be missing, and so is their product."""
    with pytest.raises(IndexCorrupt):
        decode_manifest(change_manifest(**changes))


def test_f61_a_huge_count_allocates_nothing(tmp_path: Path) -> None:
    """A manifest that announces 16 GB beside a small file is refused before a byte of that is asked for."""
    folder = tmp_path / "search"
    with lock_folder(folder):
        write_files(folder, FILES)
    changes = {"count": 2_000_000, "dim": 2_000, "vector_bytes": 2_000_000 * 2_000 * 4, "skills_bytes": 2**32}
    (folder / "index_manifest.json").write_bytes(change_manifest(**changes))
    tracemalloc.start()
    try:
        for read in (read_files, read_digests_ok, map_index):
            with pytest.raises(IndexCorrupt):
                read(folder)
        assert tracemalloc.get_traced_memory()[1] < 2_000_000
    finally:
        tracemalloc.stop()


def test_f61_a_manifest_over_its_cap_is_not_read() -> None:
    """Both sides of the cap of 64 KiB."""
    padding = 64 * 1024 - len(FILES.manifest)
    assert decode_manifest(FILES.manifest + b" " * padding)
    with pytest.raises(IndexCorrupt, match="larger"):
        decode_manifest(FILES.manifest + b" " * (padding + 1))


@pytest.mark.parametrize("version", [3, 10**15])
def test_f65_a_newer_index_is_too_new(version: int) -> None:
    """The user is told to upgrade, whatever else the manifest says."""
    with pytest.raises(IndexTooNew, match="upgrade"):
        decode_manifest(change_manifest(index_version=version, dim="many", skills_file="skills.v2"))


@pytest.mark.parametrize("version", [..., None, 0, -1, "1", True, 1.0])
def test_f65_without_a_version_it_is_corrupt(version: object) -> None:
    """index_version is the one field that decides whether the others mean anything."""
    with pytest.raises(IndexCorrupt, match="index_version"):
        decode_manifest(change_manifest(index_version=version))


def test_f65_unknown_keys_are_ignored() -> None:
    """A later writer may add fields."""
    assert decode_manifest(change_manifest(shards=[1, {"a": 2.5}], note="新")) == decode_manifest(FILES.manifest)


def test_f65_too_new_is_not_waited_for(tmp_path: Path) -> None:
    """A reader says at once that it cannot read a later format."""
    folder = tmp_path / "search"
    with lock_folder(folder):
        write_files(folder, FILES)
    (folder / "index_manifest.json").write_bytes(change_manifest(index_version=3))
    with pytest.raises(IndexTooNew, match=str(folder)):
        read_files(folder)


def test_an_index_by_another_writer_is_readable(tmp_path: Path) -> None:
    """Without any of our added fields an index is read: sizes must agree, and the rest is checked as ever."""
    bare = unsealed(FILES)
    keys = ("index_version", "created_at", "hub_revision", "model_id", "dim", "normalize", "vector_file", "skills_file")
    manifest = {key: value for key, value in json.loads(bare.manifest).items() if key in keys}
    bare = IndexFiles(json.dumps(manifest).encode(), bare.skills, bare.vectors)
    for name in ("manifest", "skills", "vectors"):
        published = {"manifest": "index_manifest.json", "skills": "skills.jsonl", "vectors": "vectors.f32"}[name]
        (tmp_path / published).write_bytes(getattr(bare, name))
    assert len(decode_index(read_files(tmp_path)).records) == 4
    assert map_index(tmp_path).vectors[:] == FILES.vectors
    assert read_digests_ok(tmp_path).count is None
