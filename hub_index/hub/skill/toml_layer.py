"""TOML frontmatter between `+++` lines, as site generators write it → its place in the file and its fields.

Agents read YAML between `---` lines only, so this is read and reported. Field by field, and only single strings go
through a TOML parser: its time on nested and dotted keys is for an outsider to choose.
"""

import re
from dataclasses import dataclass

from hub_index.hub.skill.encoding import end_of_line
from hub_index.hub.skill.fields import Field, Node
from hub_index.hub.skill.problems import DESCRIPTION_HINT, ProblemList, quoted_field
from hub_index.hub.skill.scalars import unquote
from hub_index.limits import MAX_FRONTMATTER_CHARS

_OPENING = re.compile(r"\s*\+\+\+[ \t]*(?:\n|$)")
_CLOSING = re.compile(r"(?m)^\+\+\+[ \t]*$")
_KEY = re.compile(r"""[ \t]*(["']?)([A-Za-z0-9_-]+)\1[ \t]*=[ \t]*""")
_STRING = re.compile(r""""((?:[^"\\\n]|\\.)*)"|'([^'\n]*)\'""")
_MAX_FIELDS = 1_000


@dataclass(frozen=True, slots=True)
class TomlBlock:
    """Where the block stands: from `start` to `end`, on line `line`, with the text from `body` on."""

    start: int
    end: int
    line: int
    body: int


def find_toml(text: str) -> TomlBlock | None:
    """The block that a file begins with; None where it does not begin with `+++` and a `key = value` line."""
    opening = _OPENING.match(text)
    if not opening:
        return None
    start = opening.end()
    line = text.count("\n", 0, start) + 1
    closing = _CLOSING.search(text, start)
    if closing:
        return TomlBlock(start, closing.start(), line, min(closing.end() + 1, len(text)))
    if not _KEY.match(text, start):
        return None
    blank = text.find("\n\n", start)
    end = len(text) if blank < 0 else blank + 1
    return TomlBlock(start, end, line, end)


def parse_toml(block: str, first_line: int) -> tuple[Field, ...]:
    """The fields above the first table; what TOML refuses is read as its author meant it."""
    block = block[:MAX_FRONTMATTER_CHARS]
    fields: list[Field] = []
    position = 0
    line = first_line
    while position < len(block) and len(fields) < _MAX_FIELDS and not block.startswith("[", position):
        end = end_of_line(block, position)
        key = _KEY.match(block, position, end)
        if key:
            end = _value_end(block, key.end(), end)
            fields.append(Field(key[2], _value(block[key.end() : end].strip()), line, plain=False))
        line += block.count("\n", position, end + 1)
        position = end + 1
    return tuple(fields)


def report_toml(fields: tuple[Field, ...], line: int, problems: ProblemList) -> None:
    """Tells the author what agents read instead."""
    texts = {found.key.lower(): found.value for found in reversed(fields) if isinstance(found.value, str)}
    name = quoted_field("name", texts.get("name") or "<name of the folder>")
    description = quoted_field("description", texts.get("description") or DESCRIPTION_HINT)
    problems.warn(
        line,
        "toml-frontmatter",
        "the frontmatter is TOML between '+++' lines; agents read only YAML between '---' lines",
        f"begin the file with the lines '---', '{name}', '{description}', '---'",
    )


def _value_end(block: str, start: int, line_end: int) -> int:
    """The end of the line on which a value ends; one that is never closed ends on its first."""
    opened = block[start : start + 3]
    if opened in ('"""', "'''"):
        closed = block.find(opened, start + 3)
    elif opened[:1] == "[":
        closed = block.find("]", start)
    else:
        return line_end
    return line_end if closed < 0 else end_of_line(block, closed)


def _value(written: str) -> Node:
    if written[:1] == "[":
        return [double or single for double, single in _STRING.findall(written)]
    if written[:1] not in ('"', "'"):
        return written.partition(" #")[0].strip()
    import tomllib  # here: hardly any file needs it

    try:
        text = tomllib.loads(f"value = {written}\n")["value"]
    except ValueError:  # TOMLDecodeError
        return unquote(written)
    return text.strip() if isinstance(text, str) else written
