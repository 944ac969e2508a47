"""The GitHub workflows as plain values."""

from pathlib import Path
from typing import Any

import yaml

FOLDER = Path(__file__).parents[3] / ".github" / "workflows"
FILES = sorted(FOLDER.glob("*.yml"))


def load_workflow(name: str) -> dict[Any, Any]:
    """A workflow as plain values; YAML reads the key `on` as true."""
    value: dict[Any, Any] = yaml.safe_load((FOLDER / name).read_text(encoding="utf-8"))
    value["on"] = value.pop(True)
    return value


def steps_of(name: str) -> list[dict[str, Any]]:
    return [step for job in load_workflow(name)["jobs"].values() for step in job["steps"]]
