"""`make fresh`: both promised commands in clean clones, for every interpreter of this machine and every kind of user.

Each command runs first and alone: a clone, a virtual environment and an empty home folder of its own, no git
identity, no variable but PATH, what pip needs to reach a package index and, for a copied interpreter, where its
library is. Prints a table; exit 1 if a cell is red. Standard library only, so that it runs before any installation.
"""

import glob
import os
import pwd
import re
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]
OLDEST = (3, 11)
USER = "hub-index-fresh"  # an ordinary user, made for the run and removed after it
SHELF = "hub-index-fresh-pythons-"  # how the folder of copied interpreters begins
PLACES = ("/usr/bin", "/usr/local/bin", "/opt/*/bin", "~/.pyenv/versions/*/bin", "~/.local/share/uv/python/*/bin")
KEPT_VARIABLES = ("PATH", "PIP_", "SSL_", "REQUESTS_CA_BUNDLE", "HTTP", "http", "NO_PROXY", "no_proxy")


@dataclass(frozen=True)
class Interpreter:
    """A Python of this machine."""

    executable: Path
    prefix: Path
    version: str


def find_interpreters() -> list[Interpreter]:
    """Every CPython that is new enough, once each, oldest first."""
    named = [Path(folder) for folder in os.environ.get("PATH", "").split(os.pathsep) if folder]
    folders = [*named, *(Path(found) for place in PLACES for found in glob.glob(os.path.expanduser(place)))]
    found: dict[Path, Interpreter] = {}
    for folder in folders:
        for path in sorted(folder.glob("python3*")):
            if re.fullmatch(r"python3(\.\d+)?", path.name) and "shims" not in path.parts:
                interpreter = _ask(path)
                if interpreter is not None:
                    found.setdefault(interpreter.executable, interpreter)
    return sorted(found.values(), key=lambda each: [int(part) for part in re.findall(r"\d+", each.version)])


def _ask(path: Path) -> Interpreter | None:
    question = (
        "import os, sys, platform; print(os.path.realpath(sys.executable), sys.prefix == sys.base_prefix, "
        "sys.prefix, platform.python_version(), sep='\\n')"
    )
    done = subprocess.run([path, "-I", "-c", question], capture_output=True, text=True, check=False)
    lines = done.stdout.splitlines()
    if done.returncode != 0 or len(lines) != 4 or lines[1] != "True":
        return None  # broken, or a virtual environment
    version = tuple(int(part) for part in re.findall(r"\d+", lines[3])[:2])
    return Interpreter(Path(lines[0]), Path(lines[2]), lines[3]) if version >= OLDEST else None


@dataclass(frozen=True)
class Person:
    """Who runs the commands: a name for the table and, where we must become somebody else, the user's ids."""

    name: str
    ids: tuple[int, int] | None


def find_people() -> list[Person]:
    """Root and an ordinary user where we may make one, else whoever we are."""
    if os.geteuid() != 0:
        return [Person("ordinary user", None)]
    people = [Person("root", None)]
    made = subprocess.run(["useradd", "--system", "--no-create-home", "--user-group", USER], check=False)
    if made.returncode in (0, 9):  # 9: there already, left by a run that was killed
        entry = pwd.getpwnam(USER)
        people.append(Person("ordinary user", (entry.pw_uid, entry.pw_gid)))
    return people


def reachable(interpreter: Interpreter, person: Person, shelf: Path) -> Path:
    """An executable that the person may run: a copy where the original lies in a private folder (root's home)."""
    executable = interpreter.executable
    if person.ids is None or subprocess.run(["test", "-x", executable], check=False, **_run_as(person)).returncode == 0:
        return executable
    copy = shelf / f"python-{interpreter.version}"
    if not copy.exists():
        shutil.copytree(interpreter.prefix, copy, symlinks=True)
    return copy / executable.relative_to(interpreter.prefix)


def _run_as(person: Person) -> dict[str, object]:
    if person.ids is None:
        return {}
    user, group = person.ids
    return {"user": user, "group": group, "extra_groups": [], "cwd": "/"}


def run_command(target: str, python: Path, person: Person, log: Path) -> str:
    """One cell of the table: how `make TARGET` ended in a clean clone, and after how long."""
    with tempfile.TemporaryDirectory(prefix="hub-index-fresh-", ignore_cleanup_errors=True) as folder:
        clone, home = Path(folder) / "clone", Path(folder) / "home"
        subprocess.run(["git", "clone", "--quiet", "--no-hardlinks", str(PROJECT), str(clone)], check=True)
        home.mkdir()
        if person.ids is not None:
            for path in [Path(folder), *Path(folder).rglob("*")]:
                os.chown(path, *person.ids, follow_symlinks=False)
        kept = {name: value for name, value in os.environ.items() if name.startswith(KEPT_VARIABLES)}
        if SHELF in str(python):  # a copied Python would look for its shared library where it was copied from
            kept["LD_LIBRARY_PATH"] = str(python.parent.parent / "lib")
        started = time.monotonic()
        with log.open("wb") as output:
            done = subprocess.run(
                ["make", f"PYTHON={python}", target],
                env=kept | {"HOME": str(home)},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                check=False,
                **{**_run_as(person), "cwd": clone},
            )
        seconds = time.monotonic() - started
    if done.returncode != 0:
        return f"**exit {done.returncode}** ({log})"
    passed = re.findall(r"^(\d+ passed[^\n]*?) in", log.read_text(errors="replace"), re.MULTILINE)
    return f"{passed[-1] if passed else 'works'}, {seconds:.0f} s"


def main(only: str) -> int:
    """Prints the table as it grows; `only` is how a version must begin to be tried."""
    people = find_people()
    logs = Path(tempfile.mkdtemp(prefix="hub-index-fresh-logs-"))
    red = 0
    print(f"logs: {logs}\n\n| machine | `make demo` | `make test` |\n|---|---|---|", flush=True)
    try:
        with tempfile.TemporaryDirectory(prefix=SHELF) as shelf:
            Path(shelf).chmod(0o755)
            for interpreter in (each for each in find_interpreters() if each.version.startswith(only)):
                for person in people:
                    python = reachable(interpreter, person, Path(shelf))
                    stem = f"{interpreter.version}-{person.name.replace(' ', '-')}"
                    cells = [
                        run_command(target, python, person, logs / f"{stem}-{target}.log")
                        for target in ("demo", "test")
                    ]
                    red += sum(cell.startswith("**") for cell in cells)
                    machine = f"Python {interpreter.version} ({interpreter.executable.parent}), {person.name}"
                    print(f"| {machine} | {' | '.join(cells)} |", flush=True)
    finally:
        if len(people) == 2:
            subprocess.run(["userdel", USER], check=False)
    return 1 if red else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else ""))
