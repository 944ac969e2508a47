"""Problems that a change makes for the index: lost skills, and edited index files."""

from hub_index.errors import IndexUnusable
from hub_index.hub.change import HubChange
from hub_index.hub.config_values import CONFIG_FILE
from hub_index.hub.git.repository import Repository
from hub_index.hub.skill.problems import listed
from hub_index.hub.tree.ids import shown_name
from hub_index.index.format.verify import VerifiedIndex, check_digests
from hub_index.index.gates.shrink import IF_MEANT, loss_sentence
from hub_index.index.publish.committed import read_committed
from hub_index.index.rows import row_of
from hub_index.models import Problem
from hub_index.record import Record

_SHOWN_FILES = 3


def find_gate_problems(repo: Repository, change: HubChange, index: VerifiedIndex | None) -> list[Problem]:
    """The problems for which a build after this change would fail, or which it would repair; `index` is the base's."""
    problems = [_lost_skills(change, index) if index is not None else None, _edited_index(repo, change)]
    return [problem for problem in problems if problem is not None]


def _lost_skills(change: HubChange, index: VerifiedIndex) -> Problem | None:
    """The gate's own verdict on this change alone: of what the base had lost before, its author knows nothing."""
    gone = next((skill.file for skill in change.skills if skill.kind == "removed"), None)
    if gone is None:
        return None
    base_ids = {file.id for file in change.base.snapshot.files}
    old = [record for record in index.records if record.id in base_ids]
    loss = loss_sentence(_records_after(change, old), old, len(old), change.head)
    if not loss:
        return None
    is_by_settings = change.base.config != change.head.config
    place = CONFIG_FILE if is_by_settings else shown_name(gone.file)
    return Problem("warning", place, 0, "shrinks", f"a build would be refused: {loss}", IF_MEANT)


def _records_after(change: HubChange, old: list[Record]) -> list[Record]:
    """The hub's records after the change: new ones of changed files, the index's own of all others."""
    changed = {skill.file.id for skill in change.skills}
    inspected = (skill.inspected for skill in change.skills if skill.inspected is not None)
    new = [row_of(inspection.skill).record for inspection in inspected if inspection.skill is not None]
    return [record for record in old if record.id not in changed] + new


def _edited_index(repo: Repository, change: HubChange) -> Problem | None:
    """A Problem if the change edits the published index, which only a build may write."""
    if not change.index_files:
        return None
    files = [shown_name(path) for path in change.index_files]
    reason = f"files of the published index are changed: {listed(files, _SHOWN_FILES)}"
    fix = "leave them as they were: the next build writes them"
    if damage := _damage(repo, change):
        return Problem("warning", files[0], 0, "index-edited", f"{reason}, and {damage}", fix)
    return Problem("advice", files[0], 0, "index-edited", reason, fix)


def _damage(repo: Repository, change: HubChange) -> str:
    """Why the changed index could not be used; empty for one that was built for this very state, or only staged."""
    head = change.head
    if not head.snapshot.revision:
        return ""
    files = read_committed(repo, head.snapshot.revision, head.config.output)
    if files is None:
        return "there is no index any more"
    try:
        manifest = check_digests(files)
    except IndexUnusable as error:
        return f"what is there cannot be used ({str(error).partition('; ')[0]})"
    is_fitting = manifest.source_digest == head.snapshot.source_digest
    return "" if is_fitting else "what is there was not built from these skills"
