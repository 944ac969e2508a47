"""Symbolic links that keep something out of the index, and links that lead nowhere.

No link is ever followed (F12): git says where it points, and the names in the tree say what is there. A link to
something that is indexed under its own path is how many hubs serve several agents, and no problem at all. Pure.
"""

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from hub_index.hub.config import is_within
from hub_index.hub.config_values import CONFIG_FILE
from hub_index.hub.record_file import TEXT_FOLDERS, is_skill_file
from hub_index.hub.skill.problems import counted
from hub_index.hub.tree.ids import shown_name
from hub_index.hub.tree.layout import LINK, REGULAR_MODES, Layout
from hub_index.limits import MAX_LINK_STEPS
from hub_index.models import Problem, SkillFile, TreeEntry

_SHOWN_LINKS = 3
_NOWHERE = "/"  # out of the hub
_AFTER_SLASH = "0"  # the sign after "/": all that is in a folder sorts between the two


def report_links(
    links: Sequence[TreeEntry],
    targets: Mapping[str, str],
    entries: Iterable[TreeEntry],
    files: Iterable[SkillFile],
    layout: Layout,
) -> list[Problem]:
    """An error for each link that hides something, and one warning for all that lead nowhere.

    `targets` is {blob: target} of the tree's links; links whose blob is missing in it lead nowhere.
    """
    tree = _tree_of(entries, targets, files, layout)
    problems, dangling = [], []
    for link in sorted(links, key=lambda link: link.path):
        place = _resolve(link.path, tree.links)
        if place is None or not (_has(tree.files, place) or _count_below(tree.files, place)):
            dangling.append(shown_name(link.path))
        elif hidden := _hidden_by(link.path, place, tree, layout):
            problems.append(_hiding(shown_name(link.path), hidden))
    return problems + ([_leading_nowhere(dangling)] if dangling else [])


@dataclass(frozen=True, slots=True)
class _Tree:
    """A commit's names, sorted, so that a folder is a range of them; links and submodules are kept apart."""

    files: Sequence[str]
    left_out: frozenset[str]  # files outside of the folders that are read, if not excluded
    skills: Sequence[str]  # those that are called SKILL.md
    texts: Sequence[str]  # those that end in .md, which would be documents among workflows
    links: Mapping[str, str]  # {path: target}


def _tree_of(
    entries: Iterable[TreeEntry], targets: Mapping[str, str], files: Iterable[SkillFile], layout: Layout
) -> _Tree:
    indexed = {file.blob for file in files}
    paths, left_out, links = [], [], {}
    for entry in entries:
        if entry.mode == LINK:
            links[entry.path] = targets.get(entry.blob, _NOWHERE)
        elif entry.mode in REGULAR_MODES:
            paths.append(entry.path)
            if entry.blob not in indexed and _is_passed_over(entry.path, layout):
                left_out.append(entry.path)
    paths.sort()
    left_out.sort()
    skills = [path for path in left_out if is_skill_file(path)]
    texts = [path for path in left_out if path[-3:].lower() == ".md"]
    return _Tree(paths, frozenset(left_out), skills, texts, links)


def _is_passed_over(path: str, layout: Layout) -> bool:
    """True if a file lies outside of all folders that are read; refused files are reported elsewhere."""
    return layout.kind_by_place(path) is None and not layout.is_in_output(path) and not layout.is_excluded(path)


def _resolve(path: str, links: Mapping[str, str]) -> str | None:
    """The place in the hub that a path leads to, through any links; None if it leaves the hub or never ends."""
    steps, place, followed = path.split("/")[::-1], list[str](), 0
    while steps:
        step = steps.pop()
        if step in ("", "."):
            continue
        if step == "..":
            if not place:
                return None
            place.pop()
            continue
        place.append(step)
        target = links.get("/".join(place))
        if target is not None:
            followed += 1
            if target.startswith("/") or followed > MAX_LINK_STEPS:
                return None
            place.pop()
            steps += target.split("/")[::-1]
    return "/".join(place)


def _hidden_by(link: str, place: str, tree: _Tree, layout: Layout) -> str:
    """What the link hides, in words: what would be indexed in its place. Empty if nothing would."""
    if layout.kind_by_place(link) is not None and _has(tree.files, place):
        return "its target is" if place in tree.left_out else ""
    if any(is_within(link, folder) for folder in TEXT_FOLDERS):
        number, what = _count_below(tree.texts, place), "document"
    else:
        roots = [root[len(link) :] for root in layout.roots if root and is_within(root, link)]
        number, what = sum(_count_below(tree.skills, place + rest) for rest in roots or [""]), "skill"
    return f"{counted(number, what)} behind it {'is' if number == 1 else 'are'}" if number else ""


def _hiding(path: str, hidden: str) -> Problem:
    reason = f"not indexed: a symbolic link is never followed, and {hidden} not indexed elsewhere"
    fix = f"commit the files themselves here, or name their own folder in `roots` of {CONFIG_FILE}, or exclude the link"
    return Problem("error", path, 0, "symbolic-link-skipped", reason, fix)


def _leading_nowhere(paths: Sequence[str]) -> Problem:
    why = "missing from this commit, outside of the hub or in a submodule"
    if len(paths) == 1:
        reason = f"this symbolic link leads nowhere: its target is {why}"
    else:
        shown = ", ".join(paths[:_SHOWN_LINKS]) + (", …" if len(paths) > _SHOWN_LINKS else "")
        reason = f"{counted(len(paths), 'symbolic link')} lead nowhere ({shown}): their targets are {why}"
    fix = f"commit the files, or remove the link, or exclude it in {CONFIG_FILE}; `find -L . -type l` lists all"
    return Problem("warning", paths[0], 0, "symbolic-link-dangling", reason, fix)


def _has(paths: Sequence[str], path: str) -> bool:
    at = bisect_left(paths, path)
    return at < len(paths) and paths[at] == path


def _count_below(paths: Sequence[str], folder: str) -> int:
    """The number of the sorted paths in a folder; "" is the hub itself."""
    if not folder:
        return len(paths)
    return bisect_left(paths, folder + _AFTER_SLASH) - bisect_left(paths, f"{folder}/")
