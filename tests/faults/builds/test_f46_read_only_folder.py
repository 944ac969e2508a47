"""F46: a folder that may not be written."""

import os
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from support.builds.index_maker import make_files

from hub_index.errors import PublishError
from hub_index.index.folder.reading import read_files
from hub_index.index.folder.writing import lock_folder, write_files

pytestmark = pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")

NOBODY = 65534
OLD, NEW = make_files(("a",)), make_files(("a", "b"))


@pytest.fixture
def parent() -> Iterator[Path]:
    """A folder that nobody can reach (pytest's own are closed to others)."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)
        Path(folder).chmod(0o755)


def _as_nobody(work: Callable[[], None]) -> str:
    """The error that work ends in, run by a user who owns nothing."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            if os.getuid() == 0:
                os.setgroups([])
                os.setgid(NOBODY)
                os.setuid(NOBODY)
            work()
            said = "no error"
        except BaseException as error:
            said = f"{type(error).__name__}: {error}"
        os.write(writer, said.encode())
        os._exit(0)
    os.close(writer)
    with open(reader, "rb") as pipe:
        said = pipe.read().decode()
    os.waitpid(child, 0)
    return said


def _publish(folder: Path) -> None:
    with lock_folder(folder):
        write_files(folder, NEW)


@pytest.mark.parametrize("closed", ["parent", "folder"])
def test_f46_a_read_only_folder_is_said_at_once(parent: Path, closed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The lock already says that the folder cannot be written: nobody pays for vectors first."""
    folder = parent / "search"
    with lock_folder(folder):
        write_files(folder, OLD)
    if closed == "parent":
        folder.chmod(0o777)
        parent.chmod(0o555)
    else:
        folder.chmod(0o555)
        parent.chmod(0o777)
    monkeypatch.setattr(time, "sleep", lambda _: pytest.fail("waited"))
    said = _as_nobody(lambda: _publish(folder))
    assert said.startswith("PublishError: ")
    assert "is not writable" in said
    folder.chmod(0o755)
    parent.chmod(0o755)
    assert read_files(folder) == OLD
    assert os.listdir(parent) == ["search"]


def test_f46_a_missing_parent_that_cannot_be_made_is_a_publish_error(parent: Path) -> None:
    """An output folder below a file is refused in one line."""
    (parent / "file").write_text("")
    with pytest.raises(PublishError, match="cannot be opened"), lock_folder(parent / "file" / "search"):
        pass
