"""The frontmatter's fields as every layer gives them: the values that the reading of a SKILL.md passes on."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

Node: TypeAlias = "str | list[Node] | dict[str, Node] | None"


TOO_MUCH = frozenset(("yaml-too-deep", "yaml-too-large"))  # refusals that say nothing against the spelling


class NotYaml(Exception):
    """This layer cannot read the block; the next one can. Passes between layers only, no user sees it."""

    def __init__(self, code: str, line: int, reason: str) -> None:
        super().__init__(reason)
        self.code = code
        self.line = line  # 0-based, in the block
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Field:
    """One `key: value` of the frontmatter."""

    key: str
    value: Node
    line: int  # of the key; 0-based in the block until the frontmatter is placed in its file
    plain: bool  # a scalar without quotes: other readers may take it for a number, a date or a truth value


Parse: TypeAlias = Callable[[str], list[Field]]  # the YAML layer, as the others see it
