"""The text that an author meant by a value which YAML refuses.

Part of the line-wise layer: quotes that do not match, escapes that do not exist, `> text` on one line, values that
begin with a sign that YAML keeps for itself. Each reading names what is wrong, for the report to say what to write.

The other direction stands here too: the spelling of a field that YAML reads as the intended text.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from hub_index.base.characters import short_line

_BLOCK_HEADER = re.compile(r"[|>][-+0-9]{0,2}[ \t]*(?:#.*)?$")
_BLOCK_TEXT = re.compile(r"[|>][-+0-9]{0,2}[ \t]+")
_ANCHOR = re.compile(r"&([\w-]+)(?:[ \t]+|$)")
_TAG = re.compile(r"!\S*(?:[ \t]+|$)")
_ALIAS = re.compile(r"\*([\w-]+)$")
_ESCAPED_SIGN = re.compile(r"""\\(["'\\])""")
_SURROGATES = re.compile(
    r"\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})|\\u[dD][89a-fA-F][0-9a-fA-F]{2}"
)
_SIGNS = {
    "*": "yaml-asterisk",  # 937 files of all
    "&": "yaml-anchor",  # F02
    "!": "yaml-tag",  # F02
    "[": "yaml-bracket",  # 4
    "{": "yaml-brace",  # 8
    "-": "yaml-dash",  # 2
    ">": "yaml-block-text",  # 9,021 files of all
    "|": "yaml-block-text",
    **dict.fromkeys("`@,]}?:%", "yaml-sign"),  # 4
}
_TYPED = re.compile(
    r"(?i)(?:y|n|yes|no|on|off|true|false|[-+]?[0-9][0-9_]*(?:\.[0-9_]*)?(?:e[-+]?[0-9]+)?|[-+]?\.[0-9]+"
    r"|0x[0-9a-f]+|0o?[0-7]+|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt ].*)?|[0-9]+(?::[0-9]{2})+|[-+]?\.inf|\.nan)$"
)
_MAX_LIST_CHARS = 120  # of a list that a message quotes


@dataclass(frozen=True, slots=True)
class LooseScalar:
    """The text of a value, a code for its problem, and the anchor that refers to it."""

    text: str
    code: str
    anchor: str = ""


def is_block_header(inline: str) -> bool:
    """True if a value's first line only announces text on the lines below."""
    return _BLOCK_HEADER.match(inline) is not None


def read_scalar(inline: str, rest: list[str], anchors: dict[str, str]) -> LooseScalar:
    """The text of a value whose first line is `inline` and whose further lines are `rest`."""
    code = _problem_code(inline, rest)
    anchor = ""
    if tag := _TAG.match(inline):
        inline = inline[tag.end() :]
    if marked := _ANCHOR.match(inline):
        anchor, inline = marked[1], inline[marked.end() :]
        if tag := _TAG.match(inline):
            inline = inline[tag.end() :]
    if (alias := _ALIAS.match(inline)) and not rest and alias[1] in anchors:
        return LooseScalar(anchors[alias[1]], "yaml-alias", anchor)
    if is_block_header(inline):
        return LooseScalar(_join_block(rest, folded=inline[0] == ">"), code, anchor)
    if shown := _BLOCK_TEXT.match(inline):
        inline = inline[shown.end() :]
    return LooseScalar(unquote(join_lines(inline, rest)), code, anchor)


def unquote(text: str) -> str:
    """The text without the quotes around it, if they are around it."""
    text = text.strip()
    quote = text[:1]
    if quote not in ('"', "'") or len(text) < 2:
        return text
    closed = text.endswith(quote) and not (quote == '"' and text.endswith('\\"') and not text.endswith('\\\\"'))
    inner = text[1:-1] if closed else text[1:]
    if closed and _closes_early(inner, quote):
        return text
    if not closed and quote in inner.replace("\\" + quote, "").replace("''", ""):
        return text  # `"one" and "two" things`: the quotes belong to the text
    if quote == "'":
        return inner.replace("''", "'")
    return _ESCAPED_SIGN.sub(r"\1", join_surrogates(inner))  # `"C:\docs\new"`: before a letter it was no escape


def join_surrogates(text: str) -> str:
    """The text with escaped surrogate pairs, as JSON writes them, joined; halves (51 of all) become U+FFFD."""

    def whole(match: "re.Match[str]") -> str:
        if match[1] is None:
            return "\ufffd"
        return chr(0x10000 + ((int(match[1], 16) - 0xD800) << 10) + int(match[2], 16) - 0xDC00)

    return _SURROGATES.sub(whole, text)


def join_lines(inline: str, rest: list[str]) -> str:
    """A value over several lines as one text: indented lines fold, others keep their line, as do list items."""
    parts = [inline.strip()]
    blank = False
    for raw in rest:
        line = raw.strip()
        if not line:
            blank = True
            continue
        own_line = blank or raw[0] not in " \t" or line.startswith(("- ", "* ", "• "))
        parts += ["\n" if own_line else " ", line]
        blank = False
    return "".join(parts).strip()


def _join_block(rest: list[str], *, folded: bool) -> str:
    lines = [line.strip() for line in rest]
    if not folded:
        return "\n".join(lines).strip("\n")
    paragraphs = "\n".join(lines).strip("\n").split("\n\n")
    return "\n".join(" ".join(paragraph.split("\n")) for paragraph in paragraphs)


def _closes_early(inner: str, quote: str) -> bool:
    """Whether the first quote inside ends a word, as in `"one" and "two"`, rather than opening one."""
    bare = inner.replace("\\" + quote, "  ").replace("''", "  ")
    at = bare.find(quote)
    return at > 0 and not bare[at - 1].isspace()


def _problem_code(inline: str, rest: list[str]) -> str:
    """A stable word for what is wrong, as far as it can be seen."""
    sign = inline[:1]
    if sign in ('"', "'"):  # 3 real files
        return "yaml-escape" if sign == '"' and "\\" in inline + "".join(rest) else "yaml-quote"
    if is_block_header(inline):
        return "yaml-indentation"
    if sign == "-" and not inline.startswith("- ") and inline != "-":
        sign = ""
    if sign and sign in _SIGNS:
        return _SIGNS[sign]
    if any(line[:1] not in ("", " ", "\t", "#") for line in rest):
        return "yaml-indentation"  # 857 files of all
    whole = " ".join([inline, *rest])
    # 5,335 files of all, and 3 real ones
    return "yaml-colon" if ": " in whole or whole.rstrip().endswith(":") else "yaml-syntax"


def is_typed(plain: str) -> bool:
    """Whether a value without quotes is a number, a date or a truth value to other readers of YAML."""
    return _TYPED.match(plain) is not None


def quoted_field(key: str, value: str) -> str:
    """`key: "value"`, shortened."""
    return f"{short_line(key)}: {_quoted(value)}"


def list_field(key: str, items: Iterable[str]) -> str:
    """`key: ["one", "two"]`, shortened."""
    shown: list[str] = []
    left = _MAX_LIST_CHARS
    for item in map(_quoted, items):
        left -= len(item)
        if left < 0:
            return f"{short_line(key)}: [{', '.join([*shown, '…'])}]"
        shown.append(item)
    return f"{short_line(key)}: [{', '.join(shown)}]"


def name_field(name: str) -> str:
    """`name: value` for a name of letters, digits and hyphens; in quotes only where it would be something else."""
    return f'name: "{name}"' if is_typed(name) or name == "null" else f"name: {name}"


def _quoted(value: str) -> str:
    """In double quotes a backslash would begin an escape, in single ones nothing does."""
    shown = short_line(value)  # escapes in a value may have brought hidden characters
    if '"' not in shown and "\\" not in shown:
        return f'"{shown}"'
    return "'" + shown.replace("'", "''") + "'"
