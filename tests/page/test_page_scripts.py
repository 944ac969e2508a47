"""The page's scripts and reader.mjs pass the type checker and the linter that `make page-test` installs."""

import subprocess
from pathlib import Path

import pytest
from support.pages.page_browser import TOOLS

pytestmark = pytest.mark.page

_PROJECT = Path(__file__).resolve().parents[2]
_PROGRAMS = TOOLS / "node_modules/.bin"
_SETTINGS = _PROJECT / "requirements/page"
_WEB = _PROJECT / "hub_index/page/web"
_READER = _PROJECT / "hub_index/reader.mjs"


def _run(program: str, *arguments: str) -> None:
    if not (_PROGRAMS / program).exists():
        pytest.skip(f"there is no {program}: `make page-test` installs it where npm is")
    done = subprocess.run([str(_PROGRAMS / program), *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_types_hold() -> None:
    """Every script is typed by its comments, strictly."""
    _run("tsc", "-p", str(_SETTINGS))


def test_scripts_are_formatted_and_without_doubtful_code() -> None:
    """One format for all of them, and none of the linter's warnings."""
    scripts = [*sorted(map(str, _WEB.glob("*.js"))), str(_READER)]
    _run("biome", "check", "--error-on-warnings", f"--config-path={_SETTINGS}", *scripts)
