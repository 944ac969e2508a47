"""How the command line behaves whatever the verb: help, usage errors, exit codes, closed pipes, odd terminals."""

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
from support.cli_runner import hub_index
from support.hub_maker import HubMaker

from hub_index.cli.main import VERBS


@pytest.fixture
def hub(tmp_path: Path) -> HubMaker:
    """A hub of two skills, one of them in Chinese."""
    maker = HubMaker(tmp_path / "hub")
    maker.skill("one", "Analyze slow queries.")
    maker.skill("two", "制作演示文稿。")
    maker.commit("skills")
    return maker


def test_without_arguments_the_overview_is_shown_as_a_usage_error() -> None:
    """Nothing asked is exit 2, and the verbs are listed on stderr."""
    outcome = hub_index()
    assert (outcome.code, outcome.out) == (2, "")
    assert "build" in outcome.err


@pytest.mark.parametrize("verb", sorted(VERBS))
def test_every_verb_explains_itself_with_examples(verb: str) -> None:
    """--help works for each verb that the overview lists, and shows how it is typed."""
    outcome = hub_index(verb, "--help")
    assert outcome.code == 0, outcome.err
    assert f"hub-index {verb}" in outcome.out
    assert "examples:" in outcome.out


@pytest.mark.parametrize(
    "arguments", [("biuld",), ("build", "--no-such-option"), ("build", "--forc"), ("build", "a", "b")]
)
def test_a_usage_error_is_exit_2_without_a_traceback(arguments: tuple[str, ...]) -> None:
    """Unknown verbs and options, and abbreviations, are refused."""
    outcome = hub_index(*arguments)
    assert (outcome.code, outcome.out) == (2, "")
    assert "Traceback" not in outcome.err


def test_json_is_the_only_thing_on_stdout(hub: HubMaker) -> None:
    """Programs get one object with the promised keys; notices go to stderr."""
    outcome = hub_index("build", hub.root, "--json")
    report = json.loads(outcome.out)
    assert outcome.code == 0
    assert {"skills", "embedded", "reused", "removed", "problems", "changed", "seconds", "index_dir"} <= report.keys()
    assert (report["skills"], report["embedded"], report["changed"]) == (2, 2, True)
    assert report["index_dir"] == str(hub.root / "search")


def test_plan_is_build_with_dry_run(hub: HubMaker) -> None:
    """Both say the same and write nothing."""
    planned = json.loads(hub_index("plan", hub.root, "--json").out)
    dry = json.loads(hub_index("build", hub.root, "--dry-run", "--json").out)
    assert planned | {"seconds": 0} == dry | {"seconds": 0}
    assert (planned["embedded"], planned["tokens_exact"]) == (2, True)
    assert planned["tokens"] > 10
    assert not (hub.root / "search").exists()


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("build", "nowhere"), 3, "nowhere"),
        (("build", ".", "--rev", "no-such-rev"), 3, "no-such-rev"),
        (("build", ".", "--model", "nobody:nothing"), 2, "nobody"),
        (("verify", "nowhere"), 6, "nowhere"),
        (("lint", "nowhere"), 3, "nowhere"),
    ],
)
def test_an_error_is_one_line_that_names_the_place(
    hub: HubMaker, arguments: tuple[str, ...], code: int, words: str
) -> None:
    """Each kind of failure has its exit code, one line, and no traceback."""
    outcome = hub_index(*arguments, cwd=hub.root)
    assert (outcome.code, outcome.out) == (code, "")
    assert len(outcome.err.splitlines()) == 1
    assert words in outcome.err


def test_debug_shows_the_traceback(hub: HubMaker) -> None:
    """--debug is for those who want to know where it went wrong."""
    assert "Traceback" in hub_index("build", "nowhere", "--debug", cwd=hub.root).err


def test_lint_strict_exits_4_and_plain_lint_0(hub: HubMaker) -> None:
    """Lint reports; only --strict makes it a gate, and advice counts for it."""
    assert hub_index("lint", hub.root, "--strict").code == 4
    outcome = hub_index("lint", hub.root)
    assert outcome.code == 0
    assert "skills/two/SKILL.md" in outcome.out


def test_verify_says_fresh_or_stale(hub: HubMaker) -> None:
    """A new commit of a skill makes the index stale: exit 6."""
    assert hub_index("build", hub.root).code == 0
    assert "fresh" in hub_index("verify", "--hub", ".", cwd=hub.root).out
    hub.skill("three", "A third one.")
    hub.commit("third")
    outcome = hub_index("verify", hub.root / "search", "--hub", hub.root, "--json")
    assert (outcome.code, json.loads(outcome.out)["freshness"]) == (6, "stale")


def test_f59_verify_reports_a_manifest_that_differs_from_the_committed_one(hub: HubMaker) -> None:
    """The manifest has no digest of its own: a changed one is reported against git, not refused."""
    hub_index("build", hub.root)
    hub.commit("index")
    manifest = hub.root / "search/index_manifest.json"
    manifest.write_text(manifest.read_text().replace("Z", "z", 1).replace('"created_at": "2', '"created_at": "1', 1))
    outcome = hub_index("verify", hub.root / "search", "--hub", hub.root)
    assert "differs" in outcome.err


def test_f75_a_reader_that_leaves_early_is_not_an_error(hub: HubMaker) -> None:
    """`hub-index lint | head -1` ends quietly."""
    for number in range(200):
        hub.skill(f"Bad_{number}", "x")
    hub.commit("many problems")
    command = f"'{sys.executable}' -m hub_index lint '{hub.root}' | head -1"
    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert len(done.stdout.splitlines()) == 1


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


def test_doctor_finds_everything_in_order(hub: HubMaker) -> None:
    """With everything installed the doctor finds nothing bad."""
    outcome = hub_index("doctor", "--hub", hub.root, "--json")
    states = {check["what"]: check["state"] for check in json.loads(outcome.out)["findings"]}
    assert outcome.code == 0
    assert states["git"] == states["embedded model"] == states["hub"] == "ok"


def test_init_writes_a_private_template_once(own_world: Path) -> None:
    """The template has empty values and mode 0600, and a second init leaves it alone."""
    assert hub_index("init").code == 0
    path = own_world / ".axon/.env"
    assert path.stat().st_mode & 0o777 == 0o600
    path.write_text("AXON_EMBEDDINGS_MODEL=mine\n")
    assert "left as it is" in hub_index("init").out
    assert path.read_text() == "AXON_EMBEDDINGS_MODEL=mine\n"


def test_a_model_that_is_not_multilingual_gets_a_warning_that_names_one_that_is(hub: HubMaker) -> None:
    """A maintainer hears of it before anything is spent."""
    outcome = hub_index("plan", hub.root, "--model", "openai:text-embedding-ada-002")
    assert "not multilingual" in outcome.err
    assert "openai:text-embedding-3-small" in outcome.err


def test_max_cost_stops_before_the_first_request(hub: HubMaker) -> None:
    """Too expensive, or of unknown price, is exit 2 without a key or a socket being touched."""
    for model in ("openai:text-embedding-3-small", "openai:nobody-knows"):
        outcome = hub_index("build", hub.root, "--model", model, "--max-cost", "0")
        assert outcome.code == 2
        assert "--max-cost" in outcome.err
    assert not (hub.root / "search").exists()


def test_a_local_build_says_that_it_cost_nothing(hub: HubMaker) -> None:
    """The embedded model's price is known: 0."""
    assert json.loads(hub_index("build", hub.root, "--json").out)["cost_usd"] == 0


_UNBUFFERED = {"PYTHONUNBUFFERED": "1"}
_COMMANDS = [
    *(((words,), {}) for words in ("--help", "--version", "doctor")),
    *((words, {}) for words in (("lint", "."), ("build", ".", "--json"), ("plan", "."))),
    *(((verb, "--help"), {}) for verb in VERBS),
    *((words, _UNBUFFERED) for words in (("--help",), ("plan", "--help"), ("doctor",), ("lint", "."))),
]


@pytest.mark.parametrize(("arguments", "buffering"), _COMMANDS)
def test_a_full_disk_behind_stdout_is_one_line_and_exit_7(
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


@pytest.mark.parametrize(("arguments", "buffering"), _COMMANDS)
def test_a_closed_pipe_behind_stdout_is_silence_and_exit_0(
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


def test_lint_on_a_terminal_shows_the_whole_fix(hub: HubMaker) -> None:
    """Eighty columns wrap; nothing of what to write is cut off."""
    hub.write("skills/a-rather-long-folder-name/SKILL.md", "no frontmatter here, only text\n")
    hub.commit("bad")
    screen = _on_a_terminal("lint", str(hub.root))
    assert "'description: <what it does and when to use it>', '---'" in " ".join(screen.split())
    assert max(len(line) for line in screen.splitlines()) <= 80


def _on_a_terminal(*arguments: str) -> str:
    """What the command shows on a terminal of 80 columns."""
    reader, terminal = pty.openpty()
    command = [sys.executable, "-m", "hub_index", *arguments]
    process = subprocess.Popen(command, stdout=terminal, stderr=subprocess.DEVNULL, env=os.environ | {"COLUMNS": "80"})
    os.close(terminal)
    shown = b""
    try:
        while chunk := os.read(reader, 65_536):
            shown += chunk
    except OSError:  # Linux says EIO when the other end has gone
        pass
    os.close(reader)
    assert process.wait() == 0
    return shown.decode()


def test_doctor_notices_a_misspelt_setting_and_a_readable_key_file(own_world: Path) -> None:
    """An unknown name, and a file that others can read, are both bad."""
    path = own_world / ".axon/.env"
    path.parent.mkdir()
    path.write_text("AXON_EMBEDDINGS_PROVIDR=openai\n")
    path.chmod(0o600)
    assert "AXON_EMBEDDINGS_PROVIDR" in hub_index("doctor").out
    path.write_text("AXON_EMBEDDINGS_PROVIDER=local\n")
    path.chmod(0o644)
    outcome = hub_index("doctor")
    assert (outcome.code, "chmod 600" in outcome.out) == (1, True)


def test_an_empty_model_is_a_usage_error(hub: HubMaker) -> None:
    """It would silently mean the default."""
    assert hub_index("build", hub.root, "--model", "").code == 2
