"""The gate for hubs that shrink: a bad merge or a wrong root removes skills without a warning."""

from collections.abc import Sequence

from hub_index.errors import ShrinkRefused
from hub_index.hub.config import DEFAULT_ROOT
from hub_index.hub.config_values import CONFIG_FILE
from hub_index.hub.skill.problems import counted, listed
from hub_index.hub.snapshot import HubState
from hub_index.hub.tree.roots import OutsideSkills, shortest_roots
from hub_index.hub.uncommitted import uncommitted_notice
from hub_index.index.draft import Draft
from hub_index.index.previous import PreviousLookup
from hub_index.record import Record

_FEWEST_LOST = 5  # fewer are a morning's tidying, whatever their share
_SHOWN_IDS = 10
IF_MEANT = "if that is intentional, build with --allow-shrink"


def check_shrink(draft: Draft, previous: PreviousLookup, state: HubState, uncommitted: Sequence[str]) -> None:
    """Raises ShrinkRefused for an empty index, one of less than half of the previous skills (F17), or a great loss."""
    if draft.count == 0 and uncommitted:
        raise ShrinkRefused(f"the hub has no skill in its commits: {uncommitted_notice(uncommitted)}")
    if draft.count == 0:
        had_skills = previous.manifest is not None and previous.manifest.count
        way = "--allow-shrink writes an empty index" if had_skills else "commit one as skills/NAME/SKILL.md, then build"
        raise ShrinkRefused(f"the hub has no skill that can be indexed{_where(state)}; {way}")
    if draft.old is not None and not draft.plan.removed:
        return
    before = previous.manifest.count or 0 if previous.manifest else 0
    loss = loss_sentence(draft.records, draft.old.records if draft.old else (), before, state)
    if loss:
        raise ShrinkRefused(f"{loss}; {IF_MEANT}")


def loss_sentence(records: Sequence[Record], old: Sequence[Record], before: int, state: HubState) -> str:
    """The loss that a build of these records would mean for an index of `before` skills; empty if it is allowed.

    A removed skill is not lost while its text lives on under another id: it was moved, or was a copy.
    """
    lost = _lost_records(records, old)
    if len(records) * 2 < before:
        what = f"only {len(records)} of the previous index's {counted(before, 'skill')} would be left"
    elif len(lost) >= _FEWEST_LOST and len(lost) / len(old) > state.config.max_loss:
        what = f"{len(lost)} of the previous index's {counted(len(old), 'skill')} would be lost"
    else:
        return ""
    named = f": {listed([record.id for record in lost], _SHOWN_IDS)}" if lost else ""
    return f"{what}{named}{_hidden(lost, state)}"


def _where(state: HubState) -> str:
    """Where skills were looked for, if not in the whole hub: a root may be misspelt, or gone."""
    roots = [f"{root}/" for root in state.config.roots or () if root]
    return f" in {listed(roots, _SHOWN_IDS)} (`roots` in {CONFIG_FILE} says where to look)" if roots else ""


def _lost_records(records: Sequence[Record], old: Sequence[Record]) -> list[Record]:
    """The previous records whose id and text are both gone."""
    ids = {record.id for record in records}
    gone = [record for record in old if record.id not in ids]
    texts = {record.text_hash for record in records} if gone else set()
    return [record for record in gone if record.text_hash not in texts]


def _hidden(lost: Sequence[Record], state: HubState) -> str:
    """The setting that brings back lost skills if only a `skills/` folder hides them; else empty."""
    paths = {record.path for record in lost}
    hidden = [file for file in state.snapshot.outside if file.path in paths]
    if not hidden:
        return ""
    setting = OutsideSkills(len(hidden), shortest_roots([file.file] for file in hidden)).setting()
    return (
        f"; a {DEFAULT_ROOT}/ folder now hides {len(hidden)} of them, since only that is searched where no roots are "
        f"set: `{setting}` in {CONFIG_FILE} brings them back"
    )
