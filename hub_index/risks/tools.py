"""`allowed-tools` of a SKILL.md that asks for every command."""

import re
from collections.abc import Iterator

from hub_index.risks.risk import RiskLevel

_BLOCK = re.compile(r"\A\ufeff?\s{0,20}---[ \t]*\n(?P<block>.{0,20000}?)\n---[ \t]*(?:\n|\Z)", re.DOTALL)
_FIELD = re.compile(
    r"^[\"']?allowed[-_ ]?tools[\"']?[ \t]*:(?P<value>[^\n]*(?:\n(?:[ \t]+[^\n]*|-[ \t][^\n]*))*)", re.MULTILINE
)
_ANY = re.compile(
    r"(?<![\w:)*/.(-])(?:\*(?![\w*])|all(?:\s+tools)?(?![\w-])|any(?![\w-]))(?![^()]{0,200}\))"
    r"|\b(?:bash|shell|exec|terminal|run_command|execute)\s*\(\s*"
    r"(?:\*+\s*(?::\s*\*)?|(?:sudo|rm|sh|bash|zsh|eval|su|dd|chmod)\b[ :]?\s*\*?[^)\n]{0,20})\s*\)"
)
_BARE = re.compile(r"(?<![\w-])(?:bash|shell|exec|terminal|run_command|execute_command)(?![\w(-])(?!\s*\()")


def find_wide_tools(lowered: str) -> Iterator[tuple[int, int, RiskLevel]]:
    """The first wide entry of a frontmatter's allowed-tools; a bare Bash is a note, since every tenth skill has it."""
    block = _BLOCK.match(lowered)
    field = _FIELD.search(block["block"]) if block else None
    if block is None or field is None:
        return
    value, start = field["value"], block.start("block") + field.start("value")
    for pattern, level in ((_ANY, "risk"), (_BARE, "note")):
        if found := pattern.search(value):
            yield start + found.start(), start + found.end(), "risk" if level == "risk" else "note"
            return
