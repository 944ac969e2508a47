"""The frontmatter's fields → keywords, from every place where real skills write them.

`tags`, `keywords`, `category`, `triggers`, `when_to_use`, at the top and in `metadata`, in any case and spelling, as a
list, a map or a string with separators. The embedding text takes less: see `text_keywords`.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from hub_index.base.characters import clean_line
from hub_index.hub.skill.fields import KEYWORD_KEYS, Field, Node, plain_key
from hub_index.limits import MAX_KEYWORDS_CHARS

_SEPARATORS = re.compile(r"[,;|\n，；、]")
_NUMBER_LIKE = re.compile(r"(?i)[-+]?[0-9.]+$|true$|false$|yes$|no$")
_NESTED = frozenset(("tags", "keywords"))
_SOURCES = tuple(map(plain_key, KEYWORD_KEYS))
_SENTENCE = "whentouse"  # prose: its commas separate nothing


@dataclass(frozen=True, slots=True)
class Keywords:
    """All keywords in order, each once in any case, and whether some had to be left out."""

    words: tuple[str, ...]
    cut: bool


def collect_keywords(fields: Iterable[Field]) -> Keywords:
    """The keywords of every source, within the record's cap."""
    by_source: dict[str, Node] = {}
    for field in fields:
        key = plain_key(field.key)
        if key in _SOURCES:
            by_source.setdefault(key, field.value)
    if not by_source:
        return Keywords((), False)
    words: dict[str, str] = {}
    left = MAX_KEYWORDS_CHARS
    for word in _all_words(by_source):
        folded = word.casefold()
        if folded in words:
            continue
        if len(word) > left:
            return Keywords(tuple(words.values()), True)
        left -= len(word)
        words[folded] = word
    return Keywords(tuple(words.values()), False)


def text_keywords(fields: Iterable[Field]) -> str:
    """The Axon client's keywords in the embedding text: `keywords`, else `tags`, only if written as a string."""
    texts: dict[str, str] = {}
    for field in fields:
        key = field.key.lower()
        if key in _NESTED and isinstance(field.value, str) and field.value.strip():
            texts.setdefault(key, field.value.strip())
    return texts.get("keywords") or texts.get("tags") or ""


def _all_words(by_source: dict[str, Node]) -> Iterator[str]:
    for source in _SOURCES:
        node = by_source.get(source)
        if source == "metadata":
            yield from _metadata_words(node)
        elif node:
            yield from _words(node, split=source != _SENTENCE)


def _metadata_words(metadata: Node) -> Iterator[str]:
    """`metadata.tags`, `metadata.keywords` and the same one level down."""
    if not isinstance(metadata, dict):
        return
    for key, node in metadata.items():
        if plain_key(key) in _NESTED:
            yield from _words(node, split=True)
    for inner in metadata.values():
        if isinstance(inner, dict):
            for key, node in inner.items():
                if plain_key(key) in _NESTED:
                    yield from _words(node, split=True)


def _words(node: Node, *, split: bool) -> Iterator[str]:
    """Every scalar below a node; numbers and truth values below a map are settings, not keywords."""
    todo: list[tuple[Node, bool]] = [(node, False)]
    while todo:
        current, in_map = todo.pop()
        if isinstance(current, str):
            if not (in_map and _NUMBER_LIKE.match(current)):
                pieces = _SEPARATORS.split(current) if split else [current]
                yield from filter(None, map(clean_line, pieces))
        elif isinstance(current, list):
            todo.extend((item, in_map) for item in reversed(current))
        elif isinstance(current, dict):
            todo.extend((item, True) for item in reversed(current.values()))
