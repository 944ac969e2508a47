"""The rules of the specification's own validator (skills-ref) for fields that we read more kindly; all of it is advice.

`lint` alone asks for it: three of four real skills break one of these rules and are found all the same.
"""

from collections.abc import Iterator
from pathlib import Path

from hub_index.base.characters import quote_line
from hub_index.hub.git.repository import open_repository
from hub_index.hub.skill.block_split import split_frontmatter
from hub_index.hub.skill.encoding import decode_content
from hub_index.hub.skill.fields import Field
from hub_index.hub.skill.frontmatter import parse_frontmatter
from hub_index.hub.skill.problems import ProblemList
from hub_index.hub.snapshot import read_contents, read_hub
from hub_index.limits import SPEC_COMPATIBILITY_CHARS
from hub_index.models import Problem, SkillFile

SPEC_FIELDS = ("name", "description", "license", "compatibility", "metadata", "allowed-tools")
_SHOWN_FIELDS = 5
_SHOWN_CHARS = 40

_Advice = tuple[int, str, str, str]  # line, code, reason, fix


def find_field_advice(hub: Path, rev: str = "HEAD") -> list[Problem]:
    """What the validator would refuse in each skill's fields. Raises SourceError and ConfigError."""
    repo = open_repository(hub)
    skills = [file for file in read_hub(repo, rev).snapshot.files if file.kind == "skill"]
    contents = ((file, content) for file, content in read_contents(repo, skills) if isinstance(content, bytes))
    return [problem for file, content in contents for problem in check_fields(file, content)]


def check_fields(file: SkillFile, content: bytes) -> list[Problem]:
    """The advice on one file's fields, by line."""
    unheard = ProblemList(file.file)  # what is wrong with the block itself is said elsewhere
    parts = split_frontmatter(decode_content(content, unheard).text, unheard)
    if parts.block is None:
        return []
    fields = parse_frontmatter(parts.block, parts.block_line, unheard).fields
    return [Problem("advice", file.file, *advice) for advice in sorted(_check(fields))]


def _check(fields: tuple[Field, ...]) -> Iterator[_Advice]:
    unknown = [field for field in fields if field.key not in SPEC_FIELDS]
    if unknown:
        names = ", ".join(quote_line(field.key, _SHOWN_CHARS) for field in unknown[:_SHOWN_FIELDS])
        more = f" and {len(unknown) - _SHOWN_FIELDS} more" if len(unknown) > _SHOWN_FIELDS else ""
        reason = f"the specification's validator knows no field {names}{more}"
        yield (
            unknown[0].line,
            "spec-unknown-field",
            reason,
            "move it below `metadata:`, as an indented `key: value` line",
        )
    for field in fields:
        value = field.value
        if field.key == "compatibility" and isinstance(value, str) and len(value) > SPEC_COMPATIBILITY_CHARS:
            reason = f"compatibility has {len(value):,} characters; the specification allows {SPEC_COMPATIBILITY_CHARS}"
            yield field.line, "spec-compatibility", reason, "name only what the skill needs to run"
        if field.key == "allowed-tools" and isinstance(value, list | dict):
            reason = "allowed-tools is a list; the specification has one string"
            yield field.line, "spec-allowed-tools", reason, "write the tools on one line with spaces between"
        if field.key == "metadata" and isinstance(value, dict) and not all(isinstance(v, str) for v in value.values()):
            reason = "metadata holds lists or maps; the specification has a flat map of strings"
            yield field.line, "spec-metadata", reason, "write each entry as an indented `key: value` line with a text"
