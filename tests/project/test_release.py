"""A release is a tag, a wheel that starts by itself, and no word of any registry."""

import os
import re
import subprocess
import sys
from pathlib import Path

from support.workflows.workflow_files import FOLDER, load_workflow

from hub_index import GENERATOR, __version__

_PROJECT = Path(__file__).resolve().parents[2]


def test_the_version_is_the_newest_of_the_changelog_and_made_the_artifacts() -> None:
    """One number stands in the package, at the top of CHANGELOG.md and in the published example."""
    newest = re.search(r"^## (\S+)", (_PROJECT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    assert newest is not None
    assert newest[1] == __version__
    assert GENERATOR in (_PROJECT / "artifacts/index_manifest.json").read_text("utf-8")


def test_publishing_has_one_right_and_no_secret_and_names_no_host() -> None:
    """Trusted publishing with attestations: who releases is said by GitHub's token, after the wheel was tried."""
    workflow = load_workflow("release.yml")
    assert workflow["jobs"]["publish"]["permissions"] == {"id-token": "write"}
    assert workflow["jobs"]["publish"]["needs"] == "wheel"
    text = (FOLDER / "release.yml").read_text("utf-8")
    assert "attestations: true" in text
    assert not re.search(r"secrets\.|https?://|password:", text)


def test_the_wheel_alone_searches_a_hub(tmp_path: Path) -> None:
    """It is made offline and unpacked elsewhere; the command finds schemas, word lists and page in it."""
    make = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-index", "--no-deps", "--no-build-isolation"]
    copied = subprocess.run(
        ["git", "archive", "HEAD", "hub_index", "pipelines", "schemas", "pyproject.toml", "README.md", "LICENSE"],
        cwd=_PROJECT, capture_output=True, check=True,
    )  # fmt: skip
    source = tmp_path / "source"
    source.mkdir()
    subprocess.run(["tar", "-x", "-C", str(source)], input=copied.stdout, check=True)
    subprocess.run([*make, "--wheel-dir", str(tmp_path / "dist"), str(source)], check=True, capture_output=True)
    (wheel,) = (tmp_path / "dist").iterdir()
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--target"]
    subprocess.run([*install, str(tmp_path / "there"), str(wheel)], check=True, capture_output=True)
    asked = "import sys; sys.path.insert(0, sys.argv.pop(1)); import hub_index.cli.main as m; sys.exit(m.main())"
    words = ["search", "slides", "--hub", str(_PROJECT / "examples/hub"), "--keyword"]
    done = subprocess.run(
        [sys.executable, "-I", "-c", asked, str(tmp_path / "there"), *words],
        cwd=tmp_path, env=os.environ | {}, capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "slide-deck" in done.stdout
