"""Likely skills that a listing passes over, and settings that do nothing.

Last step of `select_files`, so that every omission is reported: names that are nearly right, submodules, roots without
a skill, excludes without effect. Files that cannot be judged by name are handed on: links, and SKILL.md files outside
of the default root. Pure.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from hub_index.hub.config import HubConfig, is_within
from hub_index.hub.config_values import CONFIG_FILE
from hub_index.hub.record_file import DOCUMENT_FOLDERS, is_skill_file
from hub_index.hub.tree.ids import shown_name
from hub_index.hub.tree.layout import LINK, REGULAR_MODES, SUBMODULE, Layout, is_covered
from hub_index.models import Problem, TreeEntry

_CATALOGUE = "skills.md"  # above skills it is a list of them
_NEAR_NAMES = frozenset(
    (_CATALOGUE, "skill.markdown", "skill.md.txt", "skill.mdx", "skill.mdc", "skill.md.md", "skill.txt")
)


@dataclass(frozen=True, slots=True)
class TreePaths:
    """A tree's entries as far as they matter here: the paths of skills, indexed or refused, and the rest."""

    skills: Sequence[str]
    excluded: Sequence[str]
    passed: Sequence[TreeEntry]  # those that `is_notable`


def is_notable(entry: TreeEntry) -> bool:
    """Whether an entry that is not indexed needs a second look. Asked for every file of a hub."""
    path = entry.path
    return path[path.rfind("/") + 1 :][:5].lower() == "skill" or entry.mode not in REGULAR_MODES


def is_near_name(path: str) -> bool:
    """Whether a file is nearly called SKILL.md."""
    return path.rpartition("/")[2].lower() in _NEAR_NAMES


@dataclass(frozen=True, slots=True)
class Unindexed:
    """The omissions: problems, and entries that must be read before they are judged."""

    problems: list[Problem]
    links: list[TreeEntry]  # that something to index may be behind
    outside: list[TreeEntry]  # SKILL.md files outside of a root that the hub did not choose itself


def review_unindexed(tree: TreePaths, config: HubConfig, layout: Layout) -> Unindexed:
    """All omissions; `config` is the hub's own, with roots None if it set none."""
    excluded = list(tree.excluded)
    passed: list[TreeEntry] = []
    for entry in tree.passed:
        if layout.is_excluded(entry.path):
            excluded.append(entry.path)
        elif not layout.is_in_output(entry.path):
            passed.append(entry)
    files = [entry for entry in passed if entry.mode in REGULAR_MODES]
    hidden = _hidden_behind([entry for entry in passed if entry.mode not in REGULAR_MODES], tree.skills, layout)
    problems = [_skipped(entry) for entry in hidden if entry.mode == SUBMODULE]
    problems += _nearly_named([entry.path for entry in files], tree.skills, layout)
    problems += _empty_roots(tree.skills, layout) if config.roots is not None else []
    problems += _unused_excludes(excluded, layout)
    outside = [entry for entry in files if config.roots is None and is_skill_file(entry.path)]
    return Unindexed(problems, [entry for entry in hidden if entry.mode == LINK], outside)


def _nearly_named(paths: Sequence[str], skills: Sequence[str], layout: Layout) -> list[Problem]:
    """Files that are nearly called SKILL.md, where no skill is beside or around them."""
    near = [path for path in paths if is_near_name(path) and layout.root_of(path) is not None]
    if not near:
        return []
    folders = {path.rpartition("/")[0] for path in skills}
    around = folders.difference(layout.roots)
    above = {folder for path in skills for folder in ("", *_folders_above(path))}
    problems = []
    for path in near:
        folder, _, name = path.rpartition("/")
        if folder in (above if name.lower() == _CATALOGUE else folders) or not around.isdisjoint(_folders_above(path)):
            continue
        reason = "not indexed: only a file called SKILL.md is a skill"
        fix = f"rename it to SKILL.md, or exclude it in {CONFIG_FILE}"
        problems.append(Problem("advice", shown_name(path), 0, "file-name-near", reason, fix))
    return problems


def _hidden_behind(entries: Sequence[TreeEntry], skills: Sequence[str], layout: Layout) -> list[TreeEntry]:
    """Links and submodules that may hide skills; a link in a skill's folder belongs to that skill."""
    entries = [entry for entry in entries if _may_hide(entry, layout)]
    own = {path.rpartition("/")[0] for path in skills}.difference(layout.roots) if entries else set()
    return [entry for entry in entries if entry.mode == SUBMODULE or own.isdisjoint(_folders_above(entry.path))]


def _skipped(submodule: TreeEntry) -> Problem:
    reason = "this submodule is not followed; skills behind it are not indexed"
    fix = f"commit the folder itself, or exclude it in {CONFIG_FILE}"
    return Problem("advice", shown_name(submodule.path), 0, "submodule-skipped", reason, fix)


def _may_hide(entry: TreeEntry, layout: Layout) -> bool:
    """True if something to index may be behind this entry: it lies in, or above, a folder that is read.

    A link called *.md is a text such as README.md; any other ending may be a folder's (`node.js`).
    """
    if entry.mode not in (LINK, SUBMODULE) or (entry.mode == LINK and entry.path[-3:].lower() == ".md"):
        return False
    places = (*layout.roots, *DOCUMENT_FOLDERS)
    return any(is_within(entry.path, place) or is_within(place, entry.path) for place in places)


def _empty_roots(skills: Iterable[str], layout: Layout) -> list[Problem]:
    """Roots that the hub names and that hold no skill: a wrong letter there loses every skill of a folder."""
    seen = {layout.root_of(path) for path in skills}
    fix = "correct the name of the folder, or take it out of `roots`"
    return [
        Problem("warning", CONFIG_FILE, 0, "root-empty", f"there is no SKILL.md in the root `{root or '.'}`", fix)
        for root in layout.roots
        if root not in seen
    ]


def _unused_excludes(excluded: Sequence[str], layout: Layout) -> list[Problem]:
    """Excludes of places that are not there; one that begins with `**/` is a rule, and may wait for its first match."""
    fix = "correct the pattern, or take it out of `exclude`"
    return [
        Problem("advice", CONFIG_FILE, 0, "exclude-unused", f"`{pattern}` in `exclude` leaves nothing out", fix)
        for pattern in layout.exclude
        if not pattern.startswith("**/") and not any(is_covered(path, pattern) for path in excluded)
    ]


def _folders_above(path: str) -> list[str]:
    steps = path.split("/")
    return ["/".join(steps[:end]) for end in range(1, len(steps))]
