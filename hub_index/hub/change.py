"""Two states of a hub → what changed between them: skills added, edited and removed, and new problems.

Each state is listed with its own settings, as builds before and after the change would list it. Unreadable settings of
the base do not block a change that repairs them.

A change's problems include its effect on labelled queries: unreadable or removed files, and queries for missing skills.
"""

from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Literal

from hub_index.errors import ConfigError, SourceError
from hub_index.hub.config import is_within
from hub_index.hub.config_values import CONFIG_FILE
from hub_index.hub.file_risks import find_file_risks
from hub_index.hub.git.repository import Repository
from hub_index.hub.git.staging import has_head, list_staged
from hub_index.hub.inspection import FileInspection, inspect_files
from hub_index.hub.labels.label_files import HubLabels, find_labels
from hub_index.hub.labels.labels import LabelledQuery, LabelsWrong
from hub_index.hub.skill.problems import counted, listed
from hub_index.hub.snapshot import HubState, read_tree
from hub_index.hub.tree.hub_folder import check_is_hub
from hub_index.hub.tree.ids import shown_name
from hub_index.models import Problem, SkillFile, TreeEntry
from hub_index.risks.risk import Risk

STAGED = ""  # the revision of the staged files
_SHOWN_IDS = 3


@dataclass(frozen=True, slots=True)
class RevisionRange:
    """`BASE..HEAD` or `BASE...HEAD`, as it was written; both mean what HEAD changed since it left BASE."""

    base: str
    head: str


@dataclass(frozen=True, slots=True)
class SkillChange:
    """One skill, workflow, command or agent that is not as it was."""

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
    risks: tuple[Risk, ...] = ()  # of changed files, those beside a skill's own included


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
    changed = set(head[1]).difference(base[1])
    risks = tuple(finding.risk for finding in find_file_risks(repo, after.snapshot.files, changed))
    return HubChange(before, after, skills, tuple(problems), _index_files(before, set(base[1]) ^ set(head[1])), risks)


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


def find_label_problems(
    repo: Repository, before: tuple[HubState, Sequence[TreeEntry]], after: tuple[HubState, Sequence[TreeEntry]]
) -> list[Problem]:
    """The problems of what a change did, between two states and their trees; of what it left alone there are none."""
    old, old_error = _find(repo, *before)
    new, new_error = _find(repo, *after)
    file, line = shown_name(after[0].config.queries), 0
    if new_error or new.notice:
        if (str(new_error), new.notice) == (str(old_error), old.notice):
            return []
        if isinstance(new_error, LabelsWrong):
            file, line = shown_name(new_error.file), new_error.line
        fix = "write both files as docs/hub-ci.md says, or remove both"
        return [Problem("error", file, line, "labels", str(new_error or new.notice), fix)]
    if old.queries and not new.queries:
        reason = "the hub's labelled queries are removed: no later index is judged by them"
        fix = "keep the files; if they are not wanted any more, merge it knowingly"
        return [Problem("warning", file, 0, "labels-removed", reason, fix)]
    missing = _missing(new.queries, after[0]) - _missing(old.queries, before[0])
    if not missing:
        return []
    asked = f"{counted(len(missing), 'skill')} that the hub does not have: {listed(sorted(missing), _SHOWN_IDS)}"
    fix = f"write the new ids into {shown_name(after[0].config.qrels)}, or remove their lines"
    return [Problem("advice", shown_name(after[0].config.qrels), 0, "labels-unknown", f"labels ask for {asked}", fix)]


def _find(repo: Repository, state: HubState, entries: Sequence[TreeEntry]) -> tuple[HubLabels, ConfigError | None]:
    try:
        return find_labels(repo, state.config, entries), None
    except ConfigError as error:
        return HubLabels(), error


def _missing(queries: Sequence[LabelledQuery], state: HubState) -> AbstractSet[str]:
    """The ids that labels name and that no file of the hub has."""
    named = {id_ for query in queries for id_, grade in query.grades.items() if grade > 0}
    return named - {file.id for file in state.snapshot.files}
