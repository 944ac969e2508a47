"""The effect of a change on a hub's labelled queries: unreadable or removed files, and queries for missing skills."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from hub_index.errors import ConfigError
from hub_index.hub.git.repository import Repository
from hub_index.hub.labels.label_files import HubLabels, find_labels
from hub_index.hub.labels.labels import LabelledQuery, LabelsWrong
from hub_index.hub.skill.problems import counted, listed
from hub_index.hub.snapshot import HubState
from hub_index.hub.tree.ids import shown_name
from hub_index.models import Problem, TreeEntry

_SHOWN_IDS = 3


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
