"""Which Pythons a machine has, and who may be asked to run them. Standard library only."""

import glob
import os
import pwd
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

OLDEST = (3, 11)
USER = "hub-index-fresh"  # an ordinary user, made for the run and removed after it
PLACES = ("/usr/bin", "/usr/local/bin", "/opt/*/bin", "~/.pyenv/versions/*/bin", "~/.local/share/uv/python/*/bin")


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


@contextmanager
def people_of_this_run() -> Iterator[list[Person]]:
    """Root and an ordinary user where we may make one, else whoever we are. The user goes with the run."""
    if os.geteuid() != 0:
        yield [Person("ordinary user", None)]
        return
    if shutil.which("useradd") is None:
        yield [Person("root", None)]
        return
    people = [Person("root", None)]
    try:
        made = subprocess.run(["useradd", "--system", "--no-create-home", "--user-group", USER], check=False)
        if made.returncode in (0, 9):  # 9: there already, left by a run that was killed outright
            entry = pwd.getpwnam(USER)
            people.append(Person("ordinary user", (entry.pw_uid, entry.pw_gid)))
        yield people
    finally:
        subprocess.run(["userdel", USER], stderr=subprocess.DEVNULL, check=False)


def reachable(interpreter: Interpreter, person: Person, shelf: Path) -> Path:
    """An executable that the person may run: a copy where the original lies in a private folder (root's home)."""
    executable = interpreter.executable
    if person.ids is None or subprocess.run(["test", "-x", executable], check=False, **run_as(person)).returncode == 0:
        return executable
    copy = shelf / f"python-{interpreter.version}"
    if not copy.exists():
        shutil.copytree(interpreter.prefix, copy, symlinks=True)
    return copy / executable.relative_to(interpreter.prefix)


def run_as(person: Person) -> dict[str, object]:
    if person.ids is None:
        return {}
    user, group = person.ids
    return {"user": user, "group": group, "extra_groups": [], "cwd": "/"}
