"""The specification's rules for a skill that could be read, and copies within a hub; all of it is advice."""

from collections.abc import Iterable
from typing import Protocol

from hub_index.hub.skill.name_description import folder_name
from hub_index.hub.skill.problems import counted
from hub_index.limits import SPEC_DESCRIPTION_CHARS, SPEC_NAME_CHARS
from hub_index.models import Problem, Skill, SkillFile

_NAME_CHARS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-")
_SHORT_DESCRIPTION_CHARS = 20  # says what a thing is, hardly ever when to use it
_SHORT_BODY_CHARS = 80
_LARGE_FILE_BYTES = 100_000  # 30 of 124,963 real files; an agent loads all of it


class SkillDescription(Protocol):
    """A Skill, or the record that was made from one."""

    @property
    def id(self) -> str: ...

    @property
    def description(self) -> str: ...


def check_specification(file: SkillFile, skill: Skill) -> list[Problem]:
    """Everything in which a readable skill differs from the specification."""
    found = [*_check_description(skill), *_check_size(file, skill)]
    if file.kind == "skill":
        found = [*_check_name(file, skill), *found]
    return [Problem("advice", file.file, 0, code, reason, fix) for code, reason, fix in found]


def check_copies(pairs: Iterable[tuple[SkillFile, SkillDescription]]) -> list[Problem]:
    """A Problem for each skill whose description another skill before it has, naming that one."""
    first: dict[str, str] = {}
    problems = []
    for file, skill in pairs:
        folded = " ".join(skill.description.split()).casefold()
        original = first.setdefault(folded, skill.id)
        if original != skill.id and folded:
            reason = f"the description is the same as that of `{original}`"
            fix = "say what this skill does that the other does not, or delete the copy"
            problems.append(Problem("advice", file.file, 0, "description-copied", reason, fix))
    return problems


def _check_name(file: SkillFile, skill: Skill) -> Iterable[tuple[str, str, str]]:
    if not file.file.endswith("SKILL.md"):
        yield (
            "file-name",
            "some agents find a skill only in a file that is named SKILL.md",
            "rename the file to SKILL.md",
        )
    folder = folder_name(file)
    better = (
        folder
        if _is_kebab(folder) and len(folder) <= SPEC_NAME_CHARS
        else _kebab(skill.name) or _kebab(folder) or "a-short-name"
    )
    if len(skill.name) > SPEC_NAME_CHARS:
        reason = f"the name has {len(skill.name)} characters; the specification allows {SPEC_NAME_CHARS}"
        yield "name-too-long", reason, f"write `name: {better}`"
    if not _is_kebab(skill.name):
        reason = "the name must be lower-case letters a-z, digits and single hyphens"
        yield "name-not-kebab", reason, f"write `name: {better}`"
    if skill.name != folder and file.path != ".":
        reason = f"the name `{skill.name}` differs from its folder `{folder}`"
        target = f"`name: {better}`" if better == folder else f"`name: {better}` and rename the folder to `{better}`"
        yield "name-not-folder", reason, f"write {target}"


def _check_description(skill: Skill) -> Iterable[tuple[str, str, str]]:
    length = len(skill.description)
    if length > SPEC_DESCRIPTION_CHARS:
        reason = f"the description has {length:,} characters; the specification allows {SPEC_DESCRIPTION_CHARS:,}"
        yield "description-too-long", reason, "keep what it does and when to use it; move the rest into the body"
    elif length < _SHORT_DESCRIPTION_CHARS:
        reason = f"the description has only {counted(length, 'character')}"
        yield "description-short", reason, "say what the skill does and when to use it, in the words people would type"
    if "<" in skill.description or ">" in skill.description:
        reason = "the description holds '<' or '>', which some agents refuse because it looks like markup"
        yield "description-angle-brackets", reason, "write the words instead, such as 'over' or 'NAME'"


def _check_size(file: SkillFile, skill: Skill) -> Iterable[tuple[str, str, str]]:
    body = skill.body.strip()
    if not body:
        yield "body-empty", "there is nothing below the frontmatter", "write what an agent should do, step by step"
    elif len(body) < _SHORT_BODY_CHARS and file.kind == "skill":
        reason = f"the body has only {counted(len(body), 'character')}"
        yield "body-short", reason, "write what an agent should do, step by step"
    if file.size > _LARGE_FILE_BYTES:
        reason = f"the file has {file.size:,} bytes, all of which an agent loads"
        yield "file-large", reason, "move details into files of their own beside it and name them in the text"


def _is_kebab(name: str) -> bool:
    return bool(name) and _NAME_CHARS.issuperset(name) and name[0] != "-" and name[-1] != "-" and "--" not in name


def _kebab(text: str) -> str:
    """The nearest name that the specification allows; '' where no letter of the text can be kept."""
    kept = "".join(char if char in _NAME_CHARS else "-" for char in text.lower())
    return "-".join(filter(None, kept.split("-")))[:SPEC_NAME_CHARS].rstrip("-")
