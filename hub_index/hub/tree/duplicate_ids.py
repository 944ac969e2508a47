"""Files with the same id, or with ids that some people or file systems cannot tell apart (F09, F14).

Of two spellings of SKILL.md in one folder, one is indexed. Folders that differ only in case or normal form are both
indexed. If files still share an id, the skill at the hub's root keeps `root`, then the path that equals the id keeps
it, else the first path (F80). All of it is reported.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from hub_index.base.characters import nfc
from hub_index.hub.record_file import ROOT_PATH, spelling_order
from hub_index.hub.tree.ids import shown_name
from hub_index.models import Level, Problem, SkillFile


@dataclass(frozen=True, slots=True)
class DistinctFiles:
    """Files with distinct, final ids, sorted by id, and what was found on the way."""

    files: list[SkillFile]
    problems: list[Problem]


def resolve_duplicates(files: Sequence[SkillFile]) -> DistinctFiles:
    """The files that are indexed, under their final ids."""
    problems: list[Problem] = []
    files = _one_spelling_per_folder(files, problems)
    files = _in_normal_form(files, problems)
    files = _one_file_per_id(files, problems)
    _report_case(files, problems)
    return DistinctFiles(sorted(files, key=lambda file: file.id), problems)


def _one_spelling_per_folder(files: Sequence[SkillFile], problems: list[Problem]) -> list[SkillFile]:
    losers: set[str] = set()
    for spellings in _shared((file for file in files if file.kind == "skill"), lambda file: file.path):
        first, *others = sorted(spellings, key=lambda file: spelling_order(file.file))
        for other in others:
            losers.add(other.file)
            reason = f"not indexed: the same folder holds {shown_name(first.file)}"
            problems.append(_problem("error", other, "second-spelling", reason, "keep one SKILL.md in a folder"))
    return [file for file in files if file.file not in losers]


def _in_normal_form(files: Sequence[SkillFile], problems: list[Problem]) -> list[SkillFile]:
    """The files with NFC ids; where that would make two ids one, each keeps the spelling that git has."""
    if all(file.id.isascii() for file in files):
        return list(files)
    twins: set[str] = set()
    for group in _shared(files, lambda file: nfc(file.id)):
        if len({file.id for file in group}) == 1:
            continue  # the same spelling twice is not a matter of normal forms
        for file in group:
            twins.add(file.file)
            reason = "another folder's name is the same text in another Unicode normal form"
            problems.append(
                _problem("warning", file, "normal-form-twin", reason, "keep one of the folders, named in NFC")
            )
    return [file if file.file in twins or file.id.isascii() else replace(file, id=nfc(file.id)) for file in files]


def _one_file_per_id(files: Sequence[SkillFile], problems: list[Problem]) -> list[SkillFile]:
    losers: set[str] = set()
    for group in _shared(files, lambda file: file.id):
        first, *others = sorted(group, key=_claim)
        for other in others:
            losers.add(other.file)
            reason = f"not indexed: its id {first.id!r} belongs to {shown_name(first.file)}"
            problems.append(_problem("error", other, "duplicate-id", reason, "rename one of the two folders"))
    return [file for file in files if file.file not in losers]


def _claim(file: SkillFile) -> tuple[bool, bool, str]:
    """A key that puts the rightful owner of an id before others that would get the same one."""
    return file.path != ROOT_PATH, nfc(file.path) != nfc(file.id), file.file


def _report_case(files: Sequence[SkillFile], problems: list[Problem]) -> None:
    for group in _shared(files, lambda file: nfc(file.id).casefold()):
        if len({nfc(file.id) for file in group}) > 1:
            names = ", ".join(sorted(file.id for file in group)[:5])
            for file in group:
                reason = f"names that differ only in case ({names}): some systems can hold only one of them"
                problems.append(_problem("warning", file, "case-twin", reason, "rename all but one of them"))


def _shared(files: Iterable[SkillFile], key: Callable[[SkillFile], str]) -> list[list[SkillFile]]:
    """The groups of two or more files with the same key."""
    groups: dict[str, list[SkillFile]] = {}
    firsts: dict[str, SkillFile] = {}
    for file in files:
        name = key(file)
        first = firsts.setdefault(name, file)
        if first is not file:
            groups.setdefault(name, [first]).append(file)
    return list(groups.values())


def _problem(level: Level, file: SkillFile, code: str, reason: str, fix: str) -> Problem:
    return Problem(level, shown_name(file.file), 0, code, reason, fix)
