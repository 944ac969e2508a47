"""Reads a SKILL.md given as text or bytes, the way the tests of parsing want it."""

from typing import Literal

from hub_index.hub.skill.skill import ParsedSkill, parse_skill
from hub_index.hub.text import embedding_text
from hub_index.models import Skill, SkillFile


def skill_file(
    skill_id: str = "tidy-logs", *, kind: Literal["skill", "document"] = "skill", size: int = 0
) -> SkillFile:
    """A file of that id, as the listing would give it."""
    if kind == "document":
        top, *rest = skill_id.split(":")
        return SkillFile(skill_id, top, "/".join([top, *rest]) + ".md", kind, "0" * 40, size)
    return SkillFile(skill_id, f"skills/{skill_id}", f"skills/{skill_id}/SKILL.md", kind, "0" * 40, size)


def parse_text(content: str | bytes, skill_id: str = "tidy-logs") -> ParsedSkill:
    """What the parser makes of a file's content."""
    data = content.encode() if isinstance(content, str) else content
    return parse_skill(skill_file(skill_id, size=len(data)), data)


def read_skill(content: str | bytes, skill_id: str = "tidy-logs") -> Skill:
    """The skill in a content that must be readable."""
    skill = parse_text(content, skill_id).skill
    assert skill is not None
    return skill


def problem_codes(content: str | bytes) -> list[str]:
    """The codes of every problem, in order of their lines."""
    return [problem.code for problem in parse_text(content).problems]


def text_hash(content: str | bytes) -> str:
    """The hash of the embedding text of a content."""
    return embedding_text(read_skill(content)).text_hash


def skill_md(*fields: str, body: str = "# Tidy logs\n\nSorts old log files into folders.\n") -> str:
    """A file with these lines as its frontmatter."""
    return "\n".join(["---", *fields, "---", body])
