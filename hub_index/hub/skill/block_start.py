"""The start of a file's frontmatter, and the text before it that does not belong there."""

import re

from hub_index.frozen import FrozenValue
from hub_index.hub.skill.encoding import end_of_line
from hub_index.hub.skill.fields import NAMING_KEYS
from hub_index.hub.skill.problems import ProblemList

_KNOWN_FIELD = re.compile(rf"""(?im)^[ \t]*(?:\*\*)?["']?(?:{"|".join(NAMING_KEYS)})["']?[ \t]*[:：]""")
_FIRST_FIELD = re.compile(r"""(?:[ \t]*(?:#.*)?\n)*[ \t]*["']?[A-Za-z_][\w.-]*["']?[ \t]*:""")
_MAX_LINES_BEFORE = 40  # beyond that a '---' is a rule of the text

_MOVE = "move it below the closing '---'"
_REPORTS = {  # worst first: one report a file is enough; 8 of all, 18 of all and 4 real files
    "code": ("frontmatter-in-code-fence", "the frontmatter stands inside a code fence", "delete the line of backticks"),
    "heading": ("frontmatter-after-heading", "a heading stands before the frontmatter", _MOVE),
    "space": ("leading-whitespace", "blank lines or spaces stand before the first '---'", "delete them"),
}


class Opening(FrozenValue):
    """The frontmatter's beginning."""

    start: int  # offset of the block's first character
    line: int  # and its 1-based line
    long_fence: bool = False  # more than three dashes, which the Axon client takes for a description
    code_fence: str = ""
    before: frozenset[str] = frozenset()

    @property
    def needs_fields(self) -> bool:
        """True if only the block's content can tell frontmatter from a rule in the text."""
        return self.long_fence or bool(self.before - {"space"})

    def report(self, problems: ProblemList) -> None:
        """Says what is odd about the beginning."""
        line = self.line - 1
        for kind, (code, reason, fix) in _REPORTS.items():
            if kind in self.before:
                problems.warn(line, code, reason, f"make '---' the first line of the file: {fix}")
                break
        if self.long_fence:
            problems.warn(line, "fence-odd", "more than three dashes open the frontmatter", "write exactly '---'")


def known_field_at(text: str, start: int) -> int:
    """The start of the first line from `start` on with a name or a description; else -1."""
    match = _KNOWN_FIELD.search(text, start)
    return match.start() if match else -1


def find_opening(text: str) -> Opening | None:
    """The opening fence, on the first line or behind what real files put before it."""
    if text.startswith("---\n"):
        return Opening(4, 2)
    before: set[str] = set()
    code_fence = ""
    position, line = 0, 1
    while position < len(text) and line <= _MAX_LINES_BEFORE:
        end = end_of_line(text, position)
        raw = text[position:end]
        stripped = raw.strip()
        kind = _kind_of_line(stripped)
        if not stripped or raw[0].isspace():
            before.add("space")
        if kind == "fence":
            start = min(end + 1, len(text))
            opening = Opening(start, line + 1, len(stripped) > 3, code_fence, frozenset(before))
            return opening if not opening.needs_fields or _FIRST_FIELD.match(text, start) else None
        if kind == "code" and not code_fence:
            code_fence = stripped[:3]
        elif kind not in ("", "heading"):
            return None
        if kind:
            before.add(kind)
        line += 1
        position = end + 1
    return None


def _kind_of_line(line: str) -> str:
    """The kind of a stripped line before frontmatter: a key of `_REPORTS`, fence or text."""
    if not line:
        return ""
    if line[0] == "#":
        return "heading"
    if line.startswith(("```", "~~~")):
        return "code"
    return "fence" if len(line) >= 3 and line.strip("-") == "" else "text"
