"""The names and sizes of a skill's files, before one of them is written: what could leave its folder is refused.

So are names that some systems take for one (`Run.sh`, `run.sh`), and more or larger files than a skill may have.
"""

from collections.abc import Sequence

from hub_index.base.characters import nfc, quote_line
from hub_index.errors import SkillError
from hub_index.hub.record_file import is_skill_file
from hub_index.hub.tree.ids import why_refused
from hub_index.limits import MAX_SKILL_FILES, MAX_SKILL_FOLDER_BYTES

_SHOWN_CHARS = 80


def check_files(skill: str, files: Sequence[tuple[str, int]]) -> None:
    """Raises SkillError if a skill with these files (path, size) is not to be installed."""
    check_amount(skill, len(files), sum(size for _, size in files))
    for path, _ in files:
        if reason := why_refused(path, path):
            raise refusal(skill, f"{quote_line(path, _SHOWN_CHARS)}: {reason}")
    _check_collisions(skill, [path for path, _ in files])
    if not any(is_skill_file(path) and "/" not in path for path, _ in files):
        raise refusal(skill, "there is no SKILL.md in its folder")


def check_amount(skill: str, count: int, size: int) -> None:
    """Raises SkillError for more or larger files than a skill may have."""
    if count > MAX_SKILL_FILES:
        raise refusal(skill, f"it has more than {MAX_SKILL_FILES} files")
    if size > MAX_SKILL_FOLDER_BYTES:
        raise refusal(skill, f"its files have more than {MAX_SKILL_FOLDER_BYTES // 1024**2} MiB")


def refusal(skill: str, reason: str) -> SkillError:
    """The error for a skill that is not installed as it is."""
    return SkillError(f"{quote_line(skill, _SHOWN_CHARS)} is not installed: {reason}; its hub's owner can mend it")


def folded(name: str) -> str:
    """The name as a file system compares it that knows neither case nor normal form."""
    return nfc(nfc(name).casefold())


def _check_collisions(skill: str, paths: Sequence[str]) -> None:
    """Raises SkillError if two files, or a file and a folder, would be one on some systems."""
    spelling: dict[str, str] = {}  # of folders and files; a file is there once
    for path in paths:
        steps = path.split("/")
        for depth in range(1, len(steps) + 1):
            place = "/".join(steps[:depth])
            mark = place if depth == len(steps) else f"{place}/"
            first = spelling.setdefault(folded(place), mark)
            if first is not mark and (first != mark or depth == len(steps)):
                pair = f"{quote_line(first, _SHOWN_CHARS)} and {quote_line(mark, _SHOWN_CHARS)}"
                raise refusal(skill, f"{pair} are one name on some systems")
