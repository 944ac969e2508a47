"""From a file's place in the hub to the id of its record, and why some names get none.

The path is the identity, so an id never comes from what a file says. Ids are printed, typed, joined to paths
and compared by machines and people: a name with something invisible, or with steps that leave the hub, is
refused; names that are merely odd (`--help`, spaces, emoji, any script) pass.

Files with the same id, or with ids that some people or file systems cannot tell apart (F09, F14), are found here too:
of two spellings of SKILL.md in one folder, one is indexed. Folders that differ only in case or normal form are both
indexed. If files still share an id, the skill at the hub's root keeps `root`, then the path that equals the id keeps
it, else the first path (F80). All of it is reported.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from hub_index.base.characters import clean_text, nfc
from hub_index.hub.record_file import ROOT_ID, ROOT_PATH, spelling_order
from hub_index.limits import MAX_ID_BYTES, MAX_PATH_BYTES, MAX_PATH_STEPS
from hub_index.models import Level, Problem, SkillFile

# What nearly all names look like; nothing that is refused below can match it, and it saves most of a listing's time.
_PLAIN = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]*+(?:/[A-Za-z0-9_-][A-Za-z0-9._-]*+)*+")


def skill_id(folder: str, root: str, keeps_root: bool) -> str:
    """The raw id of a skill's folder below (or equal to) a root; "" is the hub itself."""
    if not folder:
        return ROOT_ID
    if keeps_root or not root:
        return folder
    return root.rpartition("/")[2] if folder == root else folder[len(root) + 1 :]


def why_refused(identity: str, path: str) -> str:
    """Why this id (or raw document name) and folder path are refused; empty if they may be published."""
    if (
        len(path) <= MAX_ID_BYTES
        and len(identity) <= MAX_ID_BYTES
        and path.count("/") < MAX_PATH_STEPS
        and _PLAIN.fullmatch(identity)
        and _PLAIN.fullmatch(path)
    ):
        return ""
    return _unreadable(identity, path) or _unsafe(identity, path) or _too_long(identity, path)


def _unreadable(identity: str, path: str) -> str:
    text = f"{path}/{identity}"
    if text.isascii() and text.isprintable():
        return ""
    if any("\ud800" <= sign <= "\udfff" for sign in text):
        return "it is not UTF-8"
    if clean_text(text, keep="").text != text:
        return "it holds control, invisible or direction-changing characters"
    return ""


def _unsafe(identity: str, path: str) -> str:
    steps = identity.split("/") + ([] if path == ROOT_PATH else path.split("/"))
    if "\\" in identity or "\\" in path:
        return "a backslash separates folders on other systems"
    if "" in steps or "." in steps or ".." in steps:
        return "a part of it is empty, `.` or `..`"
    if any(step.casefold() == ".git" for step in steps):
        return "git's own folder cannot be checked out"
    if path[1:2] == ":" and path[2:3] in ("", "/") and path[0].isalpha():
        return "it would be a drive on other systems"
    return ""


def _too_long(identity: str, path: str) -> str:
    if max(len(nfc(identity).encode()), len(identity.encode())) > MAX_ID_BYTES:
        return f"its id is longer than {MAX_ID_BYTES} bytes"
    if path.count("/") >= MAX_PATH_STEPS:
        return f"its path has more than {MAX_PATH_STEPS} folders"
    return f"its path is longer than {MAX_PATH_BYTES} bytes" if len(path.encode()) > MAX_PATH_BYTES else ""


def shown_name(name: str) -> str:
    """A name as a message may carry it: what cannot be printed is written as an escape."""
    if name.isprintable():
        return name
    return "".join(sign if sign.isprintable() else _escaped(sign) for sign in name)


def _escaped(sign: str) -> str:
    code = ord(sign)
    if 0xDC80 <= code <= 0xDCFF:  # a byte that was not UTF-8
        return f"\\x{code - 0xDC00:02x}"
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{{{code:x}}}"


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
