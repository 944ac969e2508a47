"""Where the output goes: full disks, closed pipes and streams, terminals of every kind."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from support.hubs.hub_maker import HubMaker
from support.processes.cli_runner import hub_index
from support.processes.screen import on_a_terminal

from hub_index.cli.main import VERBS

_UNBUFFERED = {"PYTHONUNBUFFERED": "1"}
_COMMANDS = [
    *(((words,), {}) for words in ("--help", "--version", "doctor")),
    *((words, {}) for words in (("lint", "."), ("build", ".", "--json"), ("plan", "."))),
    *(((verb, "--help"), {}) for verb in VERBS),
    *((words, _UNBUFFERED) for words in (("--help",), ("plan", "--help"), ("doctor",), ("lint", "."))),
]


@pytest.mark.parametrize(("arguments", "buffering"), _COMMANDS)
def test_f75_a_full_disk_behind_stdout_is_one_line_and_exit_7(
    hub: HubMaker, arguments: tuple[str, ...], buffering: dict[str, str]
) -> None:
    """The exit code says that the output was lost, whether Python buffers or not."""
    with open("/dev/full", "wb") as full:
        done = _run_into(full.fileno(), hub.root, arguments, buffering)
    assert done.returncode == 7, done.stderr
    last_line = done.stderr.decode().splitlines()[-1]
    assert last_line.startswith("hub-index: ")
    assert b"Traceback" not in done.stderr
    assert b"Exception ignored" not in done.stderr


def test_f75_settings_for_an_agent_that_are_lost_are_one_line(hub: HubMaker) -> None:
    """Where they belong is said only once they are out."""
    with open("/dev/full", "wb") as full:
        done = _run_into(full.fileno(), hub.root, ("mcp", "--print-config", "claude"), {})
    assert (done.returncode, done.stderr.count(b"\n")) == (7, 1)


@pytest.mark.parametrize("arguments", [("build", "."), ("lint", ".")])
def test_f75_a_full_disk_behind_the_words_of_a_verb_that_worked_is_not_blamed_on_its_folder(
    hub: HubMaker, arguments: tuple[str, ...]
) -> None:
    """The index was written: only what is said of it was lost, whether it fits a buffer or not."""
    for number in range(200 if arguments[0] == "lint" else 0):
        hub.skill(f"Bad_{number}", "x")
    hub.commit("problems")
    with open("/dev/full", "wb") as full:
        done = _run_into(full.fileno(), hub.root, arguments, {})
    assert done.returncode == 7
    assert b"the output could not be written" in done.stderr
    assert b"the folder" not in done.stderr
    assert (b"was through, with exit code 0" in done.stderr) == (arguments[0] == "build")
    assert (hub.root / "search/index_manifest.json").exists() == (arguments[0] == "build")


@pytest.mark.parametrize(("arguments", "buffering"), _COMMANDS)
def test_f75_a_closed_pipe_behind_stdout_is_silence_and_exit_0(
    hub: HubMaker, arguments: tuple[str, ...], buffering: dict[str, str]
) -> None:
    """`hub-index … | head` ends well when head has seen enough."""
    reader, writer = os.pipe()
    os.close(reader)
    done = _run_into(writer, hub.root, arguments, buffering)
    os.close(writer)
    assert done.returncode == 0, done.stderr
    assert b"Traceback" not in done.stderr
    assert b"Exception ignored" not in done.stderr


@pytest.mark.parametrize(
    ("arguments", "code"),
    [("lint {} --strict", 4), ("verify {}/none", 6), ("verify {}/none --json", 6), ("lint {}", 0)],
)
def test_f75_a_reader_that_has_left_hides_no_failure(hub: HubMaker, arguments: str, code: int) -> None:
    """A gate in a pipeline goes by the exit code, whoever still reads what is said."""
    hub.skill("Bad_Name", "x")
    hub.commit("a problem")
    command = f"'{sys.executable}' -m hub_index {arguments.format(hub.root)} 2>&1 | true; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, check=False)
    assert done.returncode == code


def test_f75_a_reader_that_leaves_early_is_not_an_error(hub: HubMaker) -> None:
    """`hub-index lint | head -1` ends quietly."""
    for number in range(200):
        hub.skill(f"Bad_{number}", "x")
    hub.commit("many problems")
    command = f"'{sys.executable}' -m hub_index lint '{hub.root}' | head -1"
    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert len(done.stdout.splitlines()) == 1


@pytest.mark.parametrize("arguments", [("--help",), ("nothing",), ("build", "--nothing"), ("lint", ".")])
def test_both_streams_full_is_still_an_exit_code_of_ours(hub: HubMaker, arguments: tuple[str, ...]) -> None:
    """Where not even the error can be said, Python does not end with its own 120."""
    with open("/dev/full", "wb") as full:
        done = _run_into(full.fileno(), hub.root, arguments, {}, stderr=full.fileno())
    assert done.returncode in (2, 7)


def _run_into(
    stdout: int, cwd: Path, arguments: tuple[str, ...], environment: dict[str, str], stderr: int = subprocess.PIPE
) -> "subprocess.CompletedProcess[bytes]":
    command = [sys.executable, "-m", "hub_index", *arguments]
    return subprocess.run(
        command, cwd=cwd, stdout=stdout, stderr=stderr, env=os.environ | environment, check=False, timeout=60
    )


@pytest.mark.parametrize("closed", [">&-", "2>&-"])
def test_closed_streams_do_not_stop_a_build(hub: HubMaker, closed: str) -> None:
    """A cron job may have no stdout at all."""
    command = f"'{sys.executable}' -m hub_index build '{hub.root}' {closed}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    assert (hub.root / "search/vectors.f32").exists()


@pytest.mark.parametrize(
    "world", [{"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}, {"PYTHONIOENCODING": "ascii"}]
)
def test_f75_an_ascii_terminal_shows_escapes_instead_of_a_traceback(hub: HubMaker, world: dict[str, str]) -> None:
    """Text that the terminal cannot show is escaped; JSON stays JSON."""
    hub.write("skills/中文/SKILL.md", "---\nname: 中文\n---\n")
    hub.commit("unicode path")
    assert hub_index("lint", hub.root, env=world).code == 0
    assert json.loads(hub_index("lint", hub.root, "--json", env=world).out)["problems"]


def test_f11_nothing_that_a_terminal_obeys_reaches_it(hub: HubMaker) -> None:
    """Escape sequences in skills and folder names are gone from every output."""
    hub.write(
        "skills/esc/SKILL.md",
        b'---\nname: "\\e]52;c;AAAA\\a"\ndescription: \x1b[31mred \xc2\x9b1m\x07 \xe2\x80\xae tail\n---\n',
    )
    hub.place(b"skills/ev\x1b[2Jil/SKILL.md", b"---\nname: evil\ndescription: d\n---\n")
    hub.commit_index("escapes")
    hub.git("reset", "-q", "--hard")
    for arguments in (("lint", "."), ("lint", ".", "--json"), ("build", "."), ("plan", "."), ("build", ".", "--json")):
        outcome = hub_index(*arguments, cwd=hub.root)
        shown = outcome.out + outcome.err
        assert not [sign for sign in shown if sign in "\x1b\x07\x9b\u202e"], arguments
    assert b"\\u001b" not in (hub.root / "search/skills.jsonl").read_bytes()


def test_lint_on_a_terminal_shows_the_whole_fix(hub: HubMaker) -> None:
    """Eighty columns wrap; nothing of what to write is cut off."""
    hub.write("skills/a-rather-long-folder-name/SKILL.md", "no frontmatter here, only text\n")
    hub.commit("bad")
    screen = on_a_terminal("lint", str(hub.root))
    assert "'description: what it does and when to use it', '---'" in " ".join(screen.split())
    assert max(len(line) for line in screen.splitlines()) <= 80


def test_a_build_that_made_every_vector_anew_says_so(hub: HubMaker) -> None:
    """`--force` that gave the same bytes has not done nothing; the build after it has."""
    assert hub_index("build", hub.root).code == 0
    forced = hub_index("build", hub.root, "--force").out
    assert forced.startswith("made anew, with the same bytes as before: 2 skills")
    assert "2 embedded with" in forced
    assert hub_index("build", hub.root).out.startswith("nothing changed: 2 skills")
