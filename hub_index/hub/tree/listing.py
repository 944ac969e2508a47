"""Tree entries → the files to index, each with its id, and every problem of the tree itself.

Pure: works on any list of entries, from git or from a walk over a folder. What is left out has a
Problem: links (F12), names that cannot be ids (F13), names that differ only in case (F14).
"""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass

from hub_index.hub.config import HubConfig
from hub_index.hub.tree.duplicate_ids import resolve_duplicates
from hub_index.hub.tree.ids import shown_name, skill_id, why_refused
from hub_index.hub.tree.layout import Kind, Layout, layout_of, settle_roots
from hub_index.hub.tree.nearly_skills import report_nearly_skills
from hub_index.hub.tree.record_file import ROOT_PATH, document_id
from hub_index.hub.tree.unindexed import LINK, REGULAR_MODES, TreePaths, is_notable, report_unindexed
from hub_index.models import Problem, SkillFile, TreeEntry

__all__ = ["REGULAR_MODES", "Listing", "select_files", "source_digest"]


@dataclass(frozen=True, slots=True)
class Listing:
    """The files of a tree that become records, sorted by id, and what is wrong with the tree."""

    files: tuple[SkillFile, ...]
    problems: tuple[Problem, ...]


def select_files(entries: Iterable[TreeEntry], config: HubConfig) -> Listing:
    """The files to index. Every candidate that is not among them has a Problem, unless the hub excludes it."""
    entries = list(entries)
    layout = layout_of(settle_roots(config, entries))
    files: list[SkillFile] = []
    problems: list[Problem] = []
    refused: list[str] = []
    excluded: list[str] = []
    passed: list[TreeEntry] = []
    for entry in entries:
        kind = layout.kind_by_place(entry.path)
        if kind is None:
            if is_notable(entry):
                passed.append(entry)
        elif layout.is_excluded(entry.path):
            excluded.append(entry.path)
        elif problem := _why_not(entry, file := _skill_file(entry, kind, layout), layout):
            problems.append(problem)
            if kind == "skill":
                refused.append(entry.path)
        else:
            files.append(file)
    skills = [file.file for file in files if file.kind == "skill"] + refused
    problems += report_unindexed(TreePaths(skills, excluded, passed), config, layout)
    problems += report_nearly_skills(entries, [*skills, *excluded], layout)
    resolved = resolve_duplicates(files)
    problems += resolved.problems
    problems.sort(key=lambda problem: (problem.path, problem.code))
    return Listing(tuple(resolved.files), tuple(problems))


def source_digest(files: Iterable[SkillFile]) -> str:
    """One digest over path and blob of all indexed files: equal means that no file has changed."""
    lines = sorted(f"{file.file}\0{file.blob}\n".encode("utf-8", "surrogateescape") for file in files)
    return f"sha256:{hashlib.sha256(b''.join(lines)).hexdigest()}"


def _skill_file(entry: TreeEntry, kind: Kind, layout: Layout) -> SkillFile:
    folder = entry.path.rpartition("/")[0]
    if kind == "document":
        identity = document_id(entry.path)
    else:
        root = layout.root_of(entry.path) or ""
        identity = skill_id(folder, root, keeps_root=root != layout.roots[0])
    return SkillFile(identity, folder or ROOT_PATH, entry.path, kind, entry.blob, entry.size)


def _why_not(entry: TreeEntry, file: SkillFile, layout: Layout) -> Problem | None:
    """What keeps a candidate out of the index."""
    if layout.is_in_output(entry.path):
        code, reason = "in-index-folder", f"{layout.output} is the folder of the index itself"
        fix = "move the skill, or choose another folder as output in hub-index.toml"
    elif entry.mode not in REGULAR_MODES:
        what = "a symbolic link" if entry.mode == LINK else "a submodule"
        code, reason, fix = "not-a-file", f"it is {what}, which is never followed", "commit the file itself instead"
    elif reason := _refusal(file):
        code, fix = "name-refused", "rename the folder: any visible letters, digits, hyphens and spaces will do"
    else:
        return None
    return Problem("error", shown_name(entry.path), 0, code, f"not indexed: {reason}", fix)


def _refusal(file: SkillFile) -> str:
    if file.kind == "skill":
        return why_refused(file.id, file.path)
    if ":" in file.file:
        return "a colon already separates the folders in the id of a workflow or command"
    return why_refused(file.file[: -len(".md")], file.path)
