"""The frontmatter's fields: which keys are known, and the values that one layer of reading passes to the next."""

import re
from collections.abc import Callable

from hub_index.frozen import FrozenValue

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

# Every key that is looked for, in the specification's spelling. First the two without which there is no record:
NAMING_KEYS = {"name": "name", "description": "description", "名称": "name", "描述": "description"}
KEYWORD_KEYS = ("tags", "keywords", "metadata", "category", "categories", "triggers", "trigger", "when-to-use")
LIST_KEYS = tuple(key for key in KEYWORD_KEYS if key not in ("metadata", "when-to-use"))
_OTHER_KEYS = ("version", "author", "license", "homepage", "compatibility", "allowed-tools", "user-invocable",
               "argument-hint", "model", "tools", "summary", "emoji")  # fmt: skip
_ALL_KEYS = ("name", "description", *KEYWORD_KEYS, *_OTHER_KEYS)
KNOWN_KEY = "(?:" + "|".join(key.replace("-", "[-_]?") for key in _ALL_KEYS) + ")"  # a regular expression
_KNOWN_KEY = re.compile(KNOWN_KEY, re.IGNORECASE)

Node: "TypeAlias" = "str | list[Node] | dict[str, Node] | None"
TOO_MUCH = frozenset(("yaml-too-deep", "yaml-too-large"))  # refusals that say nothing against the spelling


class NotYaml(Exception):
    """This layer cannot read the block; the next one can. Passes between layers only, no user sees it."""

    def __init__(self, code: str, line: int, reason: str) -> None:
        super().__init__(reason)
        self.code = code
        self.line = line  # 0-based, in the block
        self.reason = reason


class Field(FrozenValue):
    """One `key: value` of the frontmatter."""

    key: str
    value: Node
    line: int  # of the key; 0-based in the block until the frontmatter is placed in its file
    plain: bool  # a scalar without quotes: other readers may take it for a number, a date or a truth value


Parse: "TypeAlias" = Callable[[str], list[Field]]  # the YAML layer, as the others see it


def plain_key(key: str) -> str:
    """A key in one spelling: `When-To-Use`, `when_to_use` and `whenToUse` are the same."""
    return key.lower().replace("-", "").replace("_", "").replace(" ", "")


def is_known_key(key: str) -> bool:
    """Whether a key is one that skills have, and so surely begins a field; in any case, with `-`, `_` or neither."""
    return _KNOWN_KEY.fullmatch(key) is not None
