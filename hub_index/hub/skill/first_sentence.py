"""A Markdown body → the line that describes the skill best, if the frontmatter does not.

Last layer. Takes the first line that is not a heading, as the Axon client does, but passes over fences, rules, comments
and code too, so that a description is never `---`.
"""

import re
from dataclasses import dataclass

from hub_index.hub.skill.encoding import end_of_line

_FENCE = re.compile(r"(`{3,}|~{3,})")  # looser than service/headings; a stricter rule could change text_hash
_RULE = re.compile(r"(?:[-*_=+][ \t]*){3,}$")
_MAX_LINES = 400  # a file without a sentence in its first lines has none


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
