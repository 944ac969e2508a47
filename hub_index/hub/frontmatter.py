"""A frontmatter block → the fields an author meant, through the layers, with every guess reported.

YAML first; where YAML refuses, escaped surrogates are repaired and YAML is asked once more; then the block is read
field by field. Never raises: what no layer understands is simply no field.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from hub_index.hub.complaints import Complaints, quoted_field, shorten
from hub_index.hub.fences import cut_at_heading
from hub_index.hub.fields import Field, Node, NotYaml, Parse
from hub_index.hub.scalars import join_surrogates
from hub_index.limits import MAX_FRONTMATTER_CHARS

_TYPED = re.compile(
    r"(?i)(?:y|n|yes|no|on|off|true|false|[-+]?[0-9][0-9_]*(?:\.[0-9_]*)?(?:e[-+]?[0-9]+)?|[-+]?\.[0-9]+"
    r"|0x[0-9a-f]+|0o?[0-7]+|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt ].*)?|[0-9]+(?::[0-9]{2})+|[-+]?\.inf|\.nan)$"
)
_REASONS = {
    "yaml-colon": "an unquoted value holds ': ', which begins a new field in YAML",
    "yaml-block-text": "text stands on the same line as '>' or '|'; it must begin on the next line, indented",
    "yaml-asterisk": "an unquoted value begins with '*', which YAML reads as a reference",
    "yaml-backtick": "an unquoted value begins with a backtick, which YAML does not allow",
    "yaml-at": "an unquoted value begins with '@', which YAML does not allow",
    "yaml-percent": "an unquoted value begins with '%', which YAML does not allow",
    "yaml-dash": "a list begins on the same line as its key",
    "yaml-bracket": "an unquoted value begins with '[', which begins a list in YAML",
    "yaml-brace": "a value begins with '{' and is no complete map",
    "yaml-sign": "an unquoted value begins with a sign that YAML keeps for itself",
    "yaml-quote": "the quotes around a value do not match, or text follows them",
    "yaml-escape": "a value in double quotes has a backslash escape or a quote that YAML does not know",
    "yaml-anchor": "a value is marked with '&' for reuse; such marks are never followed",
    "yaml-alias": "a value refers to another with '*'; such references are never followed",
    "yaml-tag": "a value is given a type with '!'; types are never constructed",
    "yaml-tab": "a line is indented with a tab, which YAML does not allow",
    "yaml-indentation": "lines that belong to a value are not indented",
    "yaml-key": "a key is not written as `key: value` at the beginning of its line",
    "yaml-syntax": "YAML cannot read this value",
}
_QUOTE = "put the value in quotes: {field}"
_FIXES = {
    "yaml-tab": "use spaces instead of the tab, or write it on one line: {field}",
    "yaml-indentation": "indent the lines below `{key}:` by two spaces, or write it on one line: {field}",
    "yaml-anchor": "write the text itself: {field}",
    "yaml-alias": "write the text itself: {field}",
    "yaml-tag": "write the text itself: {field}",
    "yaml-key": "write it at the beginning of its line: {field}",
    "yaml-dash": "begin the list on the line below `{key}:`, each item as '  - item'",
    "yaml-brace": "close every brace and bracket of `{key}`, or if it is text: {field}",
    "yaml-block-text": "put the text in quotes: {field} – or begin it on the line below '>', indented",
}


@dataclass(frozen=True, slots=True)
class Fields:
    """The fields in order, placed in their file, and where the block really ended if it ran into the body."""

    fields: tuple[Field, ...]
    cut: int = -1


def parse_frontmatter(block: str, first_line: int, complaints: Complaints) -> Fields:
    """The block's fields; line numbers are those of the file."""
    from hub_index.hub.yaml_layer import parse_yaml  # here: whoever parses nothing should not load YAML

    if len(block) > MAX_FRONTMATTER_CHARS:
        reason = f"the frontmatter has more than {MAX_FRONTMATTER_CHARS} characters; only single lines were read"
        complaints.repaired(first_line, "frontmatter-too-large", reason, "move the text below the closing '---'")
        return _line_by_line(block, first_line, complaints, None)
    fields = _try_yaml(block, first_line, complaints, parse_yaml)
    # a key with a space in it is a sentence of the body more often than not: was the fence a rule?
    if fields is not None and not any(" " in found.key for found in fields):
        return Fields(tuple(fields))
    cut = cut_at_heading(block)
    if cut >= 0:
        line = first_line + block.count("\n", 0, cut) + 1
        reason = "the frontmatter is not closed before the text begins"
        complaints.repaired(line, "fence-unclosed", reason, "write a line '---' after the last field")
        return Fields(parse_frontmatter(block[:cut] + "\n", first_line, complaints).fields, cut)
    if fields is not None:
        return Fields(tuple(fields))
    return _line_by_line(join_surrogates(block), first_line, complaints, parse_yaml)


def _try_yaml(
    block: str, first_line: int, complaints: Complaints, parse_yaml: Callable[[str, int], list[Field]]
) -> list[Field] | None:
    """The fields that YAML reads, escaped surrogates repaired; None where YAML refuses the block."""
    try:
        return parse_yaml(block, first_line)
    except NotYaml as refusal:
        if refusal.code in ("yaml-too-deep", "yaml-too-large"):
            fix = "keep only a few plain fields in the frontmatter"
            complaints.repaired(first_line + refusal.line, refusal.code, refusal.reason, fix)
        if refusal.code != "yaml-surrogate":
            return None
        _report_surrogate(first_line + refusal.line, complaints)
    try:
        return parse_yaml(join_surrogates(block), first_line)
    except NotYaml:
        return None


def report_typed(found: Field, complaints: Complaints) -> None:
    """Advises quotes where a plain name or description is a number, a date or a truth value to others."""
    if found.plain and isinstance(found.value, str) and _TYPED.match(found.value):
        complaints.advise(
            found.line,
            "yaml-typed-value",
            f"`{found.key}` is not text to other YAML readers: {shorten(found.value)}",
            f"put it in quotes: {quoted_field(found.key, found.value)}",
        )


def flatten(node: Node) -> str:
    """A list or map as one line of text, in its order."""
    parts: list[str] = []
    todo: list[tuple[str, Node]] = [("", node)]
    while todo:
        label, current = todo.pop()
        if isinstance(current, str):
            parts.append(label + current.strip())
        elif isinstance(current, list):
            todo.extend((label if not at else "", item) for at, item in reversed(list(enumerate(current))))
        elif isinstance(current, dict):
            todo.extend((f"{key}: ", value) for key, value in reversed(list(current.items())))
    return ", ".join(part for part in parts if part)


def _line_by_line(block: str, first_line: int, complaints: Complaints, parse: Parse | None) -> Fields:
    from hub_index.hub.lines_layer import read_lines  # here: most files never need it

    loose = read_lines(block, parse)
    for slip in loose.slips:
        fix = _fix(slip.code, slip.key, slip.text)
        complaints.repaired(slip.line + first_line, slip.code, _REASONS[slip.code], fix)
    return Fields(tuple(Field(one.key, one.value, one.line + first_line, one.plain) for one in loose.fields))


def _fix(code: str, key: str, text: str) -> str:
    return _FIXES.get(code, _QUOTE).format(key=shorten(key), field=quoted_field(key, text))


def _report_surrogate(line: int, complaints: Complaints) -> None:
    complaints.repaired(
        line,
        "yaml-surrogate",
        "a character is escaped as in JSON, by a pair like \\ud83d\\ude00, which YAML refuses",
        "write the character itself, or \\U0001F600",
    )
