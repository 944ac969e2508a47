"""Where in a hub the files to index are: which paths count, by name and place alone.

Asked for every path of a tree and of the history, so it works on plain strings. No I/O.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from hub_index.hub.config import DEFAULT_ROOT, HubConfig, is_within
from hub_index.hub.record_file import (
    DOCUMENT_FOLDERS,
    PLUGIN_FOLDER,
    TYPES,
    document_folder,
    file_type,
    is_document_file,
    is_new_place,
    is_skill_file,
)
from hub_index.models import TreeEntry

MARKETPLACE_FILE = ".claude-plugin/marketplace.json"
REGULAR_MODES = ("100644", "100755")
LINK, SUBMODULE = "120000", "160000"

PLACES = (*DOCUMENT_FOLDERS, PLUGIN_FOLDER)  # where documents are

Kind = Literal["skill", "document"]


@dataclass(frozen=True, slots=True)
class Layout:
    """A hub's settled settings, made ready for many questions."""

    roots: tuple[str, ...]  # "" is the hub itself
    exclude: tuple[str, ...]
    output: str
    types: tuple[str, ...] = TYPES

    def kind_of(self, path: str) -> Kind | None:
        """Whether a file at this path would be indexed, and as what."""
        kind = self.kind_by_place(path)
        return None if kind is None or self.is_in_output(path) or self.is_excluded(path) else kind

    def root_of(self, path: str) -> str | None:
        """The root that a path lies under."""
        for root in self.roots:
            if not root or (path.startswith(root) and path[len(root) : len(root) + 1] == "/"):
                return root
        return None

    def is_excluded(self, path: str) -> bool:
        """Whether the hub's settings leave this path out."""
        return bool(self.exclude) and any(is_covered(path, pattern) for pattern in self.exclude)

    def is_in_output(self, path: str) -> bool:
        """Whether a path lies where only the index may be: in a hub searched whole a skill may be called `search`."""
        return path.startswith(self.output) and is_within(path, self.output)

    def kind_by_place(self, path: str) -> Kind | None:
        """The kind of a file at this path; exclusions and the index's own folder do not count."""
        if is_skill_file(path) and self.root_of(path) is not None:
            return "skill" if "skill" in self.types else None
        if not is_document_file(path) or file_type(path) not in self.types:
            return None
        return None if is_new_place(path) and self._is_for_skills(document_folder(path)) else "document"

    def _is_for_skills(self, folder: str) -> bool:
        """Whether the hub names a folder of agents, or one in there, as a root of skills."""
        return any(root and is_within(root, folder) for root in self.roots)

    def folders(self) -> tuple[str, ...]:
        """The folders that hold everything that counts."""
        return ("",) if "" in self.roots else (*self.roots, *(place for place in PLACES if place not in self.roots))


def settle_roots(config: HubConfig, entries: Iterable[TreeEntry]) -> HubConfig:
    """The settings with roots: the hub's own, else `skills` if it holds a SKILL.md, else the whole hub.

    Where a marketplace of plugins is declared, `plugins` is a root beside `skills`: so a plugin's skills keep their ids
    when the first one comes to `skills`. A link is not a SKILL.md: its target lies elsewhere in the hub.
    """
    if config.roots is not None:
        return config
    has_skills = is_marketplace = False
    for entry in entries:
        if entry.path.startswith(f"{DEFAULT_ROOT}/") and is_skill_file(entry.path) and entry.mode in REGULAR_MODES:
            has_skills = True
        elif entry.path == MARKETPLACE_FILE:
            is_marketplace = True
    if not has_skills:
        return config.replace(roots=("",))
    return config.replace(roots=(DEFAULT_ROOT, PLUGIN_FOLDER) if is_marketplace else (DEFAULT_ROOT,))


def layout_of(config: HubConfig) -> Layout:
    """The layout of settled settings; unsettled ones are taken as `skills`."""
    return Layout(config.roots or (DEFAULT_ROOT,), config.exclude, config.output, config.types)


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
