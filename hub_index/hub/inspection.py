"""Files of a revision, read, parsed and checked one at a time; and a whole hub looked over, for `hub-index lint`."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from hub_index.hub.git.repository import Repository, open_repository
from hub_index.hub.lint import check_copies, check_specification
from hub_index.hub.skill.skill import parse_skill
from hub_index.hub.snapshot import read_contents, read_hub
from hub_index.hub.uncommitted import uncommitted_files
from hub_index.models import Problem, Skill, SkillFile, Snapshot


@dataclass(frozen=True, slots=True)
class FileInspection:
    """What one file says, and everything that is wrong with it; no skill where nothing readable is left."""

    file: SkillFile
    skill: Skill | None
    problems: tuple[Problem, ...]


def inspect_files(repo: Repository, files: Iterable[SkillFile]) -> Iterator[FileInspection]:
    """Each file, one in memory at a time. Raises SourceError."""
    for file, content in read_contents(repo, files):
        if isinstance(content, Problem):
            yield FileInspection(file, None, (content,))
            continue
        parsed = parse_skill(file, content)
        advice = check_specification(file, parsed.skill) if parsed.skill is not None else ()
        yield FileInspection(file, parsed.skill, (*parsed.problems, *advice))


@dataclass(frozen=True, slots=True)
class HubInspection:
    """All problems of a hub, and how many of its skills were not looked at, since they are not committed."""

    problems: list[Problem]
    uncommitted: int


def lint_hub(hub: Path, rev: str = "HEAD") -> HubInspection:
    """A hub at a revision, looked over. Raises SourceError."""
    repo = open_repository(hub)
    with uncommitted_files(repo, rev) as uncommitted:
        state = read_hub(repo, rev)
        return HubInspection(_problems_of(repo, state.snapshot), uncommitted.count_skills(state.config))


def _problems_of(repo: Repository, snapshot: Snapshot) -> list[Problem]:
    problems = list(snapshot.problems)
    skills: list[tuple[SkillFile, Skill]] = []
    for inspected in inspect_files(repo, snapshot.files):
        problems.extend(inspected.problems)
        if inspected.skill is not None:
            skills.append((inspected.file, inspected.skill))
    return problems + check_copies(skills)
