"""A block that YAML refuses → its fields placed in their file, with a problem for every value that was guessed.

Second step of `parse_frontmatter`, on top of `loose_fields`: what is wrong with a value, and what to write instead.
"""

import re

from hub_index.hub.skill.characters import short_line
from hub_index.hub.skill.fields import NAMING_KEYS, TOO_MUCH, Field, NotYaml
from hub_index.hub.skill.loose_fields import GuessedValue, LooseFields, read_lines
from hub_index.hub.skill.problems import METADATA_FIX, ProblemList
from hub_index.hub.skill.scalars import join_surrogates
from hub_index.hub.skill.written_fields import list_field, quoted_field
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
