"""The hub that is measured: a real one from an archive where there is one, else a made-up one of the same size."""

import os
import subprocess
import tarfile
from pathlib import Path

ARCHIVE_VARIABLE = "HUB_INDEX_BENCH_HUB"
_BESIDE = Path(__file__).resolve().parents[2] / "shared/eval/clawhub-zh2en/hub.tar.xz"
_MADE_UP = 6_793


def git(hub: Path, *arguments: str) -> str:
    """What git prints in a hub."""
    identity = ["-c", "user.name=bench", "-c", "user.email=bench@example.invalid", "-c", "gc.auto=0"]
    return subprocess.run(
        ["git", "-C", str(hub), *identity, *arguments], check=True, capture_output=True, text=True
    ).stdout


def real_archive() -> Path:
    """Where the real hub's archive is, if it is there."""
    return Path(os.environ.get(ARCHIVE_VARIABLE, _BESIDE))


def make_hub(folder: Path) -> Path:
    """A committed hub of several thousand skills in that folder."""
    folder.mkdir(parents=True)
    archive = real_archive()
    if archive.exists():
        return unpack_hub(archive, folder)
    for number in range(_MADE_UP):
        _write_skill(folder, number)
    return _commit_all(folder)


def unpack_hub(archive: Path, folder: Path) -> Path:
    """The archive's hub, committed in that folder."""
    folder.mkdir(parents=True, exist_ok=True)
    with tarfile.open(archive) as tar:
        tar.extractall(folder, filter="data")
    return _commit_all(folder)


def _commit_all(folder: Path) -> Path:
    git(folder, "init", "-q", "-b", "main")
    commit(folder, "hub")
    return folder


def commit(hub: Path, message: str) -> None:
    """Commits the whole work tree."""
    git(hub, "add", "-A")
    git(hub, "commit", "-q", "-m", message)


def skill_files(hub: Path) -> list[Path]:
    """Every SKILL.md of the work tree, in a fixed order."""
    return sorted(hub.glob("skills/**/SKILL.md"))


def _write_skill(folder: Path, number: int) -> None:
    words = " ".join(f"word{(number * 31 + k * 17) % 997}" for k in range(40))
    path = folder / "skills" / f"skill-{number:05}" / "SKILL.md"
    path.parent.mkdir(parents=True)
    path.write_text(
        f"---\nname: skill-{number:05}\ndescription: Handles case {number}, {words}.\n---\n\n# Notes\n\n{words}\n"
    )
