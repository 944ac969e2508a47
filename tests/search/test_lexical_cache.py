"""The lexical index in the cache folder: made once, thrown away when in doubt."""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest
from support.searches.search_world import make_document

from hub_index.search.lexical.cache import pruning
from hub_index.search.lexical.cache.documents import DocumentSource, source_of
from hub_index.search.lexical.cache.lexical_cache import Making, entry_key, open_lexical


class Source:
    """Documents that count how often they were asked for."""

    def __init__(self) -> None:
        self.asked = 0

    def __call__(self) -> DocumentSource:
        self.asked += 1
        first = make_document("a", "alpha", "skills/a", "The first letter")
        return source_of([first, make_document("b", "beta", "skills/b", "The second letter")])


@pytest.fixture
def source() -> Source:
    """A source that nobody has read yet."""
    return Source()


def put(path: Path, content: bytes) -> None:
    """Other bytes under the same name; what this process has mapped stays as it was."""
    path.with_suffix(".other").write_bytes(content)
    path.with_suffix(".other").replace(path)


def test_it_is_made_once(tmp_path: Path, source: Source) -> None:
    """The second opening reads the entry and not the source."""
    for _ in range(3):
        assert open_lexical(str(tmp_path), entry_key("x"), source).count == 2
    assert source.asked == 1


def test_another_source_is_another_entry(tmp_path: Path, source: Source) -> None:
    """A change of the source, or of the checkout, makes a new entry."""
    for key in (entry_key("x", "y"), entry_key("x", "z"), entry_key("xy")):
        open_lexical(str(tmp_path), key, source)
    assert source.asked == 3


@pytest.mark.parametrize("damage", ["flip", "cut", "remove", "add", "seal"])
def test_a_damaged_entry_is_made_anew(tmp_path: Path, source: Source, damage: str) -> None:
    """Whatever happened to the files, the answer comes from the source."""
    key = entry_key("x")
    open_lexical(str(tmp_path), key, source)
    folder = tmp_path / "lexical" / key
    store = next(path for path in folder.iterdir() if path.suffix == ".store")
    if damage == "flip":
        content = bytearray(store.read_bytes())
        content[len(content) // 2] ^= 0xFF
        put(store, bytes(content))
    elif damage == "cut":
        put(store, store.read_bytes()[:10])
    elif damage == "remove":
        store.unlink()
    elif damage == "add":
        (folder / "stranger").write_text("hello")
    else:
        (folder / "seal").write_text("meta.json 1 1\n")
    index = open_lexical(str(tmp_path), key, source)
    assert (index.count, source.asked) == (2, 2)
    open_lexical(str(tmp_path), key, source)
    assert source.asked == 2


@pytest.mark.parametrize("name", [".store", ".idx", ".fieldnorm", ".fast", "keys", "entry"])
def test_zeros_in_an_entry_are_noticed_whatever_its_times_say(tmp_path: Path, source: Source, name: str) -> None:
    """A file whose bytes never reached the disk has its size, its time and perhaps its end: it is not believed."""
    key = entry_key("x")
    open_lexical(str(tmp_path), key, source)
    file = next(path for path in (tmp_path / "lexical" / key).iterdir() if path.name.endswith(name))
    content, was = file.read_bytes(), file.stat()
    put(file, bytes(len(content) // 2) + content[len(content) // 2 :])
    os.utime(file, ns=(was.st_atime_ns, was.st_mtime_ns))
    assert (open_lexical(str(tmp_path), key, source).count, source.asked) == (2, 2)


def test_another_entry_in_an_entrys_place_is_not_believed(tmp_path: Path, source: Source) -> None:
    """A whole entry answers under its own name alone."""
    one, other = entry_key("x"), entry_key("y")
    for key in (one, other):
        open_lexical(str(tmp_path), key, source)
    shutil.rmtree(tmp_path / "lexical" / one)
    (tmp_path / "lexical" / other).rename(tmp_path / "lexical" / one)
    assert (open_lexical(str(tmp_path), one, source).count, source.asked) == (2, 3)


def test_a_folder_that_cannot_be_made_costs_only_time(tmp_path: Path, source: Source) -> None:
    """Where the cache is no folder at all, the index is made in memory."""
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    assert open_lexical(str(blocked), entry_key("x"), source).count == 2


@pytest.mark.skipif(os.geteuid() != 0, reason="drops to another user")
def test_another_users_read_only_cache_is_read(source: Source) -> None:
    """A cache that can be read but not written still answers, in a process of another user."""
    # not below pytest's own folders: they are private, and opening them up races with the other worker's tests
    with tempfile.TemporaryDirectory(prefix="hub-index-test-") as folder:
        cache = Path(folder)
        key = entry_key("x")
        open_lexical(folder, key, source)
        for path in [cache, *cache.rglob("*")]:
            path.chmod(0o555 if path.is_dir() else 0o444)
        done = _open_as_nobody(folder, key)
    assert (done.stdout.strip(), done.stderr) == ("2", "")


def _open_as_nobody(folder: str, key: str) -> "subprocess.CompletedProcess[str]":
    code = (
        "import fcntl, os, shutil, sys, tempfile\n"
        "from hub_index.search.lexical.cache.lexical_cache import open_lexical\n"
        "os.setgid(65534); os.setuid(65534)\n"  # after the imports: Python itself may lie in a private folder
        "def never(): raise SystemExit('the source was read')\n"
        "print(open_lexical(sys.argv[1], sys.argv[2], never).count)"
    )
    return subprocess.run([sys.executable, "-c", code, folder, key], capture_output=True, text=True, check=False)


def test_two_processes_at_once_get_the_same(tmp_path: Path) -> None:
    """Four processes open one entry that nobody has made yet; all see a whole one, and nothing is left over."""
    code = (
        "import sys\n"
        "from hub_index.record import Record\n"
        "from hub_index.search.lexical.build import LexicalDocument\n"
        "from hub_index.search.lexical.cache.lexical_cache import open_lexical\n"
        "from hub_index.search.lexical.cache.documents import source_of\n"
        "all = (LexicalDocument(Record(f'{n:04}', 's', f'name {n}', 'text')) for n in range(300))\n"
        "documents = lambda: source_of(all)\n"
        "print(open_lexical(sys.argv[1], 'shared', documents).count)"
    )
    running = [
        subprocess.Popen([sys.executable, "-c", code, str(tmp_path)], stdout=subprocess.PIPE, text=True)
        for _ in range(4)
    ]
    assert [child.communicate()[0].strip() for child in running] == ["300"] * 4
    assert sorted(path.name for path in (tmp_path / "lexical").iterdir()) == ["lock", "shared"]


@pytest.mark.parametrize("end", ["done", "killed"])
def test_whoever_waits_hears_whose_work_it_is(tmp_path: Path, source: Source, end: str) -> None:
    """Another process has the turn: its number is told, and when it is done, or dead, the entry is made."""
    code = (
        "import os, sys\n"
        "from hub_index.search.lexical.cache.turn import WorkTurn\n"
        "os.makedirs(sys.argv[1], 0o700)\n"
        "with WorkTurn(sys.argv[1], None):\n"
        "    print('mine', flush=True)\n"
        "    sys.stdin.readline()\n"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "lexical")]
    seen: list[str] = []
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout
        assert holder.stdout.readline() == "mine\n"

        def waiting(who: str) -> None:
            seen.append(who)
            if end == "killed":
                holder.kill()
            elif holder.stdin:
                holder.stdin.close()

        index = open_lexical(str(tmp_path), "waited-for", source, making=Making(waiting=waiting))
    assert seen == [f"process {holder.pid}"]
    assert index.count == 2
    assert entries_of(tmp_path) == {"waited-for"}


def test_old_entries_are_pruned(tmp_path: Path, source: Source, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the entries used last are kept, with what the newest was made from, and what a dead process left goes."""
    monkeypatch.setattr(pruning, "MAX_LEXICAL_ENTRIES", 3)
    left = tmp_path / "lexical" / ".new-dead"
    left.mkdir(parents=True)
    os.utime(left, (1, 1))
    keys = [entry_key(str(n)) for n in range(5)]
    now_s = int(time.time())
    for age, key in enumerate(keys):
        open_lexical(str(tmp_path), key, source)
        os.utime(tmp_path / "lexical" / key, (now_s - 100 + age, now_s - 100 + age))
    assert entries_of(tmp_path) == {keys[0], keys[3], keys[4]}


def test_unused_entries_go_after_a_month(tmp_path: Path, source: Source) -> None:
    """What nobody has opened for long is dropped when the next entry is made."""
    old, new = entry_key("old"), entry_key("new")
    open_lexical(str(tmp_path), old, source)
    os.utime(tmp_path / "lexical" / old, (1, 1))
    other = make_document("c", "gamma", "skills/c", "Another letter")
    open_lexical(str(tmp_path), new, lambda: source_of([other]))
    assert entries_of(tmp_path) == {new}


def test_entries_beyond_the_budget_go(tmp_path: Path, source: Source, monkeypatch: pytest.MonkeyPatch) -> None:
    """The entry in use stays whatever it takes; the others must fit into what is left."""
    monkeypatch.setattr(pruning, "MAX_LEXICAL_CACHE_BYTES", 1)
    old, new = entry_key("old"), entry_key("new")
    open_lexical(str(tmp_path), old, source)
    open_lexical(str(tmp_path), new, lambda: source_of([make_document("c", "gamma", "skills/c", "Another letter")]))
    assert entries_of(tmp_path) == {new}


def entries_of(cache: Path) -> set[str]:
    """The names of all folders in the lexical cache."""
    return {path.name for path in (cache / "lexical").iterdir() if path.is_dir()}
