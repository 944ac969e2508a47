"""The two tables, read once: tricks by their spelling (rules.toml), and keys by their service (secrets.toml)."""

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any


@dataclass(frozen=True, slots=True)
class Rule:
    """One spelling of one trick; `pattern` sees text in lower case, if that has a word of each of `needs`."""

    code: str
    needs: Sequence[Sequence[str]]
    spelling: str

    @property
    def pattern(self) -> re.Pattern[str]:
        """The regular expression, compiled when the first text needs it: all of them take a quarter of a second."""
        return _compiled(self.spelling)

    def may_match(self, lowered: str) -> bool:
        """Whether the pattern is worth asking: five times as fast as the pattern."""
        return all(any(word in lowered for word in words) for words in self.needs)


@dataclass(frozen=True, slots=True)
class SecretRule:
    """The keys of one service; the text must hold one of `begins` and, in lower case, one of `words` if there are any.

    `least_entropy` in bits a character, `digits` and `letters` are what the value must have at least.
    """

    begins: Sequence[str]
    words: Sequence[str]
    spelling: str
    least_entropy: float
    digits: int
    letters: int

    @property
    def pattern(self) -> re.Pattern[str]:
        """The regular expression, compiled when the first text needs it."""
        return _compiled(self.spelling)

    @property
    def is_general(self) -> bool:
        """Whether only the name of a variable says that it is a secret."""
        return bool(self.words)

    def may_match(self, text: str, lowered: str) -> bool:
        """Whether the pattern is worth asking."""
        if self.is_general:
            return any(word in lowered for word in self.words)
        return any(begin in text for begin in self.begins)


@cache
def read_rules() -> tuple[Rule, ...]:
    """All rules of rules.toml."""
    table = _read("rules.toml")
    return tuple(Rule(rule["code"], rule["needs"], _expand(rule["pattern"], table["pieces"])) for rule in table["rule"])


@cache
def read_secret_rules() -> tuple[SecretRule, ...]:
    """All rules of secrets.toml."""
    return tuple(
        SecretRule(
            rule["begins"],
            rule.get("words", ()),
            rule["pattern"],
            rule["least_entropy"],
            rule.get("digits", 0),
            rule.get("letters", 0),
        )
        for rule in _read("secrets.toml")["secret"]
    )


@cache
def _compiled(spelling: str) -> re.Pattern[str]:
    return re.compile(spelling, re.MULTILINE)


def _read(name: str) -> dict[str, Any]:
    return tomllib.loads(files(__package__).joinpath(name).read_text("utf-8"))


def _expand(pattern: str, pieces: dict[str, str]) -> str:
    for name, piece in pieces.items():
        pattern = pattern.replace(name, piece)
    return pattern
