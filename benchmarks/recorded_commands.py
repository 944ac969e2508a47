"""`python -m benchmarks.recorded_commands FILE [--python PATH] [--against FILE]`: what hundreds of command lines print.

For a change that must not be noticed: record before it, record after it, compare. The command lines stand in
recorded_commands.txt, one a line below the story that it belongs to; a story has a hub of its own
(benchmarks/recorded_hubs.py), its commands run in order, each a real process, offline, with a home of its own and the
embedded model. FILE gets each command, its exit code and both outputs, without what differs from run to run
(benchmarks/recorded_text.py): two recordings of one tree are the same. Stories run side by side.

`--python` names the interpreter whose installation is recorded, `--only` the stories that are run.
"""

import argparse
import fcntl
import json
import os
import resource
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.recorded_hubs import Place, make_hub
from benchmarks.recorded_text import Volatile, compare

_COMMANDS = Path(__file__).with_suffix(".txt")
_TIMEOUT_S = 180
_NOWHERE = "http://127.0.0.1:9"
_GIT_SETTINGS = """\
[user]
\tname = Recorder
\temail = recorder@example.invalid
[init]
\tdefaultBranch = main
[gc]
\tauto = 0
[maintenance]
\tauto = false
[core]
\tfsync = none
"""


@dataclass(frozen=True, slots=True)
class Story:
    """Command lines that run in one hub, one after another."""

    name: str  # `plain/publish`: the scenario, and what it is about
    lines: tuple[str, ...]

    @property
    def scenario(self) -> str:
        return self.name.partition("/")[0]


def main() -> int:
    """Records, or compares; 1 where a recording differs from the earlier one."""
    arguments = _parse()
    stories = [story for story in read_stories() if not arguments.only or story.name in arguments.only]
    started_s = time.monotonic()
    with _own_folder(arguments.work) as folder:
        recorded = record(stories, folder, arguments.python, arguments.jobs)
    arguments.file.write_text(json.dumps(recorded, indent=1, ensure_ascii=False) + "\n", "utf-8")
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    took = f"{time.monotonic() - started_s:.0f} s, {used.ru_utime + used.ru_stime:.0f} s of processor time"
    print(f"{len(recorded)} commands of {len(stories)} stories in {took}", file=sys.stderr)
    if arguments.against is None:
        return 0
    names = {story.name for story in stories}
    before = [one for one in json.loads(arguments.against.read_text("utf-8")) if one["story"] in names]
    lines = list(compare(before, recorded))
    print("\n".join(lines) or "no difference")
    return 1 if lines else 0


def read_stories() -> list[Story]:
    """The stories of the data file: `[scenario/name]`, then a command line each; `#` begins a comment."""
    stories: list[Story] = []
    for line in _COMMANDS.read_text("utf-8").splitlines():
        if line.startswith("["):
            stories.append(Story(line.strip("[]"), ()))
        elif line.strip() and not line.startswith("#"):
            last = stories.pop()
            stories.append(Story(last.name, (*last.lines, line)))
    return stories


def record(stories: list[Story], folder: Path, python: str, jobs: int) -> list[dict[str, Any]]:
    """Every command's outcome, in the order of the stories."""
    warm = _warm_cache(folder, python)
    with ThreadPoolExecutor(jobs) as pool:
        longest_first = sorted(stories, key=lambda story: -len(story.lines))
        running = {story: pool.submit(_record, story, folder, python, warm) for story in longest_first}
    return [outcome for story in stories for outcome in running[story].result()]


def _record(story: Story, folder: Path, python: str, warm: Path) -> list[dict[str, Any]]:
    place = _new_place(folder / story.name.replace("/", "-"), python)
    shutil.copytree(warm, place.folder / "home/.cache", copy_function=os.link)
    make_hub(place, story.scenario)
    places = (
        (str(place.folder), "WORK"),
        (str(folder), "WORKS"),
        (sys.prefix, "PREFIX"),
        (str(_prefix(python)), "PREFIX"),
    )
    volatile = Volatile(places, frozenset(_commits(place)))
    recorded = []
    for at, line in enumerate(story.lines):
        done = _run_line(line, place.folder, python)
        texts = {
            name: volatile.hide(text.decode("utf-8", "replace"))
            for name, text in (("out", done.stdout), ("err", done.stderr))
        }
        recorded.append({"story": story.name, "at": at, "command": line, "code": done.returncode} | texts)
    shutil.rmtree(place.folder, ignore_errors=True)
    return recorded


def _run_line(line: str, folder: Path, python: str) -> "subprocess.CompletedProcess[bytes]":
    """Runs `NAME=value … verb options`, from a file with `< FILE` at its end; other programs begin with `!`."""
    words = shlex.split(line)
    variables = {}
    while words and words[0].partition("=")[1] and words[0].partition("=")[0].isupper():
        name, _, value = words.pop(0).partition("=")
        variables[name] = value
    text = b""
    if len(words) > 1 and words[-2] == "<":
        text = (folder / words[-1]).read_bytes()
        del words[-2:]
    command = words[1:] if words[:1] == ["!"] else [python, "-P", "-m", "hub_index", *words]
    environment = _environment(folder) | variables
    return subprocess.run(
        command, cwd=folder, env=environment, input=text, capture_output=True, timeout=_TIMEOUT_S, check=False
    )


def _new_place(folder: Path, python: str) -> Place:
    """A story's folder with a home in it, and how programs run there."""
    (folder / "home").mkdir(parents=True)
    (folder / "home/gitconfig").write_text(_GIT_SETTINGS)

    def run(*words: str) -> str:
        command = [python, "-P", "-m", "hub_index", *words[1:]] if words[0] == "hub-index" else list(words)
        done = subprocess.run(command, cwd=folder, env=_environment(folder), capture_output=True, check=False)
        if done.returncode:
            raise SystemExit(f"{folder.name}: {shlex.join(words)}: {done.stderr.decode('utf-8', 'replace')}")
        return done.stdout.decode("utf-8", "replace")

    return Place(folder, run)


def _environment(folder: Path) -> dict[str, str]:
    """Nothing of the user's own: a home, fixed dates, no network, no terminal."""
    home = folder / "home"
    when = "2026-02-01T12:00:00Z"
    proxies = dict.fromkeys(("http_proxy", "https_proxy", "all_proxy"), _NOWHERE)
    return proxies | {
        "HOME": str(home),
        "PATH": os.environ["PATH"],
        "LC_ALL": "C.UTF-8",
        "TZ": "UTC",
        "COLUMNS": "100",
        "no_proxy": "127.0.0.1,localhost",
        "HF_ENDPOINT": _NOWHERE,
        "GIT_CONFIG_GLOBAL": str(home / "gitconfig"),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_AUTHOR_DATE": when,
        "GIT_COMMITTER_DATE": when,
        "GIT_SSH_COMMAND": "false",
        "GIT_TERMINAL_PROMPT": "0",
    }


def _warm_cache(folder: Path, python: str) -> Path:
    """A cache folder with the model's copy and the dictionary: each story would take seconds to make its own."""
    place = _new_place(folder / "warm", python)
    make_hub(place, "plain")
    place.run("hub-index", "search", "慢查询", "--hub", "hub")
    return place.folder / "home/.cache"


def _commits(place: Place) -> Iterator[str]:
    """The commits of every repository of the story, and the blobs and trees that they hold."""
    for repository in sorted(
        {path.parent for path in place.folder.rglob("HEAD") if (path.parent / "objects").is_dir()}
    ):
        yield from place.run(
            "git", "-C", str(repository), "rev-list", "--all", "--objects", "--no-object-names"
        ).split()


def _prefix(python: str) -> Path:
    return Path(python).absolute().parents[1]


@contextmanager
def _own_folder(folder: Path) -> Iterator[Path]:
    """A folder of one name, so that what hangs on paths is the same each time; only one recording at a time."""
    with folder.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(mode=0o700)
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.recorded_commands", description=__doc__.partition("\n")[0]
    )
    parser.add_argument("file", type=Path, metavar="FILE", help="where the recording goes")
    parser.add_argument(
        "--python", default=sys.executable, metavar="PATH", help="the interpreter whose installation is recorded"
    )
    parser.add_argument(
        "--against", type=Path, metavar="FILE", help="an earlier recording to compare with; exit 1 if it differs"
    )
    parser.add_argument("--only", action="append", metavar="STORY", help="run this story alone; may be repeated")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, metavar="N", help="stories at once")
    work = Path(tempfile.gettempdir(), f"hub-index-recorded-{os.getuid()}")
    parser.add_argument(
        "--work", type=Path, default=work, metavar="DIR", help=f"where the hubs are made, anew (default: {work})"
    )
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
