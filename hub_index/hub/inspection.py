"""A whole hub looked over: every file parsed, every complaint collected; what `hub-index lint` prints."""

from pathlib import Path

from hub_index.hub.git import open_repository
from hub_index.hub.lint import check_copies, check_specification
from hub_index.hub.skill import parse_skill
from hub_index.hub.snapshot import read_contents, read_hub
from hub_index.models import Problem, Skill, SkillFile


def lint_hub(hub: Path, rev: str = "HEAD") -> list[Problem]:
    """All problems of a hub at a revision. Raises SourceError."""
    repo = open_repository(hub)
    snapshot = read_hub(repo, rev).snapshot
    problems = list(snapshot.problems)
    skills: list[tuple[SkillFile, Skill]] = []
    for file, content in read_contents(repo, snapshot.files):
        if isinstance(content, Problem):
            problems.append(content)
            continue
        parsed = parse_skill(file, content)
        problems.extend(parsed.problems)
        if parsed.skill is not None:
            skills.append((file, parsed.skill))
            problems.extend(check_specification(file, parsed.skill))
    return problems + check_copies(skills)
