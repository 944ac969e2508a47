"""A change of a hub → a report for its author: problems, what a build would embed, the nearest existing skills.

Writes only vectors, into the user's cache. It takes texts from the change and the index from the base, because a
stranger's branch may carry any index.
"""

import os
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from hub_index.embedding.axon_lift import lifted_space, published_part
from hub_index.embedding.cache.vector_cache import open_cache
from hub_index.embedding.cost import CostEstimate, estimate
from hub_index.embedding.encoder import Encoder
from hub_index.embedding.providers import check_model, choose_model, make_encoder
from hub_index.errors import ConfigError, IndexUnusable, SourceError
from hub_index.hub.change import HubChange, RevisionRange, parse_range, read_change
from hub_index.hub.config import HubConfig
from hub_index.hub.config_values import CONFIG_FILE
from hub_index.hub.git.repository import Repository, open_repository
from hub_index.hub.inspection import inspect_files
from hub_index.hub.skill.problems import listed
from hub_index.hub.text import embedding_text
from hub_index.hub.tree.ids import shown_name
from hub_index.index.format.verify import VerifiedIndex, check_digests, decode_index
from hub_index.index.gates.shrink_gate import IF_MEANT, loss_sentence
from hub_index.index.nearest import ExistingSkills, NearestLookup, Neighbour, find_nearest
from hub_index.index.plan import plan_rows
from hub_index.index.publish.committed import read_committed
from hub_index.index.reporting.report import cache_notice
from hub_index.index.rows import Row, row_of
from hub_index.models import Problem, SkillFile, SkillText
from hub_index.record import Record
from hub_index.risks.risk import Risk
from hub_index.settings import EMBEDDED_MODEL, read_settings

if TYPE_CHECKING:
    from hub_index.embedding.cache.vector_cache import VectorCache

_SHOWN_FILES = 3


@dataclass(frozen=True, slots=True)
class CheckTools:
    """The outside parts of a check: encoders and the vector cache."""

    encoder_for: Callable[[str | None], Encoder]  # receives the model that hub-index.toml names; only asked for a price
    embedded: Callable[[], Encoder]  # embeds for the nearest skills
    cache: "VectorCache | None" = None


@dataclass(frozen=True, slots=True)
class CheckedSkill:
    """One changed skill, workflow, command or agent; only new ones have a neighbour."""

    change: Literal["added", "edited", "removed"]
    file: SkillFile
    nearest: Neighbour | None = None


@dataclass(frozen=True, slots=True)
class ChangeCheck:
    """The answer to a pull request."""

    base: str  # a commit; empty before the first one
    head: str  # a commit; empty: what is staged
    prefix: str  # the hub's folder in its repository
    skills: tuple[CheckedSkill, ...]
    problems: tuple[Problem, ...]
    estimate: CostEstimate | None  # None: the model cannot be asked for it, and a notice says why
    notices: tuple[str, ...]
    risks: tuple[Risk, ...] = ()
    refuses_risks: bool = False  # the hub's settings: a build would be refused

    def is_passed(self, *, strict: bool) -> bool:
        """Whether the change may go in: no error, no warning and no refused risk; with `strict` no advice or risk."""
        is_risky = any(risk.level == "risk" for risk in self.risks)
        if is_risky and (strict or self.refuses_risks):
            return False
        return not any(strict or problem.level != "advice" for problem in self.problems)


def check(hub: "str | os.PathLike[str]", changes: str = "", *, model: str = "") -> ChangeCheck:
    """The report on `changes`, BASE..HEAD or `staged`; without, on what HEAD changed since its upstream branch.

    Raises SourceError, ConfigError, ProviderError.
    """
    place = Path(hub)
    asked = None if changes == "staged" else parse_range(changes or _since_upstream(place))
    return check_change(place, asked, _users_tools(model))


def _since_upstream(hub: Path) -> str:
    try:
        open_repository(hub).resolve_commit("@{upstream}")
    except SourceError as error:
        raise ConfigError(
            "this branch follows no upstream branch; name a range such as origin/main..HEAD, or --staged"
        ) from error
    return "@{upstream}..HEAD"


def _users_tools(model: str) -> CheckTools:
    """The encoders for prices and comparison, and the cache; without pyarrow a check has no cache."""
    settings = read_settings()
    if model:
        check_model(model)

    def encoder_for(hub_model: str | None) -> Encoder:
        return make_encoder(choose_model(model or None, hub_model, settings), settings, asked=model or None)

    cache = open_cache(None, settings, write_only=False) if find_spec("pyarrow") else None
    return CheckTools(encoder_for, lambda: make_encoder(EMBEDDED_MODEL, settings), cache)


def check_change(hub: Path, asked: RevisionRange | None, tools: CheckTools) -> ChangeCheck:
    """The report on a range of a hub, or on its staged files (None).

    Raises SourceError, ConfigError, ProviderError.
    """
    repo = open_repository(hub)
    change = read_change(repo, asked)
    if change.head.config.model:
        check_model(change.head.config.model)  # a wrong one is the hub's own fault, and stops every build
    notices: list[str] = []
    index = _read_index(repo, change, notices)
    nearest = _nearest(repo, change, index, tools)
    if nearest.neighbours:
        notices.append(cache_notice(tools.cache))
    notices.append(nearest.notice)
    price = _estimate(repo, change, index, tools, notices)
    return ChangeCheck(
        base=change.base.snapshot.revision,
        head=change.head.snapshot.revision,
        prefix=repo.prefix,
        skills=tuple(
            CheckedSkill(skill.kind, skill.file, nearest.neighbours.get(skill.file.id)) for skill in change.skills
        ),
        problems=(*change.problems, *find_gate_problems(repo, change, index)),
        estimate=price,
        notices=tuple(filter(None, notices)),
        risks=change.risks,
        refuses_risks=change.head.config.risks == "refuse",
    )


def _rows(change: HubChange, *kinds: str) -> dict[str, Row]:
    """{id: row} of the skills that changed so and that a build would index."""
    inspected = (skill.inspected for skill in change.skills if skill.kind in kinds)
    return {
        inspection.file.id: row_of(inspection.skill)
        for inspection in inspected
        if inspection is not None and inspection.skill is not None
    }


def _read_index(repo: Repository, change: HubChange, notices: list[str]) -> VerifiedIndex | None:
    """The base's published index; None without one, and if nothing would be compared with it."""
    base = change.base
    if not base.snapshot.revision or not change.skills:
        return None
    files = read_committed(repo, base.snapshot.revision, base.config.output)
    try:
        return decode_index(files) if files is not None else None
    except IndexUnusable as error:
        notices.append(f"the base's index cannot be used: {error}")
        return None


def _nearest(repo: Repository, change: HubChange, index: VerifiedIndex | None, tools: CheckTools) -> NearestLookup:
    """The nearest staying skill of each new skill; a moved skill is not compared with itself."""
    new = {id_: row.text for id_, row in _rows(change, "added").items() if row.text is not None}
    removed = {skill.file.id for skill in change.skills if skill.kind == "removed"}
    staying = [file for file in change.base.snapshot.files if file.id not in removed]
    return find_nearest(new, ExistingSkills(repo, staying, index), tools.embedded, tools.cache)


def _estimate(
    repo: Repository, change: HubChange, index: VerifiedIndex | None, tools: CheckTools, notices: list[str]
) -> CostEstimate | None:
    """Tokens and price of the texts to embed; None and a notice if the author's settings do not fit the hub's model."""
    try:
        with closing(tools.encoder_for(change.head.config.model)) as encoder:
            if not _is_other_model(change, encoder, tools):
                return estimate(encoder, _texts_to_embed(repo, change, index))
            name = change.head.config.model_alias or encoder.model_id
            notices.append(f"{CONFIG_FILE} now names another model ({name}): every text is embedded anew")
            return estimate(encoder, _all_texts(repo, change))
    except ConfigError as error:
        notices.append(f"what embedding costs is not known here: {error}")
        return None


def _is_other_model(change: HubChange, encoder: Encoder, tools: CheckTools) -> bool:
    """Whether no vector of the base's model could be used after the change."""
    before, after = change.base.config, change.head.config
    is_as_before = (before.model, before.model_alias) == (after.model, after.model_alias)
    if is_as_before or not change.base.snapshot.files:
        return False
    try:
        with closing(tools.encoder_for(before.model)) as old:
            return _published_space(old, before) != _published_space(encoder, after)
    except ConfigError:  # the base's model cannot be asked here, and the change leaves it
        return True


def _published_space(encoder: Encoder, config: HubConfig) -> str:
    return lifted_space(encoder.space, published_part(config.model_alias or encoder.model_id))


def _all_texts(repo: Repository, change: HubChange) -> list[SkillText]:
    """The texts of the hub as it would be, each once."""
    inspected = (inspection.skill for inspection in inspect_files(repo, change.head.snapshot.files))
    texts = (embedding_text(skill) for skill in inspected if skill is not None)
    return list({text.text_hash: text for text in texts}.values())


def _texts_to_embed(repo: Repository, change: HubChange, index: VerifiedIndex | None) -> list[SkillText]:
    """The texts of this change that the base does not have under any id."""
    before = {file.id: file for file in change.base.snapshot.files}
    old_files = [before[skill.file.id] for skill in change.skills if skill.kind != "added"]
    old_rows = (
        row_of(inspection.skill) for inspection in inspect_files(repo, old_files) if inspection.skill is not None
    )
    old = {record.id: record for record in index.records} if index else {}
    old |= {row.record.id: row.record for row in old_rows}
    rows = _rows(change, "added", "edited").values()
    texts = {row.text.text_hash: row.text for row in rows if row.text is not None}
    return [texts[text_hash] for text_hash in plan_rows([row.record for row in rows], list(old.values())).embed]


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
