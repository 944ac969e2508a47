"""SKILL.md bytes → Skill and Problems; pure, and without an exception whatever the bytes are.

bytes → text (encoding) → block and body (fences) → fields (frontmatter, in layers) → name, description, keywords,
language. What is missing is taken from the folder and the first paragraph; every repair is a Problem.
"""

from dataclasses import dataclass

from hub_index.hub.characters import clean_text
from hub_index.hub.complaints import Complaints
from hub_index.hub.encoding import decode_content
from hub_index.hub.essentials import folder_name, read_description, read_name
from hub_index.hub.fences import split_frontmatter
from hub_index.hub.fields import Field
from hub_index.hub.frontmatter import parse_frontmatter
from hub_index.hub.keywords import collect_keywords, text_keywords
from hub_index.hub.language import detect_language
from hub_index.hub.normal_form import nfc
from hub_index.hub.shape import TEMPLATE, report_shape
from hub_index.limits import MAX_KEYWORDS_CHARS
from hub_index.models import Problem, Skill, SkillFile


@dataclass(frozen=True, slots=True)
class ParsedSkill:
    """What one file says, or None where nothing in it can be read, and all that is wrong with it."""

    skill: Skill | None
    problems: tuple[Problem, ...]


def parse_skill(file: SkillFile, content: bytes) -> ParsedSkill:
    """The skill that a file's bytes describe, with every repair reported."""
    complaints = Complaints(file.file)
    decoded = decode_content(content, complaints)
    if decoded.is_blank or (decoded.is_junk and not decoded.text.lstrip().startswith("---")):
        return _unreadable(file, empty=not content.strip())
    parts = split_frontmatter(decoded.text, complaints)
    fields: tuple[Field, ...] = ()
    body = parts.body
    if parts.block is not None:
        read = parse_frontmatter(parts.block, parts.block_line, complaints)
        fields = read.fields
        if read.cut >= 0:  # the fence that closed the block was a rule of the body
            body = f"{parts.block[read.cut :]}\n---\n{body}"
        elif not fields:  # and here the block is text between two rules
            body = f"{parts.block}\n{body}"
    report_shape(file, parts, fields, complaints)
    name = read_name(file, fields, complaints)
    description = read_description(file, fields, body, complaints) or name
    if not description:
        return _unreadable(file, empty=False)
    skill = Skill(
        id=file.id,
        path=file.path,
        name=name or folder_name(file),
        description=description,
        keywords=_keywords(fields, parts.block_line, complaints),
        text_keywords=nfc(clean_text(text_keywords(fields)).text)[:MAX_KEYWORDS_CHARS].strip(),
        lang=detect_language(name, description),
        body=body.strip("\n"),
    )
    return ParsedSkill(skill, tuple(sorted(complaints.problems, key=_line)))


def _line(problem: Problem) -> int:
    return problem.line


def _unreadable(file: SkillFile, *, empty: bool) -> ParsedSkill:
    complaints = Complaints(file.file)  # a new one: a single error says it all
    code, reason = ("empty-file", "the file is empty") if empty else ("unreadable", "the file holds no readable text")
    complaints.error(0, code, reason, TEMPLATE.format(name=folder_name(file)) + ", or delete the file")
    return ParsedSkill(None, tuple(complaints.problems))


def _keywords(fields: tuple[Field, ...], line: int, complaints: Complaints) -> tuple[str, ...]:
    keywords = collect_keywords(fields)
    if keywords.cut:
        complaints.repaired(
            line,
            "keywords-too-long",
            f"the keywords have more than {MAX_KEYWORDS_CHARS:,} characters together; the rest was left out",
            "keep the ten words that people would search for",
        )
    return tuple([nfc(word) for word in keywords.words])
