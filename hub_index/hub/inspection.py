"""Files of a revision, read, parsed and checked one at a time; and a whole hub looked over, for `hub-index lint`."""

from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from pathlib import Path

from hub_index.hub.git.repository import Repository, open_repository
from hub_index.hub.labels.label_files import find_missing
from hub_index.hub.lint import check_copies, check_specification, one_per_cause
from hub_index.hub.outside import IndexedText, read_outside
from hub_index.hub.skill.skill import NOTHING_WRITTEN, WrittenLines, parse_skill
from hub_index.hub.snapshot import read_contents, read_hub
from hub_index.hub.text import embedding_text
from hub_index.hub.tree.roots import OutsideSkills
from hub_index.hub.uncommitted import uncommitted_files
from hub_index.models import Problem, Skill, SkillFile


@dataclass(frozen=True, slots=True)
class FileInspection:
    """The skill in one file and all problems of the file; `skill` is None if nothing in it is readable."""

    file: SkillFile
    skill: Skill | None
    problems: tuple[Problem, ...]
    lines: WrittenLines = NOTHING_WRITTEN


def inspect_files(
    repo: Repository, files: Iterable[SkillFile], taken: AbstractSet[str] = frozenset()
) -> Iterator[FileInspection]:
    """Each file, one in memory at a time; no advice names a folder that is taken. Raises SourceError."""
    for file, content in read_contents(repo, files):
        if isinstance(content, Problem):
            yield FileInspection(file, None, (content,))
            continue
        parsed = parse_skill(file, content)
        advice = check_specification(file, parsed.skill, parsed.lines, taken) if parsed.skill is not None else []
        yield FileInspection(file, parsed.skill, one_per_cause(parsed.problems, advice), parsed.lines)


@dataclass(frozen=True, slots=True)
class HubInspection:
    """All problems of a hub at a revision, what its roots leave out, and which skills are not committed."""

    problems: list[Problem]
    outside: OutsideSkills
    uncommitted: tuple[str, ...]


def inspect_hub(hub: Path, rev: str = "HEAD") -> HubInspection:
    """A whole hub, every file of it read. Raises SourceError."""
    repo = open_repository(hub)
    with uncommitted_files(repo, rev) as uncommitted:
        state = read_hub(repo, rev)
        problems = list(state.snapshot.problems)
        texts: list[IndexedText] = []
        described: list[tuple[SkillFile, Skill, int]] = []
        taken = frozenset(file.path for file in state.snapshot.files)
        for inspected in inspect_files(repo, state.snapshot.files, taken):
            problems.extend(inspected.problems)
            skill = inspected.skill
            if skill is not None:
                texts.append(IndexedText(skill.path, embedding_text(skill).text_hash, skill.lang))
                if inspected.lines.description:
                    described.append((inspected.file, skill, inspected.lines.description))
        outside = read_outside(repo, state.snapshot, texts)
        problems += [*outside.problems(), *check_copies(described), *find_missing(repo, state)]
        return HubInspection(problems, outside, uncommitted.find_skills(state.config))
