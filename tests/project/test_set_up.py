"""requirements/set_up.py: what a newcomer without the right Python, git or network is told, and when it works again."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

_PROJECT = Path(__file__).resolve().parents[2]
_SCRIPT = _PROJECT / "requirements/set_up.py"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project that pins nothing but itself, so that setting it up needs no network."""
    folder = tmp_path / "a project 项目"
    (folder / "requirements").mkdir(parents=True)
    shutil.copy(_SCRIPT, folder / "requirements")
    (folder / "pyproject.toml").write_text("[project]\nname = 'hub-index'\nversion = '1'\n")
    for name in ("build.txt", "dev.txt"):
        (folder / "requirements" / name).write_text("# nothing\n")
    return folder


def _set_up(project: Path, wanted: str = "demo", prelude: str = "", **environment: str) -> tuple[int, str, str]:
    """Exit code, stdout and stderr; the prelude changes the interpreter before the script runs."""
    code = (
        f"{prelude}\nimport runpy, sys\nsys.argv[1:] = ['.venv', '{wanted}']\n"
        "runpy.run_path('requirements/set_up.py', run_name='__main__')"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=project,
        env=os.environ | {"PIP_NO_INDEX": "1"} | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


# pip is not asked, so that no environment needs one of its own
_PIP_WORKS = (
    "import subprocess\nordinary = subprocess.run\n"
    "plain = lambda command: command + ['--without-pip'] if 'venv' in command else command\n"
    "subprocess.call = lambda command: 0 if 'pip' in command else ordinary(plain(command)).returncode\n"
    "subprocess.run = lambda command, **rest: ordinary(['true'] if 'pip' in command else command, **rest)\n"
)


@pytest.mark.parametrize(
    ("prelude", "environment", "words"),
    [
        ("import sys; sys.version_info = (3, 9, 18)", {}, "Python 3.9.18 is too old: hub-index needs 3.11 or later"),
        ("import sys; sys.modules['ensurepip'] = None", {}, "apt-get install python3."),
        ("", {"PATH": "/nowhere"}, "git is not installed"),
    ],
)
def test_what_is_missing_is_one_sentence_with_what_to_install(
    project: Path, prelude: str, environment: dict[str, str], words: str
) -> None:
    """Too old, no venv module, no git: exit 2, and nothing is made."""
    code, out, err = _set_up(project, prelude=prelude, **environment)
    assert (code, out) == (2, "")
    assert words in err
    assert err.count("\n") == 1
    assert not (project / ".venv").exists()


def test_a_path_that_the_installer_would_misread_is_one_sentence(project: Path) -> None:
    """setuptools expands $NAME in the project's own path: said before minutes are spent on packages."""
    odd = project.rename(project.with_name("a$b"))
    code, out, err = _set_up(odd)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "the path of this folder holds a $" in err
    assert not (odd / ".venv").exists()


def test_no_network_is_one_sentence_after_what_pip_said(project: Path) -> None:
    """The last line says what set-up needs; the next run begins again."""
    (project / "requirements/build.txt").write_text(f"nobody-has-this==1 --hash=sha256:{'0' * 64}\n")
    code, _, err = _set_up(project)
    assert code == 1
    assert "check the network" in err.splitlines()[-1]
    assert not (project / ".venv/demo.stamp").exists()


def test_a_finished_set_up_is_left_alone_until_pins_or_interpreter_change(project: Path) -> None:
    """Nothing changed: silence. Other pins, another Python, or a run that was stopped half way: set up again."""
    assert _set_up(project, prelude=_PIP_WORKS)[1].startswith("setting up")
    assert _set_up(project, prelude=_PIP_WORKS) == (0, "", "")
    (project / "requirements/build.txt").write_text("# other pins\n")
    assert _set_up(project, prelude=_PIP_WORKS)[1].startswith("setting up")
    another = _PIP_WORKS + "import sys; sys.version = 'another one'\n"
    assert _set_up(project, prelude=another)[1].startswith("setting up")
    (project / ".venv/demo.stamp").unlink()
    left_over = project / ".venv/half-installed"
    left_over.touch()
    assert _set_up(project, prelude=another)[1].startswith("setting up")
    assert not left_over.exists()


def test_the_development_set_serves_the_demo_too(project: Path) -> None:
    """After `make test`, `make demo` starts at once."""
    assert _set_up(project, "dev", prelude=_PIP_WORKS)[0] == 0
    assert _set_up(project, "demo", prelude=_PIP_WORKS) == (0, "", "")
