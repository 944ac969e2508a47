"""The README fits on a screen, and what it shows is what the commands do."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support.hubs.hub_maker import HubMaker

from docs.pictures.make_pictures import (
    PICTURED,
    SHOWN,
    TERMINAL,
    draw_terminal,
    readme_session,
    record,
    transcript,
    without_seconds,
    world,
)
from hub_index.cli.main import VERBS

_PROJECT = Path(__file__).resolve().parents[2]
_README = (_PROJECT / "README.md").read_text(encoding="utf-8")
_COPIED = ("hub_index", "pipelines", "schemas", "pyproject.toml", "README.md", "LICENSE")


def _command_lines(page: str) -> list[str]:
    """The lines of a page's plain code blocks that a reader would type."""
    text = (_PROJECT / page).read_text(encoding="utf-8")
    blocks = re.findall(r"^```(\w*)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    typed = [line for language, block in blocks if language in ("", "sh") for line in block.splitlines()]
    lines = [line.split("  # ")[0].strip() for line in typed]
    return [line for line in lines if line.startswith(("hub-index ", "pip ", "make "))]


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A folder with the project's files, the labelled queries and, where the page says, the example hub."""
    folder = tmp_path / "clone"
    folder.mkdir()
    for name in _COPIED:
        source = _PROJECT / name
        if source.is_dir():
            shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, folder / name)
    for name in ("queries.jsonl", "qrels.tsv"):
        shutil.copy(_PROJECT / "examples" / name, folder / name)
    hub = HubMaker(folder / "path/to/hub")
    shutil.copytree(_PROJECT / "examples/hub", hub.root, dirs_exist_ok=True)
    hub.commit("skills")
    return folder


def test_the_readme_fits_on_a_screen_and_shows_both_promised_commands() -> None:
    """At most 90 lines; the two commands are run by `make fresh` and by CI, not from inside of one of them."""
    assert len(_README.splitlines()) <= 90
    assert [line for line in _command_lines("README.md") if line.startswith("make ")] == ["make demo", "make test"]


def test_the_four_commands_show_what_the_readme_and_the_picture_say(tmp_path: Path) -> None:
    """The session is run anew, on a terminal; only seconds may differ. `make docs` writes both."""
    shown = record(tuple(dict.fromkeys((*SHOWN, *PICTURED))), tmp_path, world(tmp_path))
    assert len(SHOWN) == 4
    assert without_seconds(transcript(SHOWN, shown)) == without_seconds(readme_session()), "run `make docs`"
    drawn, kept = draw_terminal(transcript(PICTURED, shown)), TERMINAL.read_text(encoding="utf-8")
    assert without_seconds(drawn) == without_seconds(kept), "run `make docs`"


def test_the_command_lines_of_installing_building_and_searching_work_in_the_order_of_the_pages(clone: Path) -> None:
    """Each one exits 0 in a shell whose folder is a clone; nothing is fetched, what pip needs is already there."""
    outside = os.environ | {
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "PIP_NO_INDEX": "1",
        "PIP_NO_BUILD_ISOLATION": "0",  # pip's spelling of --no-build-isolation
        "PIP_DRY_RUN": "1",
    }
    lines = [
        line for page in ("README.md", "docs/install.md", "docs/build-and-search.md") for line in _command_lines(page)
    ]
    assert len(lines) >= 12
    for line in lines:
        if not line.startswith("make "):
            done = subprocess.run(
                ["bash", "-c", line], cwd=clone, env=outside, capture_output=True, text=True, check=False, timeout=120
            )
            assert done.returncode == 0, f"{line}\n{done.stdout}{done.stderr}"


def test_every_page_names_only_commands_that_there_are() -> None:
    """Whatever stands behind `hub-index` in backticks or in a block is a command of ours."""
    for page in ("README.md", *(str(path) for path in (_PROJECT / "docs").rglob("*.md"))):
        named = set(re.findall(r"`hub-index ([a-z]+)", (_PROJECT / page).read_text(encoding="utf-8")))
        typed = {line.split()[1] for line in _command_lines(page) if line.startswith("hub-index ")}
        assert named | typed <= set(VERBS), page


def test_every_exit_code_of_an_error_is_on_its_page() -> None:
    """docs/reference/exit-codes.md has a row for each error's number, and for Ctrl-C."""
    from hub_index import errors
    from hub_index.cli.main import INTERRUPTED

    page = (_PROJECT / "docs/reference/exit-codes.md").read_text(encoding="utf-8")
    codes = {kind.exit_code for kind in vars(errors).values() if isinstance(kind, type) and hasattr(kind, "exit_code")}
    assert {int(code) for code in re.findall(r"^\| (\d+) \|", page, re.MULTILINE)} == codes | {0, INTERRUPTED}
