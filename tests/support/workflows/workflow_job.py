"""A runner's machine: the steps of a workflow's one job, in a shell, with what GitHub would put around them."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from support.builds.publish_world import git
from support.workflows.workflow_expressions import evaluate, fill_in
from support.workflows.workflow_files import load_workflow

ROOT = Path(__file__).parents[3]


@dataclass(frozen=True, slots=True)
class StepOutcome:
    """How one script ended: both streams as the runner would see them, and the commands as the shell ran them."""

    code: int
    log: str
    trace: str


class Job:
    """One run of a workflow that a hub calls: the inputs of the hub's file, and what else is known in expressions."""

    def __init__(
        self,
        folder: Path,
        workflow: str,
        inputs: Mapping[str, object] = MappingProxyType({}),
        *,
        remote: Path | None = None,
        programs: Sequence[Path] = (),
        known: Mapping[str, object] = MappingProxyType({}),
    ) -> None:
        folder.mkdir()
        self.folder, self.remote, self.programs = folder, remote, programs
        on = load_workflow(workflow)["on"]
        called = on["workflow_call"]
        assert set(inputs) <= set(called["inputs"])
        values = {name: choice.get("default") for name, choice in called["inputs"].items()} | dict(inputs)
        self.context: dict[str, object] = {
            "github.event_name": "schedule",
            "github.event.repository.fork": False,
            "github.repository": "team/hub",
            "github.server_url": "https://github.invalid",
            "github.run_id": "7",
            "github.token": "not-a-token",
            **{f"secrets.{name}": "" for name in called.get("secrets", {})},
            **{f"inputs.{name}": value for name, value in values.items()},
            **known,
        }
        (self.job,) = load_workflow(workflow)["jobs"].values()
        self.summary, self.outputs, self.temp = folder / "summary.md", folder / "outputs", folder / "temp"
        self.temp.mkdir()
        self.ran: list[str] = []

    def starts(self) -> bool:
        """Whether the job's own condition lets it run."""
        return bool(evaluate(self.job["if"], self.context))

    def run(self) -> dict[str, StepOutcome]:
        """Every step once, until a script fails; how each script ended, by the step's name."""
        outcomes: dict[str, StepOutcome] = {}
        for step in self.job["steps"]:
            self.ran.append(step.get("uses", "run").split("@")[0])
            if step.get("uses", "").startswith("actions/checkout@"):
                self._checkout(step["with"])
            elif "run" in step:
                outcomes[step["name"]] = self.script(step["name"])
                if outcomes[step["name"]].code:
                    break
        return outcomes

    def script(self, name: str) -> StepOutcome:
        """The script of one step."""
        (step,) = (step for step in self.job["steps"] if step.get("name") == name)
        settings = {name: fill_in(str(text), self.context) for name, text in step.get("env", {}).items()}
        runners = {
            # setup-python gives a runner its `python`; a machine like Debian has only python3
            "PATH": os.pathsep.join([*map(str, self.programs), os.path.dirname(sys.executable), os.environ["PATH"]]),
            "PIP_NO_INDEX": "1",
            "GITHUB_STEP_SUMMARY": str(self.summary),
            "GITHUB_OUTPUT": str(self.outputs),
            "GITHUB_SERVER_URL": "https://github.invalid",
            "RUNNER_TEMP": str(self.temp),
        }
        with tempfile.TemporaryFile("w+") as trace:
            done = subprocess.run(
                ["bash", "-e", "-x", "-c", step["run"]],
                cwd=self.folder,
                env=os.environ | settings | runners | {"BASH_XTRACEFD": str(trace.fileno())},
                pass_fds=[trace.fileno()],
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                timeout=300,
                check=False,
            )
            trace.seek(0)
            return StepOutcome(done.returncode, done.stdout, trace.read())

    def _checkout(self, settings: dict[str, Any]) -> None:
        target = self.folder / settings["path"]
        if "repository" not in settings:
            branch = fill_in(settings.get("ref", ""), self.context)
            choice = ["--branch", branch] if branch else []
            git(self.folder, "clone", "-q", *choice, str(self.remote), str(target))
            return
        target.mkdir()  # the tool: as it is on disk, committed or not
        for name in ("hub_index", "pipelines", "schemas", "requirements"):
            shutil.copytree(ROOT / name, target / name, ignore=shutil.ignore_patterns("__pycache__"))
        for name in ("pyproject.toml", "README.md", "LICENSE"):
            shutil.copy(ROOT / name, target / name)


def write_program(folder: Path, name: str, source: str) -> Path:
    """A program of the test's own, written in Python; returns the folder that holds it, for the runner's PATH."""
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(f"#!/usr/bin/env python3\n{source}")
    (folder / name).chmod(0o755)
    return folder
