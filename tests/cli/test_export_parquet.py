"""`hub-index export parquet`: what other programs read is what the index holds, and strangers' folders stay."""

from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from support.builds.index_maker import DIM, PART_IDS, make_files, make_parts
from support.processes.cli_runner import hub_index_here

from hub_index.errors import ConfigError, IndexCorrupt
from hub_index.export.parquet import export_parquet
from hub_index.index.folder.writing import lock_folder, write_files
from hub_index.models import IndexFiles


def _index(folder: Path, files: IndexFiles) -> Path:
    with lock_folder(folder):
        write_files(folder, files)
    return folder


@pytest.mark.parametrize(("files", "count"), [(make_parts(), 4), (make_files(PART_IDS), 1)], ids=["parts", "whole"])
def test_records_and_vectors_stand_side_by_side(tmp_path: Path, files: IndexFiles, count: int) -> None:
    """A file for each part; read as one table it has every record with its own vector."""
    written = export_parquet(_index(tmp_path / "search", files), tmp_path / "out")
    assert (written.rows, written.files, len(list((tmp_path / "out").rglob("*.parquet")))) == (12, count, count)
    table = pq.read_table(tmp_path / "out").sort_by("id")
    assert table["id"].to_pylist() == list(PART_IDS)
    assert table["keywords"][0].as_py() == ["sql", "数据库"]
    rows = np.array(table["vector"].to_pylist(), dtype=np.float32)
    assert np.array_equal(rows, np.frombuffer(make_files(PART_IDS).vectors, "<f4").reshape(-1, DIM))


def test_a_part_is_read_by_its_name(tmp_path: Path) -> None:
    """Readers guess the type of what a folder's name says: `part=010` would be the number 10 to every one of them."""
    written = export_parquet(_index(tmp_path / "search", make_parts()), tmp_path / "out")
    assert sorted(path.name for path in written.folder.glob("part=*")) == [f"part=b{n:02b}" for n in range(4)]
    table = pq.read_table(written.folder)
    assert set(table["part"].to_pylist()) == {"b00", "b01", "b10", "b11"}
    assert pq.read_table(written.folder, filters=[("part", "=", "b01")])["id"].to_pylist() == [
        skill for skill, part in zip(table["id"].to_pylist(), table["part"].to_pylist(), strict=True) if part == "b01"
    ]


def test_an_earlier_export_is_replaced_and_gives_the_same_bytes(tmp_path: Path) -> None:
    """Nothing of the old one stays, and nothing but the index decides the bytes."""
    index = _index(tmp_path / "search", make_parts())
    export_parquet(index, tmp_path / "out")
    before = {path.relative_to(tmp_path): path.read_bytes() for path in (tmp_path / "out").rglob("*.parquet")}
    export_parquet(index, tmp_path / "out")
    assert {path.relative_to(tmp_path): path.read_bytes() for path in (tmp_path / "out").rglob("*.parquet")} == before
    export_parquet(_index(tmp_path / "other", make_files()), tmp_path / "out")
    assert [path.name for path in (tmp_path / "out").rglob("*.parquet")] == ["skills.parquet"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["other", "out", "search"]


def test_somebody_elses_folder_is_not_replaced(tmp_path: Path) -> None:
    """A folder with files that no export has written is refused before anything is read."""
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "notes.txt").write_text("mine")
    with pytest.raises(ConfigError, match="holds files that are not an earlier export"):
        export_parquet(tmp_path / "missing", tmp_path / "out")
    assert (tmp_path / "out" / "notes.txt").read_text() == "mine"


def test_a_damaged_index_leaves_the_earlier_export(tmp_path: Path) -> None:
    """What is wrong is never exported, and what was right stays."""
    index = _index(tmp_path / "search", make_parts())
    export_parquet(index, tmp_path / "out")
    (index / "vectors-01.f32").write_bytes(b"")
    with pytest.raises(IndexCorrupt, match=r"vectors-01\.f32"):
        export_parquet(index, tmp_path / "out")
    assert pq.read_table(tmp_path / "out").num_rows == 12


def test_the_command_says_what_it_wrote(tmp_path: Path) -> None:
    """One line; a missing index is exit code 6, a wrong format a usage error."""
    index = _index(tmp_path / "search", make_parts())
    done = hub_index_here("export", "parquet", tmp_path / "out", "--index-dir", index)
    assert (done.code, done.out) == (0, f"12 skills in 4 files of {tmp_path / 'out'}\n")
    assert hub_index_here("export", "parquet", tmp_path / "more", "--index-dir", tmp_path / "no").code == 6
    assert hub_index_here("export", "csv").code == 2
