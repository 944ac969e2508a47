"""`make fresh`: both promised commands in clean clones, for every interpreter of this machine and every kind of user.

Each command runs first and alone: a clone, a virtual environment, an empty home folder and a temporary folder of its
own, no git identity, no variable but PATH, what pip needs to reach a package index and, for a copied interpreter,
where its library is. Only what pip downloads is kept from one cell to the next. Prints a table; exit 1 if a cell is
red. Whatever ends the run, what it made is removed, except the logs. Standard library only, so that it runs before any
installation.

`python3 .ci/fresh.py [VERSION [ROWS]]`: only versions that begin so; so many rows of the table at a time.
"""

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from machine import Person, find_interpreters, people_of_this_run, reachable, run_as

PROJECT = Path(__file__).resolve().parents[1]
SHELF = "hub-index-fresh-shelf-"  # how the folder of copied interpreters and downloads begins
KEPT_VARIABLES = ("PATH", "PIP_", "SSL_", "REQUESTS_CA_BUNDLE", "HTTP", "http", "NO_PROXY", "no_proxy")


@dataclass(frozen=True)
class Row:
    """One line of the table: who runs both commands, with which Python, and where pip keeps its downloads."""

    name: str
    python: Path
    person: Person
    downloads: Path
    logs: Path

    def run(self) -> list[str]:
        """Both cells, one after the other."""
        return [self.run_command(target) for target in ("demo", "test")]

    def run_command(self, target: str) -> str:
        """How `make TARGET` ended in a clean clone, and after how long."""
        log = self.logs / f"{re.sub(r'[^0-9a-z.]+', '-', self.name.lower())}-{target}.log"
        folder = Path(tempfile.mkdtemp(prefix="hub-index-fresh-"))
        try:
            return _describe(*self._run_in(folder, target, log), log)
        except Stopped:
            return "stopped"
        finally:
            _remove(folder)

    def _run_in(self, folder: Path, target: str, log: Path) -> tuple[int, float]:
        PROCESSES.check_going_on()
        clone, home, temporary = (folder / name for name in ("clone", "home", "tmp"))
        subprocess.run(["git", "clone", "--quiet", "--no-hardlinks", str(PROJECT), str(clone)], check=True)
        home.mkdir()
        temporary.mkdir()
        folder.chmod(0o755)  # tests of root's that become somebody else go through it, as through /tmp
        temporary.chmod(0o1777)
        if self.person.ids is not None:
            _give(folder, self.person.ids)
        kept = {name: value for name, value in os.environ.items() if name.startswith(KEPT_VARIABLES)}
        own = {"HOME": str(home), "TMPDIR": str(temporary)}
        if SHELF in str(self.python):  # a copied Python would look for its shared library where it was copied from
            own["LD_LIBRARY_PATH"] = str(self.python.parent.parent / "lib")
        command = ["make", f"PYTHON={self.python}", target]
        environment = {"PIP_CACHE_DIR": str(self.downloads)} | kept | own
        started = time.monotonic()
        with log.open("wb") as output:
            code = PROCESSES.run(command, environment, output, {**run_as(self.person), "cwd": clone})
        return code, time.monotonic() - started


def _describe(code: int, seconds: float, log: Path) -> str:
    if code != 0:
        return f"**exit {code}** ({log})"
    passed = re.findall(r"^(\d+ passed[^\n]*?) in", log.read_text(errors="replace"), re.MULTILINE)
    return f"{passed[-1] if passed else 'works'}, {seconds:.0f} s"


def _give(folder: Path, ids: tuple[int, int]) -> None:
    for path in [folder, *folder.rglob("*")]:
        os.chown(path, *ids, follow_symlinks=False)


def _remove(folder: Path) -> None:
    """Tries again for a while: a server that lives as long as its test run may still write while it ends."""
    for _ in range(20):
        shutil.rmtree(folder, ignore_errors=True)
        if not folder.exists():
            return
        time.sleep(0.5)


class Stopped(Exception):
    """The run is over before its end."""


class Processes:
    """The commands that run now; each is the leader of a process group, so that all of it can be ended."""

    def __init__(self) -> None:
        self._running: set[subprocess.Popen[bytes]] = set()
        self._is_over = False

    def run(self, command: list[str], environment: dict[str, str], output: object, options: dict[str, object]) -> int:
        """The command's exit code. Raises Stopped where the run is over."""
        self.check_going_on()
        process = subprocess.Popen(
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            **options,
        )
        self._running.add(process)
        try:
            if self._is_over:
                self._end(process)
            code = process.wait()
        finally:
            self._end(process)
            self._running.discard(process)
        self.check_going_on()
        return code

    def check_going_on(self) -> None:
        """Raises Stopped where the run is over."""
        if self._is_over:
            raise Stopped

    def stop(self) -> None:
        """Ends all that runs; nothing more is started."""
        self._is_over = True
        for process in list(self._running):
            self._end(process)

    def _end(self, process: "subprocess.Popen[bytes]") -> None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)


PROCESSES = Processes()


ENDINGS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def stop_by_signal(number: int, _: FrameType | None) -> None:
    """Whichever signal asks for the end, it is one and the same."""
    raise KeyboardInterrupt(number)


def main(only: str, at_once: int) -> int:
    """Prints the table as it grows; `only` is how a version must begin to be tried."""
    for number in ENDINGS:
        signal.signal(number, stop_by_signal)
    logs = Path(tempfile.mkdtemp(prefix="hub-index-fresh-logs-"))
    red = 0
    print(f"logs: {logs}\n\n| machine | `make demo` | `make test` |\n|---|---|---|", flush=True)
    with (
        people_of_this_run() as people,
        tempfile.TemporaryDirectory(prefix=SHELF, ignore_cleanup_errors=True) as shelf,
        ThreadPoolExecutor(at_once) as pool,
    ):
        try:
            rows = list(plan_rows(people, Path(shelf), logs, only))
            for row, cells in zip(rows, pool.map(Row.run, rows), strict=True):
                red += sum(cell.startswith("**") for cell in cells)
                print(f"| {row.name} | {' | '.join(cells)} |", flush=True)
        except KeyboardInterrupt:
            for number in ENDINGS:
                signal.signal(number, signal.SIG_IGN)  # once is enough: what is left to do is to tidy up
            PROCESSES.stop()
            print("\nstopped; what was made is removed, except the logs", file=sys.stderr)
            return 130
    return 1 if red else 0


def plan_rows(people: list[Person], shelf: Path, logs: Path, only: str) -> Iterator[Row]:
    """One row for each interpreter and person."""
    shelf.chmod(0o755)
    for person in people:
        downloads = _downloads(person, shelf)
        downloads.mkdir()
        if person.ids is not None:
            _give(downloads, person.ids)  # pip uses no cache of somebody else's
    for interpreter in (each for each in find_interpreters() if each.version.startswith(only)):
        for person in people:
            name = f"Python {interpreter.version} ({interpreter.executable.parent}), {person.name}"
            yield Row(name, reachable(interpreter, person, shelf), person, _downloads(person, shelf), logs)


def _downloads(person: Person, shelf: Path) -> Path:
    return shelf / f"downloads-of-{person.name.replace(' ', '-')}"


if __name__ == "__main__":
    version, rows_at_once = [*sys.argv[1:], *("", "1")[len(sys.argv) - 1 :]]
    sys.exit(main(version, int(rows_at_once)))
