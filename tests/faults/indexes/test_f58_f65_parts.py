"""F58, F59, F60, F61, F65 and F78 of an index in parts: other bytes, missing parts, tricks of the manifest."""

import json
import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from support.builds.damaged_indexes import PARTS as FILES
from support.builds.damaged_indexes import TRICKS, change_parts
from support.builds.index_maker import PART_IDS, make_files, make_parts

from hub_index.errors import ConfigError, IndexCorrupt, IndexTooNew
from hub_index.index.folder.foreign_files import check_no_strangers
from hub_index.index.folder.reading import map_index, read_digests_ok, read_files, read_skills
from hub_index.index.folder.verification import verify_folder
from hub_index.index.folder.writing import lock_folder, write_files
from hub_index.index.format.manifest import decode_manifest
from hub_index.index.format.validate import open_checker
from hub_index.index.format.verify import decode_index
from hub_index.models import IndexFiles

READERS: tuple[Callable[[Path], object], ...] = (read_files, read_digests_ok, map_index, verify_folder)
KINDS = tuple(
    f"{kind}-{bits}.{end}" for kind, end in (("skills", "jsonl"), ("vectors", "f32")) for bits in ("00", "11")
)


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Readers wait for a set that may still come; here nobody else is at work."""
    monkeypatch.setattr(time, "sleep", lambda _: None)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An index folder in parts."""
    place = tmp_path / "search"
    with lock_folder(place):
        write_files(place, FILES)
    return place


def _check_refused(folder: Path, name: str) -> None:
    for read in READERS:
        with pytest.raises(IndexCorrupt, match=name):
            read(folder)
    if name.startswith("skills"):
        with pytest.raises(IndexCorrupt, match=name):
            read_skills(folder)


def test_f59_a_bit_flipped_in_any_part_is_noticed(folder: Path) -> None:
    """One bit in every file of every part: each reader refuses the set and names the file."""
    for path in sorted(folder.glob("*-*")):
        right = path.read_bytes()
        wrong = bytearray(right)
        wrong[len(wrong) // 2] ^= 1
        path.write_bytes(wrong)
        _check_refused(folder, path.name)
        path.write_bytes(right)
    for read in READERS:
        read(folder)


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("change", ["gone", "empty", "short", "long", "link", "pipe"])
def test_f58_a_part_that_is_missing_or_of_another_size(folder: Path, name: str, change: str) -> None:
    """A set of parts is whole or refused; links and pipes are not parts."""
    path = folder / name
    data = path.read_bytes()
    path.unlink()
    if change == "link":
        path.symlink_to(folder.parent / "elsewhere")
        (folder.parent / "elsewhere").write_bytes(data)
    elif change == "pipe":
        os.mkfifo(path)
    elif change != "gone":
        path.write_bytes({"empty": b"", "short": data[:-1], "long": data + data[-1:]}[change])
    _check_refused(folder, name)


@pytest.mark.parametrize("name", KINDS)
def test_f58_a_part_of_another_commit_is_not_mixed_in(folder: Path, tmp_path: Path, name: str) -> None:
    """A part that another index has under the same name is refused: git writes one file after the other."""
    other = tmp_path / "other"
    with lock_folder(other):
        write_files(other, make_parts([f"{id_}-b" for id_ in PART_IDS]))
    (folder / name).write_bytes((other / name).read_bytes())
    _check_refused(folder, name)


def test_f58_a_stored_part_that_changes_before_it_is_read_is_refused(folder: Path) -> None:
    """Parts stay on disk after they were hashed, and are hashed again when they are read."""
    files = read_files(folder)
    with (folder / "vectors-10.f32").open("r+b") as file:
        file.write(b"\1\2\3\4")
    with pytest.raises(IndexCorrupt, match=r"vectors-10\.f32"):
        decode_index(files)


@pytest.mark.parametrize("trick", list(TRICKS))
def test_f60_f61_a_manifest_lists_all_parts_with_our_own_names(trick: str) -> None:
    """2, 4, 8 … parts in order, each file called as it must be, sizes that add up: nothing else is a list of parts."""
    with pytest.raises(IndexCorrupt, match=r"index_manifest\.json"):
        decode_manifest(change_parts(TRICKS[trick]))


def test_f60_the_reader_refuses_what_the_schema_refuses() -> None:
    """No manifest passes our reader and breaks the schema."""
    checker = open_checker("manifest")
    for change in TRICKS.values():
        value = json.loads(change_parts(change))
        try:
            checker.check(value, "index_manifest.json")
        except IndexCorrupt:
            with pytest.raises(IndexCorrupt):
                decode_manifest(json.dumps(value).encode())


@pytest.mark.parametrize("key", ["vector_file", "skills_file", "vector_sha256", "skills_bytes"])
def test_f65_a_manifest_of_parts_has_no_key_of_format_1(key: str) -> None:
    """A client that reads such a key would search other files than we do."""
    value = json.loads(make_files().manifest)[key]
    with pytest.raises(IndexCorrupt, match=f"{key} belongs to format 1"):
        decode_manifest(change_parts(lambda parts: None, **{key: value}))
    with pytest.raises(IndexCorrupt, match="schema"):
        open_checker("manifest").check(
            json.loads(change_parts(lambda parts: None, **{key: value})), "index_manifest.json"
        )


@pytest.mark.parametrize("count", [0, len(PART_IDS) + 1, None, "12"])
def test_f61_the_count_is_the_sum_of_thechange_parts(count: object) -> None:
    """The number of rows is told once for all and once for each part."""
    with pytest.raises(IndexCorrupt, match="count"):
        decode_manifest(change_parts(lambda parts: None, count=count))


def test_f61_a_record_in_the_wrong_part_is_refused() -> None:
    """Digests may be right and the record still lie where nobody looks for it."""
    swapped = make_parts()
    parts = (swapped.parts[1], swapped.parts[0], *swapped.parts[2:])
    manifest = json.loads(swapped.manifest)
    one, other = manifest["parts"][0], manifest["parts"][1]
    for field in ("bytes", "sha256"):
        for kind in ("skills", "vectors"):
            one[kind][field], other[kind][field] = other[kind][field], one[kind][field]
    one["count"], other["count"] = other["count"], one["count"]
    with pytest.raises(IndexCorrupt, match=r"skills-00\.jsonl: line 1 belongs to another part"):
        decode_index(IndexFiles(json.dumps(manifest).encode(), parts=parts))


def test_f65_a_reader_of_format_1_is_told_to_upgrade(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the version before this one said of a higher format, it says of parts."""
    monkeypatch.setattr("hub_index.index.format.manifest.INDEX_VERSION", 1)
    with pytest.raises(IndexTooNew, match="the index has format 2, this hub-index reads 1; upgrade hub-index"):
        read_files(folder)


def test_f78_files_called_as_parts_without_a_manifest_are_somebody_elses(tmp_path: Path) -> None:
    """Where no manifest says that they are an index, they are not replaced."""
    (tmp_path / "skills-01.jsonl").write_text("mine")
    with pytest.raises(ConfigError, match=r"holds skills-01\.jsonl, which may be somebody else's"):
        check_no_strangers(tmp_path)
