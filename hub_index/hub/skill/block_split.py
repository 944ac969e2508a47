"""A file's text → its frontmatter block and its body.

A fence is a whole line `---`. What real files get wrong is tolerated and reported: headings or a code fence
before the block, fences of more dashes, a heading glued to the closing fence, no closing fence.
"""

import re

from hub_index.frozen import FrozenValue
from hub_index.hub.skill.encoding import end_of_line
from hub_index.hub.skill.fields import KNOWN_KEY, NAMING_KEYS
from hub_index.hub.skill.problems import ProblemList
from hub_index.limits import MAX_FRONTMATTER_CHARS

_KNOWN_FIELD = re.compile(rf"""(?im)^[ \t]*(?:\*\*)?["']?(?:{"|".join(NAMING_KEYS)})["']?[ \t]*[:：]""")
_FIRST_FIELD = re.compile(r"""(?:[ \t]*(?:#.*)?\n)*[ \t]*["']?[A-Za-z_][\w.-]*["']?[ \t]*:""")
_MAX_LINES_BEFORE = 40  # beyond that a '---' is a rule of the text

_MOVE = "move it below the closing '---'"
_REPORTS = {  # worst first: one report a file is enough; 8 of all, 18 of all and 4 real files
    "code": ("frontmatter-in-code-fence", "the frontmatter stands inside a code fence", "delete the line of backticks"),
    "heading": ("frontmatter-after-heading", "a heading stands before the frontmatter", _MOVE),
    "space": ("leading-whitespace", "blank lines or spaces stand before the first '---'", "delete them"),
}

_FENCE = "\n---"
_PLAIN_START = b"---\n"
_FIELD = re.compile(r"""(["']?)[A-Za-z_][\w.-]*\1[ \t]*:(?:[ \t]|$)""")
_KNOWN = re.compile(rf"(?i){KNOWN_KEY}[ \t]*:(?:[ \t]|$)")
_KNOWN_LINES = re.compile(rf"(?im)^{KNOWN_KEY}[ \t]*:(?:[ \t]|$)")
_HEADING_AFTER_BLANK = re.compile(r"\n[ \t]*\n#{1,6} \S")


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


class FileParts(FrozenValue):
    """A file cut in two; `block` is None without frontmatter."""

    block: str | None
    block_line: int  # 1-based line of the block's first line
    body: str


class _Close(FrozenValue):
    end: int  # where the block ends
    body: int  # where the body begins


def split_frontmatter(text: str, problems: ProblemList) -> FileParts:
    """The block between the fences and the body after them."""
    opening = find_opening(text)
    if opening is None:
        return FileParts(None, 0, text)
    close = _find_close(text, opening, problems)
    if opening.needs_fields and not _has_known_field(text, opening.start, close.end):
        return FileParts(None, 0, text)
    opening.report(problems)
    body = text[close.body :]
    if opening.code_fence and body.lstrip().startswith(opening.code_fence):  # 2 real files: its other half
        body = body.lstrip().partition("\n")[2]
    return FileParts(text[opening.start : close.end], opening.line, body)


def find_plain_body(content: bytes) -> int:
    """Where the body begins in a file whose fences are as they should be, as in most files; else -1.

    `split_frontmatter` finds the same, but has to be given text.
    """
    if not content.startswith(_PLAIN_START):
        return -1
    fence = content.find(_FENCE.encode(), len(_PLAIN_START) - 1)
    after = fence + len(_FENCE)
    line_end = content.find(b"\n", after)
    if fence < 0 or line_end < 0 or content[after:line_end].strip(b" \t"):
        return -1
    return line_end + 1


def cut_at_heading(block: str) -> int:
    """Where a block that YAML refused runs into the body: a heading after a blank line, with no field after it; or -1.

    The fence that closed such a block was a rule of the body (F06).
    """
    head = block[:MAX_FRONTMATTER_CHARS]  # no real frontmatter is longer
    first = known_field_at(head, 0)
    if first < 0:
        return -1
    last = max((field.start() for field in _KNOWN_LINES.finditer(head)), default=first)
    heading = _HEADING_AFTER_BLANK.search(head, last)
    if heading is None or _KNOWN_LINES.search(block, heading.start()):
        return -1
    return heading.start()


def _find_close(text: str, opening: Opening, problems: ProblemList) -> _Close:
    start = opening.start
    fence = text.find(_FENCE, start - 1)
    first_field: int | None = None  # asked for once: an outsider chooses how many lines begin with dashes
    while fence >= 0:
        after = fence + len(_FENCE)
        line_end = end_of_line(text, after)
        rest = text[after:line_end]
        if not rest or rest.isspace():
            return _Close(max(start, fence), line_end + 1)
        first_field = known_field_at(text, start) if first_field is None else first_field
        if 0 <= first_field < fence:
            if rest.strip("- \t") == "":
                if not opening.long_fence:
                    _report_odd(problems, opening, text, fence, "more than three dashes close the frontmatter")
                return _Close(max(start, fence), line_end + 1)
            if not rest[0].isspace() and rest[0] != "-":  # 4 real files
                _report_odd(problems, opening, text, fence, "text stands on the same line as the closing '---'")
                return _Close(max(start, fence), after)
        fence = text.find(_FENCE, after)
    return _close_without_fence(text, opening, problems)


def _close_without_fence(text: str, opening: Opening, problems: ProblemList) -> _Close:
    """The end of a block that is never closed, as in 129 files of all."""
    end = _end_of_fields(text, opening)
    if _has_known_field(text, opening.start, end):
        reason = "the frontmatter is never closed; it was taken to end before this line"
        line = opening.line + text.count("\n", opening.start, end)
        problems.warn(line, "fence-unclosed", reason, "write a line '---' after the last field")
    return _Close(end, end)


def _end_of_fields(text: str, opening: Opening) -> int:
    """The start of the first line that is neither a field nor the continuation of one."""
    position = opening.start
    end = position  # of the last line that belongs to a field
    blank = False
    while position < len(text):
        line_end = end_of_line(text, position)
        line = text[position:line_end]
        if not line.strip():
            blank = True
        elif (_KNOWN if blank else _FIELD).match(line) or line[0] in " \t" or (line.startswith("- ") and not blank):
            end = min(line_end + 1, len(text))
            blank = False
        elif not (line.startswith("#") and _KNOWN.match(text, line_end + 1)):
            return end
        position = line_end + 1
    return end


def _report_odd(problems: ProblemList, opening: Opening, text: str, found: int, reason: str) -> None:
    line = opening.line + text.count("\n", opening.start, found + 1)
    problems.warn(line, "fence-odd", reason, "close the frontmatter with a line of exactly '---'")


def _has_known_field(text: str, start: int, end: int) -> bool:
    return 0 <= known_field_at(text, start) < end
