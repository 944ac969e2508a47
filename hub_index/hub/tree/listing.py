"""Tree entries → the files to index, each with its id, and every problem of the tree itself.

Pure: works on any list of entries, from git or from a walk over a folder. Left-out files have a Problem: names that
cannot be ids (F13), names that differ only in case (F14). Links (F12) and skills outside of the root are handed on.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from hub_index.hub.config import HubConfig
from hub_index.hub.record_file import (
    ROOT_PATH,
    document_folder,
    document_id,
    is_document_id,
    is_new_place,
    is_skill_file,
)
from hub_index.hub.tree.ids import resolve_duplicates, shown_name, skill_id, why_refused
from hub_index.hub.tree.layout import LINK, REGULAR_MODES, Kind, Layout, layout_of, settle_roots
from hub_index.hub.tree.left_out import LeftOut, is_left_note, is_template, report_left_out
from hub_index.hub.tree.skipped_files import TreePaths, is_notable, report_nearly_skills, review_unindexed
from hub_index.models import Problem, SkillFile, TreeEntry


@dataclass(frozen=True, slots=True)
class Listing:
    """The files of a tree that become records, sorted by id, and what is wrong with the tree."""

    files: tuple[SkillFile, ...]
    problems: tuple[Problem, ...]
    links: tuple[TreeEntry, ...]  # never followed; where they lead says whether that is a problem
    outside: tuple[SkillFile, ...]  # would be indexed in another place, and no indexed file has their bytes


def select_files(entries: Iterable[TreeEntry], config: HubConfig) -> Listing:
    """The files to index. Every candidate that is not among them is in another part, unless the hub excludes it."""
    entries = list(entries)
    layout = layout_of(settle_roots(config, entries))
    files: list[SkillFile] = []
    problems: list[Problem] = []
    refused: list[str] = []
    excluded: list[str] = []
    passed: list[TreeEntry] = []
    links: list[TreeEntry] = []
    notes: list[str] = []
    for entry in entries:
        kind = layout.kind_by_place(entry.path)
        if kind is None:
            if is_notable(entry):
                passed.append(entry)
            elif is_left_note(entry):
                (excluded if layout.is_excluded(entry.path) else notes).append(entry.path)
        elif layout.is_excluded(entry.path):
            excluded.append(entry.path)
        elif entry.mode == LINK and not layout.is_in_output(entry.path):
            links.append(entry)
            if kind == "skill":
                refused.append(entry.path)
        elif problem := _why_not(entry, file := _skill_file(entry, kind, layout), layout):
            problems.append(problem)
            if kind == "skill":
                refused.append(entry.path)
        else:
            files.append(file)
    skills = [file.file for file in files if file.kind == "skill"] + refused
    unindexed = review_unindexed(TreePaths(skills, excluded, passed), config, layout)
    problems += report_nearly_skills(entries, [*skills, *excluded], layout)
    beside = _beside_skills(files, entries)
    resolved = resolve_duplicates([file for file in files if file.file not in beside] if beside else files)
    templates = [entry.path for entry in unindexed.outside if is_template(entry.path)]
    problems += [*unindexed.problems, *resolved.problems, *report_left_out(LeftOut(notes, sorted(beside), templates))]
    others = [entry for entry in unindexed.outside if not is_template(entry.path)]
    outside = _distinct_outside(others, resolved.files, layout)
    return Listing(tuple(resolved.files), tuple(problems), (*links, *unindexed.links), outside)


def _beside_skills(files: Iterable[SkillFile], entries: Iterable[TreeEntry]) -> frozenset[str]:
    """The texts among a plugin's or the hub's agents that belong to a skill's folder in there."""
    texts = [file.file for file in files if file.kind == "document" and is_new_place(file.file)]
    if not texts:
        return frozenset()
    own = {entry.path.rpartition("/")[0] for entry in entries if is_skill_file(entry.path)}
    return frozenset([path for path in texts if not own.isdisjoint(_folders_of(path))])


def _folders_of(path: str) -> list[str]:
    """The folders around a text, from its folder of documents on."""
    top = document_folder(path).count("/") + 1
    steps = path.split("/")
    return ["/".join(steps[:end]) for end in range(top, len(steps))]


def _distinct_outside(
    entries: Iterable[TreeEntry], files: Iterable[SkillFile], layout: Layout
) -> tuple[SkillFile, ...]:
    """The skills among these that could be indexed where they are, without copies of indexed files."""
    indexed = {file.blob for file in files}
    outside = (_skill_file(entry, "skill", layout) for entry in entries if entry.blob not in indexed)
    return tuple(file for file in outside if not _refusal(file))


def source_digest(files: Iterable[SkillFile]) -> str:
    """One digest over path and blob of all indexed files: equal means that no file has changed."""
    return blobs_digest({file.file: file.blob for file in files})


def blobs_digest(blobs: Mapping[str, str]) -> str:
    """The source_digest of {file: blob}."""
    return lines_digest(sorted_lines(blobs.items()))


def sorted_lines(blobs: Iterable[tuple[str, str]]) -> list[bytes]:
    """A line without its line feed for each file and its blob, in the order in which they are hashed."""
    lines = [f"{file}\0{blob}" for file, blob in blobs]
    if (joined := "\n".join(sorted(lines))).isascii():  # each line by itself takes five times as long
        return joined.encode().split(b"\n") if lines else []
    return sorted([line.encode("utf-8", "surrogateescape") for line in lines])


def lines_digest(lines: Sequence[bytes]) -> str:
    """The source_digest of the lines."""
    hashed = b"\n".join([*lines, b""])  # with a line feed after the last one, too
    return f"sha256:{hashlib.sha256(hashed).hexdigest()}"


def _skill_file(entry: TreeEntry, kind: Kind, layout: Layout) -> SkillFile:
    folder = entry.path.rpartition("/")[0]
    if kind == "document":
        identity = document_id(entry.path)
    else:
        root = layout.root_of(entry.path) or ""
        identity = skill_id(folder, root, keeps_root=root != layout.roots[0])
    return SkillFile(identity, folder or ROOT_PATH, entry.path, kind, entry.blob, entry.size)


def _why_not(entry: TreeEntry, file: SkillFile, layout: Layout) -> Problem | None:
    """The problem that keeps a candidate out of the index."""
    if layout.is_in_output(entry.path):
        code, reason = "in-index-folder", f"{layout.output} is the folder of the index itself"
        fix = "move the skill, or choose another folder as output in hub-index.toml"
    elif entry.mode not in REGULAR_MODES:
        code, reason, fix = "not-a-file", "it is a submodule, which is never followed", "commit the file itself instead"
    elif reason := _refusal(file):
        code, fix = "name-refused", "rename the folder: any visible letters, digits, hyphens and spaces will do"
    else:
        return None
    return Problem("error", shown_name(entry.path), 0, code, f"not indexed: {reason}", fix)


def _refusal(file: SkillFile) -> str:
    if file.kind == "skill":
        is_taken = is_document_id(file.id)
        return why_refused(file.id, file.path) or (
            f"{file.id!r} belongs to a workflow, command or agent" if is_taken else ""
        )
    if ":" in file.file:
        return "a colon already separates the folders in the id of a workflow, command or agent"
    return why_refused(file.file[: -len(".md")], file.path)
