"""The third gate: the old and the new index answer a hub's labelled queries; a clear drop is not published.

The hub brings the queries (hub/label_files.py), cli and pipelines bring the search (`BuildTools.evaluate`). Each index
answers with its own model. A drop is clear if it is larger than --max-drop and than the standard error of the
differences, query by query. Without a previous index or queries the gate is open.
"""

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from hashlib import sha256
from math import sqrt

from hub_index.base.characters import short_line
from hub_index.errors import ConfigError, IndexUnusable, ProviderError, QualityRefused
from hub_index.hub.labels.label_files import HubLabels
from hub_index.hub.labels.labels import LabelledQuery, keep_labels
from hub_index.index.build_tools import BuildTools, Evaluator
from hub_index.index.format.manifest import decode_manifest
from hub_index.index.format.verify import read_ids
from hub_index.index.previous import PreviousIndex
from hub_index.index.reporting.report import GateQueries, QualityChange
from hub_index.limits import MAX_GATE_QUERIES
from hub_index.models import IndexFiles

_ROUNDING = 1e-9  # of sums: a fall of just its standard error is not more than that
_POINTS = 100  # nDCG is shown in points: 0.02 are two
_SHOWN_QUERIES = 3
_QID_CHARS = 40


@dataclass(frozen=True, slots=True)
class _Comparison:
    """The scores of both indexes; `notice` says why nothing was compared, or what was left out."""

    change: QualityChange | None = None
    worst: tuple[str, ...] = ()  # qids, the largest fall first
    notice: str = ""


@dataclass(frozen=True, slots=True)
class QualityGate:
    """The queries, the search that answers them, and the largest allowed drop."""

    labels: HubLabels
    old: PreviousIndex | None
    tools: BuildTools
    hub_model: str | None  # the model that hub-index.toml names
    max_drop: float  # in points
    is_accepted: bool  # --accept quality

    def queries(self, space: str | None) -> GateQueries:
        """The queries for an index of that space, for its price; the run leaves out queries of removed skills."""
        if self.tools.evaluate is None or self.old is None:
            return GateQueries()
        manifest = self.old.manifest
        is_same = manifest.space == space or manifest.constant_part is not None  # the embedded model's, under an alias
        texts = tuple(query.text for query in _sample(self.labels.queries))
        return GateQueries(texts, "" if is_same else manifest.model_id)

    def check(self, files: IndexFiles, notices: list[str]) -> QualityChange | None:
        """Both figures, if there are any; adds its notices. Raises QualityRefused, and what asking the index raises."""
        evaluate, old = self.tools.evaluate, self.old
        found = _Comparison()
        if evaluate is not None and old is not None and self.labels.queries:
            found = self.tools.step("evaluate", lambda: self._compare(evaluate, old, files))
        notices += self.labels.notice, found.notice
        if found.change is not None and self._is_clear_fall(found.change):
            refusal = _refusal(found.change, found.worst, self.max_drop)
            if not self.is_accepted:
                raise QualityRefused(f"{refusal}; not published; if the drop is intentional, pass --accept quality")
            notices.append(f"--accept quality: {refusal}")
        return found.change

    def _is_clear_fall(self, change: QualityChange) -> bool:
        return change.before - change.after > max(self.max_drop, change.standard_error) + _ROUNDING

    def _compare(self, evaluate: Evaluator, old: PreviousIndex, new: IndexFiles) -> _Comparison:
        ids = read_ids(new)
        kept = keep_labels(self.labels.queries, ids)
        asked = _sample(kept)
        if not any(query.is_answerable for query in asked):
            return _Comparison(notice="none of the skills that the labelled queries ask for is in the index")
        notice = f"{len(asked):,} of {len(kept):,} labelled queries were asked" if len(asked) < len(kept) else ""
        watcher = self.tools.watcher
        watcher.expect("evaluating", 2 * len(asked))
        with closing(self.tools.encoder_for(self.hub_model)) as encoder:
            is_same_space = old.manifest.space == decode_manifest(new.manifest).space
            try:
                before = evaluate(old.read(), asked, encoder if is_same_space else None, watcher.advance)
            except (IndexUnusable, ConfigError, ProviderError) as error:
                return _Comparison(notice=f"the labelled queries could not be asked of the previous index: {error}")
            after = evaluate(new, asked, encoder, watcher.advance)
        return replace(_compared(asked, before, after), notice=notice)


def _sample(queries: Sequence[LabelledQuery]) -> list[LabelledQuery]:
    """All, or as many as may be asked: chosen by their qids, so that the same ones are asked every time."""
    if len(queries) <= MAX_GATE_QUERIES:
        return list(queries)
    return sorted(queries, key=lambda query: sha256(query.qid.encode("utf-8", "replace")).digest())[:MAX_GATE_QUERIES]


def _compared(asked: Sequence[LabelledQuery], before: Sequence[float], after: Sequence[float]) -> _Comparison:
    count = len(asked)
    changes = [new - old for old, new in zip(before, after, strict=True)]
    mean = sum(changes) / count
    error = sqrt(sum((change - mean) ** 2 for change in changes) / max(1, count - 1) / count)
    change = QualityChange(
        count,
        _POINTS * sum(before) / count,
        _POINTS * sum(after) / count,
        standard_error=_POINTS * error,
        nothing=sum(query.is_nothing for query in asked),
    )
    falls = sorted((change, query.qid) for change, query in zip(changes, asked, strict=True) if change < 0)
    return _Comparison(change, tuple(qid for _, qid in falls[:_SHOWN_QUERIES]))


def _refusal(change: QualityChange, worst: Sequence[str], max_drop: float) -> str:
    qids = ", ".join(short_line(qid, _QID_CHARS) for qid in worst)
    return (
        f"the hub's labelled queries are answered worse: {change.sentence()}, and --max-drop is {max_drop:g} points; "
        f"qids that fell most: {qids}"
    )
