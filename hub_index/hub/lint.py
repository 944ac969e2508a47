"""The specification's rules for a skill that could be read, and copies within a hub; all of it is advice.

Only what an author wrote is judged: a name or description that was taken from elsewhere is reported as missing.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from typing import Protocol

from hub_index.hub.skill.good_name import folder_name, is_in_folder, is_kebab, name_fix
from hub_index.hub.skill.problems import counted
from hub_index.hub.skill.skill import WrittenLines
from hub_index.limits import (
    IDEOGRAPHS_PER_WORD,
    LARGE_FILE_BYTES,
    SHORT_BODY_WORDS,
    SHORT_DESCRIPTION_WORDS,
    SPEC_DESCRIPTION_CHARS,
    SPEC_NAME_CHARS,
    UNSPACED_LETTERS_PER_WORD,
)
from hub_index.models import Problem, Skill, SkillFile

_IDEOGRAPHS = re.compile("[\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003fffd]")
_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]")  # Thai, Lao, Burmese, Khmer
_MAX_COUNTED_CHARS = 1_000  # what is longer is not short

_Advice = tuple[int, str, str, str]  # line, code, reason, fix


class SkillDescription(Protocol):
    """A Skill, or the record that was made from one."""

    @property
    def id(self) -> str: ...

    @property
    def description(self) -> str: ...


def check_specification(
    file: SkillFile, skill: Skill, lines: WrittenLines, taken: AbstractSet[str] = frozenset()
) -> list[Problem]:
    """Everything in which a readable skill differs from the specification; `taken` are the folders of skills."""
    advice_found = list(_check_size(file, skill, lines.body))
    if lines.description:
        advice_found += _check_description(skill.description, lines.description)
    if file.kind == "skill":
        advice_found += _check_file_name(file)
        if lines.name:
            advice_found += _check_name(file, skill.name, lines.name, taken)
    advice_found.sort(key=lambda advice: advice[0])
    return [Problem("advice", file.file, line, code, reason, fix) for line, code, reason, fix in advice_found]


def check_copies(described: Iterable[tuple[SkillFile, SkillDescription, int]]) -> list[Problem]:
    """A Problem for each skill with an earlier skill's description, on the description's line, naming that skill."""
    first: dict[str, str] = {}
    problems = []
    for file, skill, line in described:
        folded = " ".join(skill.description.split()).casefold()
        original = first.setdefault(folded, skill.id)
        if original != skill.id and folded:
            reason = f"the description is the same as that of `{original}`"
            fix = "say what this skill does that the other does not, or delete the copy"
            problems.append(Problem("advice", file.file, line, "description-copied", reason, fix))
    return problems


def one_per_cause(found: Sequence[Problem], advice: Sequence[Problem]) -> tuple[Problem, ...]:
    """A file's problems and the advice on it, without advice on what is a problem already.

    A misread name that also breaks the rules is one line to write: the warning gets the advice's fix.
    """
    name_fixes = {problem.line: problem.fix for problem in advice if problem.code.startswith("name-")}
    mended = [
        replace(problem, fix=name_fixes.pop(problem.line, problem.fix))
        if problem.code.startswith(("yaml-", "name-"))
        else problem
        for problem in found
    ]
    is_cut = any(problem.code == "description-cut" for problem in found)
    kept = [
        problem
        for problem in advice
        if not (problem.code.startswith("name-") and problem.line not in name_fixes)
        and not (problem.code == "description-too-long" and is_cut)
    ]
    return (*mended, *kept)


def _check_file_name(file: SkillFile) -> Iterator[_Advice]:
    if not file.file.endswith("SKILL.md"):
        reason = "some agents find a skill only in a file that is named SKILL.md"
        yield 0, "file-name", reason, "rename the file to SKILL.md"


def _check_name(file: SkillFile, name: str, line: int, taken: AbstractSet[str]) -> Iterator[_Advice]:
    """One problem at most: all problems of a name have the same correction."""
    folder = folder_name(file)
    if len(name) > SPEC_NAME_CHARS:
        reason = f"the name has {len(name)} characters; the specification allows {SPEC_NAME_CHARS}"
        yield line, "name-too-long", reason, name_fix(file, name, taken)
    elif not is_kebab(name):
        reason = "the name must be lower-case letters a-z, digits and single hyphens"
        if is_in_folder(file) and name != folder:
            reason += f", and equal to its folder `{folder}`"
        yield line, "name-not-kebab", reason, name_fix(file, name, taken)
    elif name != folder and is_in_folder(file):
        reason = f"the name `{name}` differs from its folder `{folder}`"
        yield line, "name-not-folder", reason, name_fix(file, name, taken)


def _check_description(description: str, line: int) -> Iterator[_Advice]:
    length = len(description)
    if length > SPEC_DESCRIPTION_CHARS:
        reason = f"the description has {length:,} characters; the specification allows {SPEC_DESCRIPTION_CHARS:,}"
        yield line, "description-too-long", reason, "keep what it does and when to use it; move the rest into the body"
    elif (words := count_words(description)) < SHORT_DESCRIPTION_WORDS:
        reason = f"the description is only {counted(words, 'word')} long"
        fix = "say what the skill does and when to use it, in the words people would type"
        yield line, "description-short", reason, fix
    if "<" in description or ">" in description:
        reason = "the description holds '<' or '>', which some agents refuse because it looks like markup"
        yield line, "description-angle-brackets", reason, "write the words instead, such as 'over' or 'NAME'"


def _check_size(file: SkillFile, skill: Skill, line: int) -> Iterator[_Advice]:
    body = skill.body.strip()
    fix = "write what an agent should do, step by step"
    if not body:
        yield line, "body-empty", "there is nothing below the frontmatter", fix
    elif file.kind == "skill" and len(body) < _MAX_COUNTED_CHARS and (words := count_words(body)) < SHORT_BODY_WORDS:
        yield line, "body-short", f"the body is only {counted(words, 'word')} long", fix
    if file.size > LARGE_FILE_BYTES:
        reason = f"the file has {file.size:,} bytes, and an agent loads them all"
        yield 0, "file-large", reason, "move details into separate files beside it and name them in the text"


def count_words(text: str) -> int:
    """The number of words in a text; for a script without spaces, about the number it would have with them."""
    rest, ideographs = _IDEOGRAPHS.subn(" ", text)
    rest, letters = _UNSPACED.subn(" ", rest)
    spaced = sum(any(map(str.isalnum, word)) for word in rest.split())
    return spaced + ideographs // IDEOGRAPHS_PER_WORD + letters // UNSPACED_LETTERS_PER_WORD
