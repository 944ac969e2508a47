"""build-index.yml's own steps, replayed in a shell against a bare remote: checkout, install, run, push, run again."""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

import pytest
import yaml
from support.hub_maker import HubMaker
from support.publish_world import git, read_index

from hub_index.index.format.validate import check_index

ROOT = Path(__file__).parents[2]
WORKFLOW = ROOT / ".github" / "workflows" / "build-index.yml"


class Job:
    """A runner's machine: a workspace, an environment of its own, and the steps of the workflow in order."""

    def __init__(self, folder: Path, remote: Path, inputs: dict[str, str], python: Path) -> None:
        self.folder, self.remote, self.inputs, self.python = folder, remote, inputs, python
        folder.mkdir()
        self.summary, self.outputs = folder / "summary.md", folder / "outputs"
        self.ran: list[str] = []

    def run(self) -> dict[str, Any]:
        """Every step once; the report that the publishing step wrote."""
        (job,) = yaml.safe_load(WORKFLOW.read_text(encoding="utf-8"))["jobs"].values()
        for step in job["steps"]:
            self.ran.append(step.get("uses", "run").split("@")[0])
            if step.get("uses", "").startswith("actions/checkout@"):
                self._checkout(step["with"])
            elif "run" in step:
                self._shell(step)
        report: dict[str, Any] = json.loads((self.folder / "report.json").read_bytes())
        return report

    def _checkout(self, settings: dict[str, Any]) -> None:
        target = self.folder / settings["path"]
        if "repository" not in settings:
            git(self.folder, "clone", "-q", str(self.remote), str(target))
            return
        target.mkdir()  # the tool: as it is on disk, committed or not
        for name in ("hub_index", "pipelines", "schemas", "requirements"):
            shutil.copytree(ROOT / name, target / name, ignore=shutil.ignore_patterns("__pycache__"))
        for name in ("pyproject.toml", "README.md", "LICENSE"):
            shutil.copy(ROOT / name, target / name)

    def _shell(self, step: dict[str, Any]) -> None:
        environment = {name: self._value(str(text)) for name, text in step.get("env", {}).items()}
        done = subprocess.run(
            ["bash", "-e", "-c", step["run"]],
            cwd=self.folder,
            env=os.environ
            | environment
            | {
                "PATH": f"{self.python.parent}{os.pathsep}{os.environ['PATH']}",
                "PIP_NO_INDEX": "1",
                "GITHUB_STEP_SUMMARY": str(self.summary),
                "GITHUB_OUTPUT": str(self.outputs),
                "GITHUB_SERVER_URL": "https://github.invalid",
            },
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr

    def _value(self, text: str) -> str:
        """What an expression of the workflow stands for here; anything else than these is a mistake of the test."""
        if not text.startswith("${{"):
            return text
        name = text.removeprefix("${{").removesuffix("}}").strip()
        if name.startswith("inputs."):
            return self.inputs.get(name.removeprefix("inputs."), "")
        return {"github.token": "not-a-token", "secrets.AXON_EMBEDDINGS_API_KEY": ""}[name]


@pytest.fixture
def python(tmp_path: Path) -> Path:
    """A fresh environment in which every pinned requirement is installed already, so that nothing is downloaded.

    pip is borrowed too: before Python 3.12 the one that venv brings comes with another setuptools than the pinned one.
    """
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(tmp_path / "venv")], check=True)
    interpreter = tmp_path / "venv" / "bin" / "python"
    probe = [str(interpreter), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
    site = Path(subprocess.run(probe, capture_output=True, text=True, check=True).stdout.strip())
    (site / "borrowed.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return interpreter


def test_the_workflow_publishes_a_hub_and_does_nothing_the_second_time(tmp_path: Path, python: Path) -> None:
    """A hub that calls the workflow gets its index in one commit by the bot, with the run's table as summary."""
    seed = HubMaker(tmp_path / "seed")
    for number in range(3):
        seed.skill(f"skill-{number}", f"Does thing number {number}.")
    seed.commit("skills")
    remote = tmp_path / "remote.git"
    git(tmp_path, "clone", "-q", "--bare", str(seed.root), str(remote))
    inputs = {"hub": ".", "branch": "", "orphan": "false", "force": "false", "model": "", "dry-run": "false"}

    first = Job(tmp_path / "first", remote, inputs, python)
    report = first.run()
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

    again = Job(tmp_path / "again", remote, inputs, python).run()
    assert (again["embedded"], again["changed"], again["commit"]) == (0, False, None)
    assert git(remote, "rev-list", "--count", "main") == "2"
