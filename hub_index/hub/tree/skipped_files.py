"""Likely skills that a listing passes over, and settings that do nothing.

Last step of `select_files`, so that every omission is reported: names that are nearly right, submodules, roots without
a skill, excludes without effect. Files that cannot be judged by name are handed on: links, and SKILL.md files outside
of the default root. Pure.

Texts that may be misplaced skills are among them: `skills/flat.md`, and `skills/x/README.md` without a SKILL.md, judged
by names alone. Lists and notes beside skills (README, LICENSE, index), folders that group skills or belong to one, and
folders of other things get no hint.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from hub_index.hub.config import HubConfig, is_within
from hub_index.hub.config_values import CONFIG_FILE
from hub_index.hub.record_file import TEXT_FOLDERS, is_document_file, is_new_place, is_skill_file
from hub_index.hub.tree.ids import shown_name
from hub_index.hub.tree.layout import LINK, REGULAR_MODES, SUBMODULE, Layout, is_covered
from hub_index.limits import MAX_SINGLE_HINTS
from hub_index.models import Problem, TreeEntry

_CATALOGUE = "skills.md"  # above skills it is a list of them
_NEAR_NAMES = frozenset(
    (_CATALOGUE, "skill.markdown", "skill.md.txt", "skill.mdx", "skill.mdc", "skill.md.md", "skill.txt")
)
_USUAL_ROOT = "skills"  # looked into even where no SKILL.md made it a root
_NOTES = frozenset(
    ("about", "agents", "authors", "catalog", "catalogue", "changelog", "claude", "code-of-conduct", "code_of_conduct",
     "contents", "contributing", "contributors", "credits", "faq", "gemini", "glossary", "guide", "guidelines",
     "history", "index", "install", "installation", "license", "list", "notes", "notice", "overview", "registry",
     "roadmap", "security", "skills", "summary", "template", "toc", "todo", "usage")
)  # fmt: skip
_OTHER_FOLDERS = frozenset(
    ("archive", "assets", "bin", "common", "config", "data", "deprecated", "doc", "docs", "examples", "images", "img",
     "lib", "media", "node_modules", "references", "resources", "scripts", "shared", "src", "template", "templates",
     "test", "tests", "tools", "utils", "vendor")
)  # fmt: skip
_RENAME = "rename README.md to SKILL.md, with name and description between lines of '---'"


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
    problems += _empty_roots(tree.skills, layout) if config.roots is not None and "skill" in layout.types else []
    problems += _unused_excludes(excluded, layout)
    outside = [entry for entry in files if config.roots is None and _is_outside(entry.path, layout)]
    return Unindexed(problems, [entry for entry in hidden if entry.mode == LINK], outside)


def _is_outside(path: str, layout: Layout) -> bool:
    return is_skill_file(path) and layout.root_of(path) is None


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
    places = (*layout.roots, *TEXT_FOLDERS)
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


def report_nearly_skills(entries: Iterable[TreeEntry], skills: Sequence[str], layout: Layout) -> list[Problem]:
    """A hint for each text that would be a skill in another place; `skills` are the paths of all SKILL.md files."""
    roots = tuple(root or _USUAL_ROOT for root in layout.roots)
    places = tuple(f"{root}/" for root in roots)
    files = [entry.path for entry in entries if entry.path.startswith(places) and entry.mode in REGULAR_MODES]
    texts = [path for path in files if path[-3:].lower() == ".md"]
    texts = [path for path in texts if not layout.is_excluded(path) and not layout.is_in_output(path)]
    near = {path.rpartition("/")[0] for path in filter(is_near_name, files)}  # these are reported already
    own = {path.rpartition("/")[0] for path in skills} | near.difference(roots)  # in a root, SKILLS.md is a list
    around = {folder for path in own for folder in _with_folders_above(path)}
    flat = [path for path in texts if _is_flat(path, roots, own, around)]
    readmes = [path for path in texts if _is_alone(path, roots, own, around)]
    return _flat_hints(flat) + _readme_hints(_outermost(readmes))


def _is_flat(path: str, roots: Sequence[str], own: set[str], around: set[str]) -> bool:
    """Whether a text lies directly in a root and is neither a note about it nor belongs to a skill there."""
    folder, _, name = path.rpartition("/")
    return (
        folder in roots
        and folder not in own
        and path[:-3] not in around
        and (is_new_place(path) or not is_document_file(path))
        and not _is_note(name[:-3])
    )


def _is_note(stem: str) -> bool:
    """True for `README.zh`, `CODE_OF_CONDUCT`, `index`, `_draft`: names in capitals are a repository's own texts."""
    first = stem.partition(".")[0].lower()
    return not first or stem[0] in "._" or stem.isupper() or first in _NOTES or first.startswith(("readme", "license"))


def _is_alone(path: str, roots: Sequence[str], own: set[str], around: set[str]) -> bool:
    """Whether a README.md describes a folder in which, around which and below which there is no skill."""
    folder, _, name = path.rpartition("/")
    if name.lower() != "readme.md" or folder in roots or folder in around:
        return False
    root = next(root for root in roots if folder.startswith(f"{root}/"))
    steps = folder[len(root) + 1 :].split("/")
    above = set(_with_folders_above(folder)) - set(roots)
    return own.isdisjoint(above) and not any(step[:1] in "._" or step.lower() in _OTHER_FOLDERS for step in steps)


def _outermost(readmes: Sequence[str]) -> list[str]:
    """The README.md of each folder without the README.md of its subfolders."""
    folders = {path.rpartition("/")[0] for path in readmes}
    return [path for path in readmes if folders.isdisjoint(_with_folders_above(path.rpartition("/")[0])[:-1])]


def _flat_hints(paths: Sequence[str]) -> list[Problem]:
    if len(paths) > MAX_SINGLE_HINTS:
        folder = paths[0].rpartition("/")[0]
        fix = f"if they are skills, move each to {shown_name(folder)}/NAME/SKILL.md"
        return [_hint(folder, "file-flat", _counted(paths, "texts lie beside the skills' folders"), fix)]
    reason = "not indexed: a skill is a folder with a SKILL.md in it"
    return [_hint(path, "file-flat", reason, f"move it to {shown_name(path[:-3])}/SKILL.md") for path in paths]


def _readme_hints(paths: Sequence[str]) -> list[Problem]:
    if len(paths) > MAX_SINGLE_HINTS:
        folder = paths[0].rpartition("/")[0].rpartition("/")[0]
        reason, fix = _counted(paths, "folders have a README.md and no SKILL.md"), f"if they are skills, {_RENAME}"
        return [_hint(folder, "readme-only", reason, fix)]
    reason = "not indexed: its folder has no SKILL.md"
    return [_hint(path, "readme-only", reason, f"if it is a skill, {_RENAME}") for path in paths]


def _counted(paths: Sequence[str], what: str) -> str:
    return f"not indexed: {len(paths):,} {what} ({', '.join(map(shown_name, paths[:3]))}, …)"


def _hint(path: str, code: str, reason: str, fix: str) -> Problem:
    return Problem("advice", shown_name(path), 0, code, reason, fix)


def _with_folders_above(folder: str) -> list[str]:
    steps = folder.split("/")
    return ["/".join(steps[:end]) for end in range(1, len(steps) + 1)]
