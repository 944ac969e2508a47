"""A frontmatter block → the fields an author meant, through the layers, with every guess reported.

YAML first; where YAML refuses, escaped surrogates are repaired and YAML is asked once more; then the block is read
field by field, as 16,414 files of all need it. Never raises: what no layer understands is left out.
"""

import re
from dataclasses import dataclass

from hub_index.base.characters import short_line
from hub_index.hub.skill.block_split import cut_at_heading
from hub_index.hub.skill.fields import NAMING_KEYS, TOO_MUCH, Field, Node, NotYaml
from hub_index.hub.skill.line_parser import GuessedValue, LooseFields, read_lines
from hub_index.hub.skill.problems import METADATA_FIX, ProblemList
from hub_index.hub.skill.scalars import is_typed, join_surrogates, list_field, quoted_field
from hub_index.hub.skill.yaml_layer import parse_yaml
from hub_index.limits import MAX_DESCRIPTION_CHARS, MAX_FRONTMATTER_CHARS

_MAX_LATE_CHARS = 4 * MAX_DESCRIPTION_CHARS  # of a field that stands beyond the cap
_LATE = {  # the two fields that are looked for there
    key: re.compile(rf"""(?im)^(["']?){key}\1[ \t]*:(?:[ \t]|$)""") for key in ("name", "description")
}
_REASONS = {
    "yaml-colon": "an unquoted value holds ': ', which begins a new field in YAML",
    "yaml-block-text": "text stands on the same line as '>' or '|'; it must begin on the next line, indented",
    "yaml-asterisk": "an unquoted value begins with '*', which YAML reads as a reference",
    "yaml-dash": "a list begins on the same line as its key",
    "yaml-bracket": "an unquoted value begins with '[', which begins a list in YAML",
    "yaml-brace": "a value begins with '{' and is not a complete map",
    "yaml-sign": "an unquoted value begins with a sign that YAML keeps for itself",
    "yaml-quote": "the quotes around a value do not match, or text follows them",
    "yaml-escape": "a value in double quotes has a backslash escape or a quote that YAML does not know",
    "yaml-anchor": "a value is marked with '&' for reuse; such marks are never followed",
    "yaml-alias": "a value refers to another with '*'; such references are never followed",
    "yaml-tag": "a value is given a type with '!'; types are never constructed",
    "yaml-tab": "a key stands behind a tab, which YAML does not allow",
    "yaml-indentation": "lines that belong to a value are not indented",
    "yaml-key": "a key is not written as `key: value` at the beginning of its line",
    "yaml-syntax": "YAML cannot read this value",
}
_QUOTE = "put the value in quotes: {field}"
_FIXES = {
    "yaml-tab": "write it at the beginning of its line, without the tab: {field}",
    "yaml-indentation": "write it on one line: {field}",
    "yaml-anchor": "write the text itself: {field}",
    "yaml-alias": "write the text itself: {field}",
    "yaml-tag": "write the text itself: {field}",
    "yaml-key": "write it at the beginning of its line: {field}",
    "yaml-dash": "begin the list on the line below `{key}:`, each item as '  - item', or if it is text: {field}",
    "yaml-brace": "close every brace and bracket of `{key}`, or if it is text: {field}",
    "yaml-block-text": "put the text in quotes: {field} – or begin it on the line below '>', indented",
}


@dataclass(frozen=True, slots=True)
class Fields:
    """The fields in order, placed in their file, and where the block really ended if it ran into the body."""

    fields: tuple[Field, ...]
    cut: int = -1


def parse_frontmatter(block: str, first_line: int, problems: ProblemList) -> Fields:
    """The block's fields, with the line numbers of the file."""
    too_large = len(block) > MAX_FRONTMATTER_CHARS
    read = NotYaml("yaml-too-large", 0, "") if too_large else _try_yaml(block, first_line, problems)
    # a key with a space in it is a sentence of the body more often than not: was the fence a rule?
    if isinstance(read, list) and not any(" " in field.key for field in read):
        return Fields(tuple(read))
    cut = cut_at_heading(block)
    if cut >= 0:
        line = first_line + block.count("\n", 0, cut) + 1
        reason = "the frontmatter is not closed before the text begins"
        problems.warn(line, "fence-unclosed", reason, "write a line '---' after the last field")
        return Fields(parse_frontmatter(block[:cut] + "\n", first_line, problems).fields, cut)
    if isinstance(read, list):
        return Fields(tuple(read))
    if read.code in TOO_MUCH:
        _report_too_much(read, first_line, problems, too_large=too_large)

    if too_large:
        return Fields(read_large(block, first_line, problems))
    return Fields(read_loosely(block, first_line, read, problems))


def _try_yaml(block: str, first_line: int, problems: ProblemList) -> list[Field] | NotYaml:
    """The fields that YAML reads, escaped surrogates repaired, or why YAML refuses the block."""
    try:
        return parse_yaml(block, first_line)
    except NotYaml as refusal:
        repaired = join_surrogates(block)
        if refusal.code != "yaml-surrogate" or repaired == block:
            return refusal
        # 7 real files
        reason = "a character is escaped as in JSON, by a pair like \\ud83d\\ude00, which YAML refuses"
        fix = "write the character itself, or \\U0001F600"
        problems.warn(first_line + refusal.line, "yaml-surrogate", reason, fix)
    try:
        return parse_yaml(repaired, first_line)
    except NotYaml as refusal:
        return refusal


def _report_too_much(refusal: NotYaml, first_line: int, problems: ProblemList, *, too_large: bool) -> None:
    if refusal.code == "yaml-too-deep":
        fix = "keep only a few plain fields in the frontmatter"
        problems.warn(first_line + refusal.line, refusal.code, refusal.reason, fix)
        return
    reason = f"the frontmatter has {refusal.reason}; it was read line by line"
    if too_large:
        reason = (
            f"the frontmatter has more than {MAX_FRONTMATTER_CHARS:,} characters; only these were read, "
            "and name and description wherever they stand"
        )
    fix = "move all but a few plain fields below the closing '---'"
    problems.warn(first_line, "frontmatter-too-large", reason, fix)


def report_typed(found: Field, problems: ProblemList) -> None:
    """Advises quotes where a plain name or description is a number, a date or a truth value to others."""
    if found.plain and isinstance(found.value, str) and is_typed(found.value):
        reason = f"`{found.key}` is not text to other YAML readers: {short_line(found.value)}"
        fix = f"put it in quotes: {quoted_field(found.key, found.value)}"
        problems.advise(found.line, "yaml-typed-value", reason, fix)


def flatten(node: Node) -> str:
    """A list or map as one line of text, in its order; 2 real files have one as their description."""
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


def read_loosely(block: str, first_line: int, refusal: NotYaml, problems: ProblemList) -> tuple[Field, ...]:
    """The fields of a block that YAML refused."""
    loose = read_lines(join_surrogates(block), parse_yaml)
    if (
        loose.unasked and not loose.guesses and refusal.code not in TOO_MUCH
    ):  # it is in a field that YAML was not asked about
        fix = "compare this line with the others: `key: value`, with the value in quotes"
        problems.warn(first_line + refusal.line, "yaml-syntax", _REASONS["yaml-syntax"], fix)
    return _placed(loose, first_line, problems)


def read_large(block: str, first_line: int, problems: ProblemList) -> tuple[Field, ...]:
    """The fields in the first part of a block that is too large, and name and description from any part."""
    end = block.rfind("\n", MAX_FRONTMATTER_CHARS // 2, MAX_FRONTMATTER_CHARS) + 1  # a short value is never cut
    end = end or MAX_FRONTMATTER_CHARS
    fields = _placed(read_lines(block[:end], parse_yaml, is_whole=False), first_line, problems)
    keys = {field.key.lower() for field in fields}
    for key, pattern in _LATE.items():
        late = pattern.search(block, end) if key not in keys else None
        if late:
            stop = late.start() + _MAX_LATE_CHARS
            loose = read_lines(block[late.start() : stop], parse_yaml, is_whole=stop >= len(block), most=1)
            fields += _placed(loose, first_line + block.count("\n", 0, late.start()), problems)
    return fields


def _placed(loose: LooseFields, first_line: int, problems: ProblemList) -> tuple[Field, ...]:
    for guess in loose.guesses:
        problems.warn(guess.line + first_line, guess.code, _REASONS[guess.code], _fix(guess))
    return tuple(field.replace(line=field.line + first_line) for field in loose.fields)


def _fix(guess: GuessedValue) -> str:
    """The advice that makes YAML read the guessed text, and that passes all other checks."""
    key = guess.key.lower()
    if key == "metadata":
        return METADATA_FIX
    if guess.items is not None:
        return f"write it as a list: {list_field(guess.key, guess.items)}"
    if guess.code == "yaml-indentation" and guess.is_block:
        return f"indent the lines below `{short_line(guess.key)}:` by two spaces"
    fix = _QUOTE if guess.code == "yaml-dash" and key in NAMING_KEYS else _FIXES.get(guess.code, _QUOTE)
    return fix.format(key=short_line(guess.key), field=quoted_field(guess.key, guess.text))
