"""The page's engine in node: the same modules that a browser loads, called from Python."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

_RUNNER = Path(__file__).resolve().parents[2] / "page/engine_runner.mjs"

needs_node = pytest.mark.skipif(
    shutil.which("node") is None,
    reason="there is no node: the page's scripts and reader.mjs are compared with Python's where it is",
)


def call_engine(site: Path, *calls: tuple[str, Any], address: str = "") -> list[Any]:
    """The answers to some calls of one engine; a call that failed is a dictionary with `error`.

    Data files come from the disk, or from the server at an address.
    """
    (site.parent / "package.json").write_text('{"type": "module"}')  # or an older node takes .js for CommonJS
    done = subprocess.run(
        ["node", str(_RUNNER), str(site), address], input=json.dumps(calls), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    answers: list[Any] = json.loads(done.stdout)
    return answers
