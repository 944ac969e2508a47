"""Fields and body → the name and the description, which every record needs.

Missing ones (274 names and 248 descriptions in all files) are taken from the folder and from the first paragraph, and
reported.
"""

import re
from dataclasses import dataclass

from hub_index.base.characters import clean_text, is_plain, nfc, short_line
from hub_index.hub.skill.encoding import end_of_line, hidden_report
from hub_index.hub.skill.fields import Field
from hub_index.hub.skill.frontmatter import flatten, report_typed
from hub_index.hub.skill.good_name import name_fix
from hub_index.hub.skill.problems import DESCRIPTION_HINT, ProblemList
from hub_index.hub.skill.scalars import quoted_field
from hub_index.limits import MAX_DESCRIPTION_CHARS, MAX_NAME_CHARS
from hub_index.models import SkillFile

_FENCE = re.compile(r"(`{3,}|~{3,})")  # looser than service/headings; a stricter rule could change text_hash
_RULE = re.compile(r"(?:[-*_=+][ \t]*){3,}$")
_MAX_LINES = 400  # a file without a sentence in its first lines has none


@dataclass(frozen=True, slots=True)
class FoundText:
    """A name or description, and the line on which its author wrote it; 0 if it was taken from elsewhere."""

    text: str
    line: int


def read_name(file: SkillFile, fields: tuple[Field, ...], problems: ProblemList) -> FoundText:
    """The name as written; '' if the author gave none."""
    field = _find(fields, "name")
    name = _text_of(field, problems, keep="", limit=MAX_NAME_CHARS) if field else ""
    if field and name:
        return FoundText(name, field.line)
    if fields and file.kind == "skill":
        code, reason = ("name-empty", "`name` is empty") if field else ("name-missing", "there is no `name`")
        line = field.line if field else fields[0].line
        problems.warn(line, code, f"{reason}; the folder's name was taken", name_fix(file))
    return FoundText("", 0)


def read_description(file: SkillFile, fields: tuple[Field, ...], body: str, problems: ProblemList) -> FoundText:
    """The description as written, else the body's first paragraph or heading."""
    field = _find(fields, "description")
    description = _text_of(field, problems, keep="\n", limit=MAX_DESCRIPTION_CHARS) if field else ""
    if field and description:
        return FoundText(description, field.line)
    prose = find_prose(body)
    description = prose.paragraph or prose.heading
    description = nfc(clean_text(description).text).strip()[:MAX_DESCRIPTION_CHARS].rstrip()
    if fields:
        code, reason = "description-missing", "there is no `description`"
        if field:
            code = "description-empty"
            reason = "`description` is empty ('#' begins a comment; text below '>-' must be indented)"
        taken = "the text's first line was taken" if description else "nothing in the text can stand for it"
        fix = "write " + quoted_field("description", description or DESCRIPTION_HINT)
        report = problems.advise if file.kind == "document" and not field else problems.warn
        report(field.line if field else fields[0].line, code, f"{reason}; {taken}", fix)
    return FoundText(description, 0)


def _find(fields: tuple[Field, ...], key: str) -> Field | None:
    """The first field of that key; the exact spelling wins over others, which the Axon client reads too."""
    loose: Field | None = None
    for field in fields:
        if field.key == key:
            return field
        if loose is None and field.key.lower() == key:
            loose = field
    return loose


def _text_of(field: Field, problems: ProblemList, *, keep: str, limit: int) -> str:
    """A field's text, clean, in NFC, trimmed and within its cap."""
    value = field.value
    if value is None:
        return ""
    if not isinstance(value, str):
        value = flatten(value)
        kind = "a list" if isinstance(field.value, list) else "a map"
        fix = f"put the text in quotes: {quoted_field(field.key, value)}"
        problems.warn(field.line, f"{field.key.lower()}-not-text", f"`{field.key}` is {kind}, not text", fix)
    elif field.plain:
        report_typed(field, problems)
    if not is_plain(value):
        clean = clean_text(value, keep=keep)
        value = clean.text
        if clean.removed:
            problems.warn(field.line, *hidden_report(clean.removed))
    value = nfc(value).strip()
    if len(value) > limit:
        value = clean_text(value[:limit], keep=keep).text.rstrip()  # again: a joiner may have lost its other half
        reason = f"`{field.key}` has more than {limit:,} characters; the rest was cut off: {short_line(value)}"
        problems.warn(field.line, f"{field.key.lower()}-cut", reason, "move the details below the closing '---'")
    return value


@dataclass(frozen=True, slots=True)
class Prose:
    """The first sentence and the first heading; each is '' if the body has none."""

    paragraph: str
    heading: str


def find_prose(body: str) -> Prose:
    """The first line of running text, else of code, and the first heading."""
    heading = code = ""
    fence = ""
    lines = _without_comments(body).split("\n", _MAX_LINES)[:_MAX_LINES]
    for number, raw in enumerate(lines):
        line = raw.strip()
        if fence:
            if line.startswith(fence) and not line.strip("`~"):
                fence = ""
            else:
                code = code or line
        elif opened := _FENCE.match(line):
            fence = opened[1]
        elif line.startswith("#"):
            heading = heading or line.lstrip("#").rstrip("#").strip()
        elif not line or _RULE.match(line):
            continue
        elif _is_underlined(lines, number):
            heading = heading or line
        else:
            return Prose(line, heading)
    return Prose(code if not heading else "", heading or "")


def _is_underlined(lines: list[str], number: int) -> bool:
    """Whether the next line makes this one a heading: `====`, or `----` under a single line."""
    after = lines[number + 1].strip() if number + 1 < len(lines) else ""
    if len(after) < 3 or (number and lines[number - 1].strip()):
        return False
    return after.strip("=") == "" or (after.strip("-") == "" and lines[number].strip()[0] not in "-*>|")


def _without_comments(body: str) -> str:
    """The body without HTML comments; one that is never closed hides only its own line."""
    start = body.find("<!--")
    if start < 0:
        return body
    kept = []
    position = 0
    while start >= 0:
        kept.append(body[position:start])
        end = body.find("-->", start)
        if end < 0:
            position = end_of_line(body, start)
            break
        position = end + 3
        start = body.find("<!--", position)
    return "".join([*kept, body[position:]])
