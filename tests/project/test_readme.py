"""Every command line of the README works as it is written there."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support.hubs.hub_maker import HubMaker

_PROJECT = Path(__file__).resolve().parents[2]
_COPIED = ("hub_index", "pipelines", "schemas", "pyproject.toml", "README.md", "LICENSE")


def _command_lines() -> list[str]:
    """The lines of the README's plain code blocks that a reader would type."""
    blocks = re.findall(r"```\n(.*?)```", (_PROJECT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    lines = [line.split(" # ")[0].strip() for block in blocks for line in block.splitlines()]
    return [line for line in lines if line.startswith(("hub-index ", "pip ", "make "))]


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A folder with the project's files and, where the README says, a hub with the example's skills."""
    folder = tmp_path / "clone"
    folder.mkdir()
    for name in _COPIED:
        source = _PROJECT / name
        if source.is_dir():
            shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, folder / name)
    hub = HubMaker(folder / "path/to/hub")
    shutil.copytree(_PROJECT / "examples/hub", hub.root, dirs_exist_ok=True)
    hub.commit("skills")
    return folder


def test_the_readme_shows_both_promised_commands() -> None:
    """They are run by `make fresh` and by CI, not from inside of one of them."""
    lines = _command_lines()
    assert [line for line in lines if line.startswith("make ")] == ["make demo", "make test"]
    assert len(lines) >= 10


def test_every_other_command_line_works_in_the_order_of_the_page(clone: Path) -> None:
    """Each one exits 0 in a shell whose folder is a clone; nothing is fetched, what pip needs is already there."""
    world = os.environ | {
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "PIP_NO_INDEX": "1",
        "PIP_NO_BUILD_ISOLATION": "0",  # pip's spelling of --no-build-isolation
        "PIP_DRY_RUN": "1",
    }
    for line in _command_lines():
        if not line.startswith("make "):
            done = subprocess.run(
                ["bash", "-c", line], cwd=clone, env=world, capture_output=True, text=True, check=False, timeout=120
            )
            assert done.returncode == 0, f"{line}\n{done.stdout}{done.stderr}"


def test_the_readme_names_every_exit_code_and_no_verb_that_is_not_there(clone: Path) -> None:
    """Whatever stands behind `hub-index` in backticks or in a block is a verb or an option of ours."""
    from hub_index.cli.main import VERBS

    text = (_PROJECT / "README.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`hub-index ([a-z]+)", text)) | {
        line.split()[1] for line in _command_lines() if line.startswith("hub-index")
    }
    assert named <= set(VERBS)
