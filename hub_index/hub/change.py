"""Two states of a hub → what changed between them: skills added, edited and removed, and new problems.

Each state is listed with its own settings, as builds before and after the change would list it. Unreadable settings of
the base do not block a change that repairs them.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from hub_index.errors import ConfigError, SourceError
from hub_index.hub.config import is_within
from hub_index.hub.config_values import CONFIG_FILE
from hub_index.hub.git.repository import Repository
from hub_index.hub.git.staging import has_head, list_staged
from hub_index.hub.inspection import FileInspection, inspect_files
from hub_index.hub.labels.label_problems import find_label_problems
from hub_index.hub.snapshot import HubState, read_tree
from hub_index.hub.tree.hub_folder import check_is_hub
from hub_index.hub.tree.ids import shown_name
from hub_index.models import Problem, SkillFile, TreeEntry

STAGED = ""  # the revision of the staged files


@dataclass(frozen=True, slots=True)
class RevisionRange:
    """`BASE..HEAD` or `BASE...HEAD`, as it was written; both mean what HEAD changed since it left BASE."""

    base: str
    head: str


@dataclass(frozen=True, slots=True)
class SkillChange:
    """One skill, workflow or command that is not as it was."""

    kind: Literal["added", "edited", "removed"]
    file: SkillFile  # of a removed one as it was
    inspected: FileInspection | None  # None: removed


@dataclass(frozen=True, slots=True)
class HubChange:
    """All changes, sorted by id; the base's own skills; and every problem of what changed."""

    base: HubState
    head: HubState
    skills: tuple[SkillChange, ...]
    problems: tuple[Problem, ...]
    index_files: tuple[str, ...]  # changed files in the folder of the published index


def parse_range(text: str) -> RevisionRange:
    """The two revisions of a range. Raises ConfigError; a side that is empty is a variable that was not set."""
    base, _, head = text.partition("..." if "..." in text else "..")
    if not base or not head or ".." in head:
        raise ConfigError(f"{shown_name(text)!r} is not a range: write BASE..HEAD, as in origin/main..HEAD")
    return RevisionRange(base, head)


def read_change(repo: Repository, asked: RevisionRange | None) -> HubChange:
    """The change in a range, or the staged change (None). Raises SourceError and ConfigError."""
    if repo.prefix:
        check_is_hub(repo.hub)
    if asked is None:
        base = repo.resolve_commit("HEAD") if has_head(repo) else STAGED
        before = _list_base(repo, base)
        return _compare(repo, (base, before), (STAGED, list_staged(repo, before)))
    head = repo.resolve_commit(asked.head)
    base = _where_it_left(repo, asked, head)
    return _compare(repo, (base, _list_base(repo, base)), (head, repo.list_tree(head)))


def _where_it_left(repo: Repository, asked: RevisionRange, head: str) -> str:
    """The commit from which HEAD left BASE: what BASE has got since then is not HEAD's doing."""
    merge_base = repo.merge_base(repo.resolve_commit(asked.base), head)
    if merge_base is None:
        cause = "this clone is shallow: fetch the whole history (`git fetch --unshallow`, `fetch-depth: 0`)"
        raise SourceError(
            f"{asked.base!r} and {asked.head!r} have no commit in common: "
            f"{cause if repo.shallow else 'name two branches of one history'}"
        )
    return merge_base


def _list_base(repo: Repository, base: str) -> list[TreeEntry]:
    """The base's entries; none before the first commit, or where the hub's folder is new."""
    return repo.list_tree(base) if base and repo.holds_hub(base) else []


def _compare(
    repo: Repository, base: tuple[str, Sequence[TreeEntry]], head: tuple[str, Sequence[TreeEntry]]
) -> HubChange:
    after = read_tree(repo, *head)
    try:
        before = read_tree(repo, *base)
    except ConfigError:
        before = read_tree(repo, *base, config=after.config)
    paths = {shown_name(entry.path) for entry in set(head[1]).difference(base[1])}
    skills = tuple(_changes(repo, before.snapshot.files, after.snapshot.files))
    old_problems = set(before.snapshot.problems)
    problems = [problem for problem in after.snapshot.problems if problem not in old_problems or problem.path in paths]
    problems += _new_outside(before, after, paths)
    problems += find_label_problems(repo, (before, base[1]), (after, head[1]))
    problems += [problem for skill in skills if skill.inspected for problem in skill.inspected.problems]
    return HubChange(before, after, skills, tuple(problems), _index_files(before, set(base[1]) ^ set(head[1])))


def _index_files(before: HubState, changed: Iterable[TreeEntry]) -> tuple[str, ...]:
    """The files of the index that the base publishes, added, edited and removed alike."""
    return tuple(sorted({entry.path for entry in changed if is_within(entry.path, before.config.output)}))


def _changes(repo: Repository, before: Iterable[SkillFile], after: Sequence[SkillFile]) -> Iterator[SkillChange]:
    old = {file.id: file for file in before}
    changed = [
        file for file in after if file.id not in old or (old[file.id].file, old[file.id].blob) != (file.file, file.blob)
    ]
    changes = [
        SkillChange("edited" if inspected.file.id in old else "added", inspected.file, inspected)
        for inspected in inspect_files(repo, changed, frozenset(file.path for file in after))
    ]
    changes += [SkillChange("removed", old[gone], None) for gone in old.keys() - {file.id for file in after}]
    return iter(sorted(changes, key=lambda change: change.file.id))


def _new_outside(before: HubState, after: HubState, changed: set[str]) -> list[Problem]:
    """Advice for each new skill outside of the hub's roots: it will not be indexed."""
    earlier = {file.file for file in (*before.snapshot.files, *before.snapshot.outside)}
    roots = ", ".join(f"{root}/" for root in after.config.roots or ())
    return [
        Problem(
            "advice",
            shown_name(file.file),
            0,
            "outside-roots",
            f"not indexed: it lies outside {roots}",
            f"move it there, or name its folder in `roots` in {CONFIG_FILE}",
        )
        for file in after.snapshot.outside
        if file.file not in earlier and shown_name(file.file) in changed
    ]
