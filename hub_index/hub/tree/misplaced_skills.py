"""Texts that may be misplaced skills: `skills/flat.md`, and `skills/x/README.md` without a SKILL.md.

Part of `select_files`; pure. Judges by names alone: lists and notes beside skills (README, LICENSE, index), folders
that group skills or belong to one, and folders of other things get no hint.
"""

from collections.abc import Iterable, Sequence

from hub_index.hub.record_file import is_document_file
from hub_index.hub.tree.ids import shown_name
from hub_index.hub.tree.layout import REGULAR_MODES, Layout
from hub_index.hub.tree.skipped_files import is_near_name
from hub_index.limits import MAX_SINGLE_HINTS
from hub_index.models import Problem, TreeEntry

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
        and not is_document_file(path)
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
