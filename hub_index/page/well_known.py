"""`.well-known/agent-skills/` beside the page, from the commit: the rules are service/well_known's."""

import os
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from hub_index.export.well_known import PLACE, Collected, make_artifact, why_not_served
from hub_index.hub.git.repository import Repository
from hub_index.hub.record_file import is_skill_file
from hub_index.hub.skill.problems import counted, listed
from hub_index.hub.tree.layout import REGULAR_MODES
from hub_index.limits import MAX_PAGE_WELL_KNOWN_BYTES, MAX_SKILL_FILES, MAX_SKILL_FOLDER_BYTES
from hub_index.models import TreeEntry
from hub_index.page.content import SkillPage

_SHOWN_SKILLS = 3
_TOO_LARGE = "the hub's skills are too large to stand beside the page, which is without .well-known/agent-skills"


@dataclass(frozen=True, slots=True)
class WellKnown:
    """The files by their path from the site's root, and notices on the missing ones."""

    files: Mapping[str, bytes]
    notices: tuple[str, ...] = ()


def encode_well_known(repo: Repository, skills: Sequence[SkillPage], tree: Iterable[TreeEntry]) -> WellKnown:
    """The index of a commit's skills, and the skills as it names them. Raises SourceError."""
    folders = _files_by_skill(tree)
    wanted = [(page, _served(page, folders)) for page in skills if page.kind == "skill"]
    if sum(entry.size for _, entries in wanted for entry in entries.values()) > MAX_PAGE_WELL_KNOWN_BYTES:
        return WellKnown({}, (_TOO_LARGE,))
    blobs = repo.read_blobs(entry.blob for _, entries in wanted for entry in entries.values())
    collected = Collected()
    files: dict[str, bytes] = {}
    for page, entries in wanted:
        contents = {path: next(blobs)[1] for path in entries}
        artifact_or_reason = why_not_served(page.record) or make_artifact(
            page.record, os.path.basename(page.file), contents
        )
        artifact = collected.take(page.record.id, artifact_or_reason)
        if artifact is not None:
            files[f"{PLACE}/{artifact.file}"] = artifact.content
    name, content = collected.encode_index()
    files[f"{PLACE}/{name}"] = content
    left = collected.left_out
    notice = f"{counted(len(left), 'skill')} left out of {PLACE}: {listed(left, _SHOWN_SKILLS)}"
    return WellKnown(files, (notice,) if left else ())


def _served(page: SkillPage, folders: Mapping[str, Mapping[str, TreeEntry]]) -> Mapping[str, TreeEntry]:
    """The files of a skill that are read; none if it cannot be served anyway."""
    entries = folders.get(os.path.dirname(page.file), {})
    size = sum(entry.size for entry in entries.values())
    is_too_much = len(entries) > MAX_SKILL_FILES or size > MAX_SKILL_FOLDER_BYTES
    return {} if is_too_much or why_not_served(page.record) else entries


def _files_by_skill(tree: Iterable[TreeEntry]) -> dict[str, dict[str, TreeEntry]]:
    """Each skill's folder with its files, by their path from there: a file belongs to the nearest skill above it."""
    regular = [entry for entry in tree if entry.mode in REGULAR_MODES]
    folders: dict[str, dict[str, TreeEntry]] = defaultdict(dict)
    skills = {os.path.dirname(entry.path) for entry in regular if is_skill_file(entry.path)}
    for entry in regular:
        folder = os.path.dirname(entry.path)
        while folder not in skills and folder:
            folder = os.path.dirname(folder)
        below = entry.path[len(folder) + 1 :] if folder else entry.path
        if folder in skills and not any(part.startswith(".") for part in below.split("/")):
            folders[folder][below] = entry
    return folders
