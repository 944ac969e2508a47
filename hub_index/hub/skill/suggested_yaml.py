"""The spelling of a field that YAML reads as the intended text."""

import re
from collections.abc import Iterable

from hub_index.base.characters import short_line

_TYPED = re.compile(
    r"(?i)(?:y|n|yes|no|on|off|true|false|[-+]?[0-9][0-9_]*(?:\.[0-9_]*)?(?:e[-+]?[0-9]+)?|[-+]?\.[0-9]+"
    r"|0x[0-9a-f]+|0o?[0-7]+|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt ].*)?|[0-9]+(?::[0-9]{2})+|[-+]?\.inf|\.nan)$"
)
_MAX_LIST_CHARS = 120  # of a list that a message quotes


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
