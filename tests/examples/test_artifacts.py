"""The published example: artifacts/ is what a build of examples/hub writes."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.processes.cli_runner import hub_index

_PROJECT = Path(__file__).resolve().parents[2]
_ARTIFACTS = _PROJECT / "artifacts"


def _rows(folder: Path) -> list[dict[str, Any]]:
    rows = [json.loads(line) for line in (folder / "skills.jsonl").read_bytes().split(b"\n")[:-1]]
    for row in rows:
        row.pop("updated_at")  # a shallow or rewritten clone knows other times
    return rows


def _vectors(folder: Path) -> Any:
    return np.frombuffer((folder / "vectors.f32").read_bytes(), "<f4")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A build of the example hub from nothing."""
    folder = tmp_path_factory.mktemp("example") / "search"
    outcome = hub_index("build", _PROJECT / "examples/hub", "--out", folder, "--cache", folder.parent / "cache")
    assert outcome.code == 0, outcome.err
    return folder


def test_the_published_example_verifies() -> None:
    """artifacts/ passes every check that a client or verify makes."""
    assert hub_index("verify", _ARTIFACTS).code == 0


def test_the_published_example_is_what_a_build_writes(built: Path) -> None:
    """Rows and hashes are equal, vectors within what processors differ by."""
    assert _rows(built) == _rows(_ARTIFACTS)
    assert np.abs(_vectors(built) - _vectors(_ARTIFACTS)).max() < 1e-5


def test_the_example_hub_shows_what_it_promises(built: Path) -> None:
    """At least forty skills, some in Chinese, some irregular on purpose and all indexed."""
    rows = _rows(built)
    assert len(rows) >= 40
    assert sum(row["lang"] == "zh" for row in rows) >= 10
    assert sum(row["id"].startswith("irregular/") for row in rows) >= 5
