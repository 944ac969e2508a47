"""build-index.yml's choices: what each input becomes, who is left alone, and what a report may not do to the runner."""

import json
import os
import re
import stat
from pathlib import Path
from typing import Any

import pytest
from support.workflows.workflow_job import Job, StepOutcome, write_program

_STEP = "Build and publish"
_KEY = "-----BEGIN OPENSSH PRIVATE KEY-----\r\nnot a key\r\n-----END OPENSSH PRIVATE KEY-----"
_TOOL = """
import json, os, pathlib, sys
words = sys.argv[1:]
note = {"words": words, "base_url": os.environ["AXON_EMBEDDINGS_BASE_URL"], "leaked": "SIGNING_KEY" in os.environ}
if "--sign" in words:
    key = pathlib.Path(words[words.index("--sign") + 1])
    note |= {"key": key.read_text(), "mode": key.stat().st_mode, "key_file": str(key)}
pathlib.Path("note.json").write_text(json.dumps(note))
print("::add-mask::a word of a skill\\n::set-env name=PATH::/tmp", file=sys.stderr, flush=True)
if "--strict" in words:
    sys.exit(4)
print(json.dumps({"embedded": 2}))
"""


@pytest.fixture
def programs(tmp_path: Path) -> list[Path]:
    """A stand-in for hub-index, which notes how it was called and prints what a hostile skill might."""
    return [write_program(tmp_path / "programs", "hub-index", _TOOL)]


def publish(
    folder: Path, programs: list[Path], inputs: dict[str, object], signing_key: str = ""
) -> tuple[Job, StepOutcome]:
    """The publishing step alone."""
    known = {"secrets.HUB_INDEX_SIGNING_KEY": signing_key}
    job = Job(folder, "build-index.yml", inputs, programs=programs, known=known)
    return job, job.script(_STEP)


def noted(job: Job) -> dict[str, Any]:
    """How the stand-in was called."""
    note: dict[str, Any] = json.loads((job.folder / "note.json").read_text())
    return note


def test_a_caller_of_old_gets_the_same_command(tmp_path: Path, programs: list[Path]) -> None:
    """Without the new inputs nothing is added to what was run before they existed."""
    job, outcome = publish(tmp_path / "job", programs, {})
    assert outcome.code == 0, outcome
    author = "github-actions[bot] <41898282+github-actions[bot]@users.noreply.github.com>"
    assert noted(job)["words"] == [
        *("publish", "hub/.", "--push", "--cache", "vectors", "--summary", str(job.summary), "--json"),
        *("--author", author),
    ]
    assert noted(job)["base_url"] == ""


@pytest.mark.parametrize(
    ("inputs", "words"),
    [
        ({"allow-shrink": True}, ["--allow-shrink"]),
        ({"strict": True}, ["--strict"]),
        ({"page": True}, ["--page"]),
        ({"page": True, "dry-run": True}, ["--dry-run"]),
        ({"model-alias": "openai:usem3-axon"}, ["--model-alias", "openai:usem3-axon"]),
        ({"max-cost": "0.5"}, ["--max-cost", "0.5"]),
        ({"max-drop": "3"}, ["--max-drop", "3"]),
        ({"accept": "vectors, quality"}, ["--accept", "vectors", "--accept", "quality"]),
        ({"accept": "*"}, ["--accept", "*"]),
        ({"branch": "index", "orphan": True}, ["--branch", "index", "--orphan"]),
        ({"model": "openai:x; exit 0"}, ["--model", "openai:x; exit 0"]),
    ],
)
def test_an_input_is_an_option(
    tmp_path: Path, programs: list[Path], inputs: dict[str, object], words: list[str]
) -> None:
    """Each reaches the tool as words of its own, whatever it holds."""
    job, _ = publish(tmp_path / "job", programs, inputs)
    assert noted(job)["words"][10:] == words


def test_the_address_goes_through_the_environment(tmp_path: Path, programs: list[Path]) -> None:
    """base-url is the caller's word, as AXON_EMBEDDINGS_BASE_URL is a user's."""
    job, _ = publish(tmp_path / "job", programs, {"base-url": "https://gpu.invalid/v1"})
    assert noted(job)["base_url"] == "https://gpu.invalid/v1"


@pytest.mark.parametrize("strict", [False, True])
def test_the_signing_key_is_a_file_of_the_step_alone(tmp_path: Path, programs: list[Path], strict: bool) -> None:
    """Only its owner may read it, the tool's environment does not hold it, and it is gone, also after a failure."""
    inputs: dict[str, object] = {"sign": True, "strict": strict}
    job, outcome = publish(tmp_path / "job", programs, inputs, _KEY)
    note = noted(job)
    assert outcome.code == (4 if strict else 0)
    assert note["key"] == _KEY.replace("\r", "") + "\n"
    assert stat.S_IMODE(note["mode"]) == 0o600
    assert Path(note["key_file"]).parent == job.temp
    assert not note["leaked"]
    assert os.listdir(job.temp) == []
    assert "not a key" not in outcome.log


def test_signing_without_a_key_is_refused_and_a_key_alone_signs_nothing(tmp_path: Path, programs: list[Path]) -> None:
    """Whoever asks for a signature never gets an unsigned index; the secret may stand there unused."""
    job, outcome = publish(tmp_path / "unset", programs, {"sign": True})
    assert outcome.code == 2
    assert "needs the secret HUB_INDEX_SIGNING_KEY" in outcome.log
    assert not (job.folder / "note.json").exists()
    job, _ = publish(tmp_path / "unasked", programs, {}, _KEY)
    assert "--sign" not in noted(job)["words"]


@pytest.mark.parametrize("strict", [False, True])
def test_what_the_tool_prints_is_no_command_to_the_runner(tmp_path: Path, programs: list[Path], strict: bool) -> None:
    """Its lines stand between a random token's two marks, and commands are understood again after a failure too."""
    tokens = set()
    for number in range(2):
        _, outcome = publish(tmp_path / str(number), programs, {"strict": strict})
        assert outcome.code == (4 if strict else 0)
        (token,) = re.findall(r"^::stop-commands::([0-9a-f]{32})$", outcome.log, re.MULTILINE)
        assert outcome.log.splitlines()[1:] == [  # after the mask of the token to push with
            f"::stop-commands::{token}",
            "::add-mask::a word of a skill",
            "::set-env name=PATH::/tmp",
            *([] if strict else ['{"embedded": 2}']),
            f"::{token}::",
        ]
        tokens.add(token)
    assert len(tokens) == 2


@pytest.mark.parametrize("event", ["schedule", "push", "workflow_dispatch"])
def test_a_fork_is_left_alone(tmp_path: Path, event: str) -> None:
    """A fork takes the hub's workflow along; neither its schedule nor its pushes build anything."""
    about = {"github.event_name": event, "github.event.repository.fork": False}
    assert Job(tmp_path / "hub", "build-index.yml", known=about).starts()
    about |= {"github.event.repository.fork": True}
    assert not Job(tmp_path / "fork", "build-index.yml", known=about).starts()


@pytest.mark.parametrize("event", ["pull_request", "pull_request_target"])
def test_a_pull_request_builds_nothing(tmp_path: Path, event: str) -> None:
    """Nothing of a stranger's is built with the right to push."""
    assert not Job(tmp_path / "job", "build-index.yml", known={"github.event_name": event}).starts()
