"""Patterns of `exclude`: `*` and `?` stay inside one folder's name, `**` stands for any number of folders.

A pattern that covers a folder covers all that is in it. Patterns come with the hub and are untrusted, so
matching is two-pointer and quadratic at worst: no regular expression that could run away.
"""

from collections.abc import Callable, Sequence


def is_covered(path: str, pattern: str) -> bool:
    """Whether a path from the hub's root, or a folder above it, matches the pattern."""
    return _matches([*pattern.strip("/").split("/"), "**"], path.split("/"), "**", _is_name_match)


def _is_name_match(pattern: str, name: str) -> bool:
    return _matches(pattern, name, "*", lambda sign, letter: sign in ("?", letter))


def _matches(pattern: Sequence[str], items: Sequence[str], star: str, equal: Callable[[str, str], bool]) -> bool:
    """True if the items fit a pattern; `star` in it fits any number of items."""
    at, item = 0, 0
    last_star, retry_from = -1, 0
    while item < len(items):
        if at < len(pattern) and pattern[at] == star:
            last_star, retry_from = at, item
            at += 1
        elif at < len(pattern) and equal(pattern[at], items[item]):
            at, item = at + 1, item + 1
        elif last_star >= 0:  # let the last star cover one item more: earlier stars need not be tried again
            retry_from += 1
            at, item = last_star + 1, retry_from
        else:
            return False
    return all(part == star for part in pattern[at:])
