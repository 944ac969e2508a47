"""The folder on disk: written whole, touched only when it differs, read only when it fits together."""

import os
import pickle
import subprocess
import sys
import time
from pathlib import Path

import pytest
from support.builds.index_maker import make_files, make_vectors, seal

from hub_index.errors import IndexChanging, IndexCorrupt, IndexMissing, IndexUnusable, PublishError
from hub_index.index.folder.our_files import ATTRIBUTES
from hub_index.index.folder.reading import map_index, read_digests_ok, read_files, read_manifest, read_skills
from hub_index.index.folder.writing import lock_folder, write_files
from hub_index.index.format.vectors import check_vectors, view_vectors
from hub_index.models import IndexFiles

pytestmark = pytest.mark.patient  # how long a reader waits is what is tested here
ONE = make_files(("a", "b"), revision="1" * 40)
TWO = make_files(("a", "b", "c"), revision="2" * 40)
NAMES = {"index_manifest.json": "manifest", "skills.jsonl": "skills", "vectors.f32": "vectors"}

_LIGHT = """
import sys
from pathlib import Path
from hub_index.index.folder.writing import lock_folder
from hub_index.index.folder.reading import read_digests_ok, read_skills
with lock_folder(Path(sys.argv[1])):
    read_digests_ok(Path(sys.argv[1])), read_skills(Path(sys.argv[1]))
print(*sorted({"numpy", "jsonschema", "pyarrow", "git", "subprocess", "ctypes", "yaml"} & set(sys.modules)))
"""


def _publish(folder: Path, files: IndexFiles) -> bool:
    with lock_folder(folder):
        return write_files(folder, files)


def _stamps(folder: Path) -> dict[str, tuple[int, int]]:
    return {path.name: (path.stat().st_ino, path.stat().st_mtime_ns) for path in (folder, *folder.iterdir())}


def test_a_set_is_written_and_read_back(tmp_path: Path) -> None:
    """The folder, and its parents where they are missing, hold the three files and the rule for git."""
    folder = tmp_path / "new" / "home" / "search"
    assert _publish(folder, ONE)
    assert sorted(os.listdir(folder)) == sorted([".gitattributes", *NAMES])
    assert (folder / ".gitattributes").read_bytes() == ATTRIBUTES
    assert read_files(folder) == ONE
    assert read_manifest(folder) == read_digests_ok(folder) == read_skills(folder).manifest
    assert read_skills(folder).skills == ONE.skills


def test_equal_bytes_touch_nothing(tmp_path: Path) -> None:
    """A second write of the same set changes no byte, no time and no inode."""
    folder = tmp_path / "search"
    _publish(folder, ONE)
    before = _stamps(folder)
    assert not _publish(folder, ONE)
    assert _stamps(folder) == before
    assert _publish(folder, TWO)
    assert read_files(folder) == TWO


@pytest.mark.parametrize("name", [".gitattributes", *NAMES])
def test_one_missing_or_other_file_is_put_right(tmp_path: Path, name: str) -> None:
    """The four files belong together: whichever is gone or differs, all are as they should be afterwards."""
    folder = tmp_path / "search"
    _publish(folder, ONE)
    (folder / name).unlink()
    assert _publish(folder, ONE)
    (folder / name).write_bytes(b"other")
    assert _publish(folder, ONE)
    assert read_files(folder) == ONE


def test_what_is_not_ours_is_kept(tmp_path: Path) -> None:
    """Files, links and folders that somebody put beside the index stay, with their rights and contents."""
    folder = tmp_path / "search"
    _publish(folder, ONE)
    (folder / "README.md").write_text("notes")
    (folder / "README.md").chmod(0o600)
    (folder / "dangling").symlink_to("nowhere")
    (folder / "deep" / "er").mkdir(parents=True)
    (folder / "deep" / "er" / "file").write_text("deep")
    folder.chmod(0o775)
    assert _publish(folder, TWO)
    assert (folder / "README.md").read_text() == "notes"
    assert (folder / "README.md").stat().st_mode & 0o777 == 0o600
    assert os.readlink(folder / "dangling") == "nowhere"
    assert (folder / "deep" / "er" / "file").read_text() == "deep"
    assert folder.stat().st_mode & 0o777 == 0o775
    assert os.listdir(tmp_path) == ["search"]


def test_a_set_that_contradicts_itself_is_not_written(tmp_path: Path) -> None:
    """Bytes that the manifest does not name never reach the disk."""
    folder = tmp_path / "search"
    _publish(folder, ONE)
    with pytest.raises(IndexCorrupt):
        _publish(folder, IndexFiles(TWO.manifest, ONE.skills, ONE.vectors))
    assert read_files(folder) == ONE


def test_a_linked_output_folder_is_refused(tmp_path: Path) -> None:
    """An index is never written through a link, which a hub could have planted."""
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "search").symlink_to("elsewhere")
    with pytest.raises(PublishError, match="is a link"):
        _publish(tmp_path / "search", ONE)
    assert os.listdir(tmp_path / "elsewhere") == []


@pytest.mark.parametrize("content", ["repository", "file"])
def test_a_folder_that_is_not_for_an_index_is_refused(tmp_path: Path, content: str) -> None:
    """A repository's own folder would be exchanged as a whole; a file is not a folder."""
    if content == "repository":
        (tmp_path / "search" / ".git").mkdir(parents=True)
    else:
        (tmp_path / "search").write_text("")
    with pytest.raises(PublishError, match="a separate folder"):
        _publish(tmp_path / "search", ONE)


def test_a_relative_folder_is_as_good(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`--out search` in the working folder."""
    monkeypatch.chdir(tmp_path)
    assert _publish(Path("search"), ONE)
    assert read_files(Path("search")) == ONE


def test_mapped_vectors_survive_the_next_build(tmp_path: Path) -> None:
    """A reader that has an index open keeps seeing the set that it opened."""
    folder = tmp_path / "search"
    _publish(folder, ONE)
    mapped = map_index(folder)
    check_vectors(mapped.vectors, mapped.manifest)
    _publish(folder, TWO)
    assert view_vectors(mapped.vectors, mapped.manifest).shape == (2, 8)
    assert mapped.vectors[:] == ONE.vectors


def test_an_empty_index_can_be_mapped(tmp_path: Path) -> None:
    """Count 0: there is no byte to read, and it is still an index."""
    _publish(tmp_path / "search", seal(b"", b""))
    mapped = map_index(tmp_path / "search")
    check_vectors(mapped.vectors, mapped.manifest)
    assert mapped.manifest.count == 0


def test_reading_and_locking_load_nothing_heavy(tmp_path: Path) -> None:
    """An unchanged build and a keyword query read this way: no numpy, no jsonschema, no process."""
    _publish(tmp_path / "search", ONE)
    done = subprocess.run(
        [sys.executable, "-c", _LIGHT, str(tmp_path / "search")], capture_output=True, text=True, check=True
    )
    assert done.stdout == "\n"


def test_no_index_is_said_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where there is nothing, nothing is waited for."""
    monkeypatch.setattr(time, "sleep", lambda _: pytest.fail("waited"))
    for folder in (tmp_path / "none", tmp_path / "no" / "parent", tmp_path / "file" / "search"):
        with pytest.raises(IndexMissing, match="hub-index build"):
            read_files(folder)


def test_a_set_that_becomes_whole_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A manifest that came before its files is not an error if they follow."""
    folder = tmp_path / "search"
    _publish(folder, ONE)
    (folder / "index_manifest.json").write_bytes(TWO.manifest)
    left = ["vectors.f32", "skills.jsonl"]

    def next_file(_: float) -> None:
        if left:
            name = left.pop()
            (folder / name).write_bytes(getattr(TWO, NAMES[name]))

    monkeypatch.setattr(time, "sleep", next_file)
    assert read_files(folder) == TWO


def test_a_set_that_keeps_changing_is_called_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Changing is not corrupt: the user is told to try again."""
    folder = tmp_path / "search"
    _publish(folder, ONE)
    sizes = iter(range(1, 100))

    def grow(_: float) -> None:
        (folder / "vectors.f32").write_bytes(b"x" * next(sizes))

    grow(0)
    monkeypatch.setattr(time, "sleep", grow)
    with pytest.raises(IndexChanging, match="try again"):
        read_files(folder)


def test_a_bad_set_that_stays_is_corrupt_within_a_second(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Digest mismatch on files that nobody touches: refused, with the folder's name."""
    folder = tmp_path / "search"
    _publish(folder, ONE)
    (folder / "vectors.f32").write_bytes(make_vectors(2, scale=0.5))
    waits_s: list[float] = []
    monkeypatch.setattr(time, "sleep", waits_s.append)
    with pytest.raises(IndexCorrupt, match=str(folder)):
        read_files(folder)
    assert 0 < sum(waits_s) < 1


def test_an_old_bad_set_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was last touched long ago will not get better: the user does not wait."""
    folder = tmp_path / "search"
    _publish(folder, ONE)
    (folder / "vectors.f32").unlink()
    later = time.time() + 60
    monkeypatch.setattr(time, "time", lambda: later)
    monkeypatch.setattr(time, "sleep", lambda _: pytest.fail("waited"))
    with pytest.raises(IndexCorrupt, match="is missing"):
        read_files(folder)


_REWRITER = """
import pickle, sys, time
from pathlib import Path
folder, sets = Path(sys.argv[1]), pickle.load(sys.stdin.buffer)
print("ready", flush=True)
while True:
    for files in sets:
        for name, data in files.items():
            (folder / name).unlink()
            (folder / name).write_bytes(data)
        time.sleep(0.002)
"""


def test_reads_while_files_are_replaced_one_by_one_are_never_mixed(tmp_path: Path) -> None:
    """As during a git checkout: each answer is one of the two sets, or a refusal."""
    folder = tmp_path / "search"
    _publish(folder, ONE)
    sets = [{name: getattr(files, part) for name, part in NAMES.items()} for files in (TWO, ONE)]
    with subprocess.Popen(
        [sys.executable, "-c", _REWRITER, str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as writer:
        assert writer.stdin is not None
        assert writer.stdout is not None
        try:
            writer.stdin.write(pickle.dumps(sets))
            writer.stdin.close()
            writer.stdout.readline()
            seen: list[IndexFiles] = []
            begun_s = time.monotonic()
            while (spent_s := time.monotonic() - begun_s) < 1 or (spent_s < 60 and not {ONE, TWO} <= set(seen)):
                try:
                    seen.append(read_files(folder))
                except IndexUnusable:  # mostly IndexChanging; on a busy machine the writer may stand still for long
                    continue
        finally:
            writer.kill()
    assert all(files in (ONE, TWO) for files in seen)
    assert ONE in seen
    assert TWO in seen
