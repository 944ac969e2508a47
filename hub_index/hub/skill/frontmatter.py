"""A frontmatter block → the fields an author meant, through the layers, with every guess reported.

YAML first; where YAML refuses, escaped surrogates are repaired and YAML is asked once more; then the block is read
field by field, as 16,414 files of all need it. Never raises: what no layer understands is left out.
"""

from dataclasses import dataclass

from hub_index.hub.skill.block_split import cut_at_heading
from hub_index.hub.skill.characters import short_line
from hub_index.hub.skill.fields import TOO_MUCH, Field, Node, NotYaml
from hub_index.hub.skill.problems import ProblemList
from hub_index.hub.skill.scalars import join_surrogates
from hub_index.hub.skill.written_fields import is_typed, quoted_field
from hub_index.limits import MAX_FRONTMATTER_CHARS


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
    from hub_index.hub.skill.yaml_problems import read_large, read_loosely  # here: most files never need it

    if too_large:
        return Fields(read_large(block, first_line, problems))
    return Fields(read_loosely(block, first_line, read, problems))


def _try_yaml(block: str, first_line: int, problems: ProblemList) -> list[Field] | NotYaml:
    """The fields that YAML reads, escaped surrogates repaired, or why YAML refuses the block."""
    from hub_index.hub.skill.yaml_layer import parse_yaml  # here: a command that parses nothing should not load YAML

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
