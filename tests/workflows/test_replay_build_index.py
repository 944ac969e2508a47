"""build-index.yml's own steps, replayed in a shell against a bare remote: checkout, install, run, push, run again."""

import json
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

import pytest
from support.builds.publish_world import git, read_index
from support.hubs.hub_maker import HubMaker
from support.models.scripted_server import ScriptedServer
from support.workflows.workflow_job import Job

from hub_index.index.format.validate import check_index


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    """A fresh environment in which every pinned requirement is installed already, so that nothing is downloaded.

    pip is borrowed too: before Python 3.12 the one that venv brings comes with another setuptools than the pinned one.
    """
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(tmp_path / "venv")], check=True)
    interpreter = tmp_path / "venv" / "bin" / "python"
    probe = [str(interpreter), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
    site = Path(subprocess.run(probe, capture_output=True, text=True, check=True).stdout.strip())
    (site / "borrowed.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return interpreter.parent


@pytest.fixture
def seed(tmp_path: Path) -> HubMaker:
    """A hub of three skills, not pushed yet."""
    seed = HubMaker(tmp_path / "seed")
    for number in range(3):
        seed.skill(f"skill-{number}", f"Does thing number {number}.")
    seed.commit("skills")
    return seed


def push(seed: HubMaker) -> Path:
    """The hub's bare remote."""
    remote = seed.root.parent / "remote.git"
    git(seed.root.parent, "clone", "-q", "--bare", str(seed.root), str(remote))
    return remote


def replay(job: Job) -> dict[str, Any]:
    """Every step, none of which fails; the report that the publishing step wrote."""
    for outcome in job.run().values():
        assert outcome.code == 0, outcome.log
    report: dict[str, Any] = json.loads((job.folder / "report.json").read_bytes())
    return report


def test_the_workflow_publishes_a_hub_and_does_nothing_the_second_time(
    tmp_path: Path, seed: HubMaker, programs: Path
) -> None:
    """A hub that calls the workflow gets its index in one commit by the bot, with the run's table as summary."""
    remote = push(seed)
    first = Job(tmp_path / "first", "build-index.yml", remote=remote, programs=[programs])
    report = replay(first)
    assert first.ran == [
        "actions/checkout",
        "actions/checkout",
        "actions/setup-python",
        "run",
        "actions/cache/restore",
        "run",
        "actions/cache/save",
    ]
    assert (report["embedded"], report["changed"], report["commit"]) == (3, True, git(remote, "rev-parse", "main"))
    check_index(read_index(remote, "main"))
    assert git(remote, "log", "-1", "--format=%an", "main") == "github-actions[bot]"
    assert "| Added | 3: skill" in first.summary.read_text()
    assert first.outputs.read_text() == "embedded=3\n"
    assert list((first.folder / "vectors").rglob("*.parquet"))
    assert "not-a-token" not in "".join(file.read_text() for file in (first.folder / "hub" / ".git").glob("config*"))

    again = replay(Job(tmp_path / "again", "build-index.yml", remote=remote, programs=[programs]))
    assert (again["embedded"], again["changed"], again["commit"]) == (0, False, None)
    assert git(remote, "rev-list", "--count", "main") == "2"


def test_a_model_that_only_the_hubs_file_names_is_installed_and_asked_at_the_address_of_the_caller(
    tmp_path: Path, seed: HubMaker, programs: Path
) -> None:
    """Nobody has to repeat in the workflow what hub-index.toml of the branch that is read says already."""
    seed.git("checkout", "-q", "-b", "release")
    seed.write("hub-index.toml", 'model = "openai:own-model"\n')
    seed.commit("a model")
    seed.git("checkout", "-q", "main")
    remote = push(seed)
    with ScriptedServer("openai") as server:
        inputs = {"base-url": server.url, "branch": "release"}
        job = Job(tmp_path / "job", "build-index.yml", inputs, remote=remote, programs=[programs])
        outcomes = job.run()
    assert [outcome.code for outcome in outcomes.values()] == [0, 0], outcomes
    assert "./tool[openai]" in outcomes["Install"].trace
    assert json.loads(read_index(remote, "release").manifest)["model_id"] == "openai:own-model"
    assert len(server.times_requested) == 3


def test_the_embedded_model_needs_no_extra(tmp_path: Path, seed: HubMaker, programs: Path) -> None:
    """Where no model is named, or a hub's settings are broken, nothing is installed besides the pinned set."""
    seed.write("hub-index.toml", "model = 1\n")
    seed.commit("broken settings")
    job = Job(tmp_path / "job", "build-index.yml", remote=push(seed), programs=[programs])
    outcomes = job.run()
    assert outcomes["Install"].code == 0
    assert "./tool[" not in outcomes["Install"].trace
    assert outcomes["Build and publish"].code == 2
    assert "hub-index.toml: model" in outcomes["Build and publish"].log
