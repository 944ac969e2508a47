"""`make fresh` in a small project: what a cell sees, and that nothing stays behind, however the run ends."""

import os
import platform
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.flows.prefect_server import wait_until
from support.hubs.hub_maker import HubMaker

_PROJECT = Path(__file__).resolve().parents[2]
_MAKEFILE = """\
demo:
\t@test -z "$$(ls -A "$$HOME")" && test -z "$$(ls -A "$$TMPDIR")"
\t@touch "$$HOME/left" "$$TMPDIR/left" left
test:
\t@test ! -e left && test -z "$$(ls -A "$$HOME")$$LEAK" && echo 3 passed in 1 s
\t@{test}
"""


class Fresh:
    """The script in a project of two quick commands, with a folder for everything temporary."""

    def __init__(self, root: Path, test: str) -> None:
        self.temporary, tools = root / "temporary", root / "tools"
        self.temporary.mkdir()
        tools.mkdir()
        for name in ("git", "make", "sh", "ls", "touch", "sleep", "test"):  # no useradd: the machine's users stay
            (tools / name).symlink_to(str(shutil.which(name)))
        (tools / "python3").symlink_to(Path(sys.base_prefix, "bin", "python{}.{}".format(*sys.version_info)))
        project = HubMaker(root / "project")
        project.write("Makefile", _MAKEFILE.replace("{test}", test))
        for name in ("fresh.py", "machine.py"):
            project.write(f".ci/{name}", (_PROJECT / ".ci" / name).read_bytes())
        project.commit()
        own = {"PATH": str(tools), "TMPDIR": str(self.temporary), "LEAK": "a variable of the developer's"}
        self.process = subprocess.Popen(
            [sys.executable, "-B", ".ci/fresh.py", platform.python_version(), "2"],
            cwd=project.root,
            env=os.environ | own,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    def read_row(self) -> str:
        """The next line of the table with a cell in it; empty at the end."""
        assert self.process.stdout is not None
        return next((line for line in self.process.stdout if line.startswith("| Python")), "")

    def left(self) -> list[str]:
        """What stays in the temporary folder besides the logs."""
        return [path.name for path in self.temporary.iterdir() if not path.name.startswith("hub-index-fresh-logs-")]


@pytest.fixture
def stopped_at_the_end() -> Iterator[list[Fresh]]:
    runs: list[Fresh] = []
    yield runs
    for run in runs:
        run.process.kill()
        run.process.communicate()


def test_each_command_finds_a_clean_clone_and_leaves_nothing(tmp_path: Path, stopped_at_the_end: list[Fresh]) -> None:
    """The second command sees neither the first one's files nor its home, nor a variable of the developer's."""
    run = Fresh(tmp_path, ":")
    stopped_at_the_end.append(run)
    assert re.search(r"\| works, \d+ s \| 3 passed, \d+ s \|", run.read_row())
    run.read_row()
    assert run.process.wait(60) == 0
    assert run.left() == []


def test_a_red_command_is_told_and_leaves_nothing(tmp_path: Path, stopped_at_the_end: list[Fresh]) -> None:
    """Its cell names the exit code and the log, and the run ends with 1."""
    run = Fresh(tmp_path, "exit 3")
    stopped_at_the_end.append(run)
    row = run.read_row()
    assert "**exit 2** (" in row
    assert Path(row.split("(")[-1].split(")")[0]).exists()
    run.read_row()
    assert run.process.wait(60) == 1
    assert run.left() == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_run_that_is_stopped_leaves_nothing(
    tmp_path: Path, stopped_at_the_end: list[Fresh], number: signal.Signals
) -> None:
    """The command is ended with all that it started, and its folders are removed."""
    started = tmp_path / "started"
    run = Fresh(tmp_path, f"touch '{started}'; sleep 600")
    stopped_at_the_end.append(run)
    wait_until(lambda: started.exists() or run.process.poll() is not None)
    run.process.send_signal(number)
    assert run.process.wait(60) == 130
    assert run.left() == []
