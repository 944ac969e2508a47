"""Presets with other systems' arithmetic: `search --scoring openagents|cortex|nexus`.

- openagents: reciprocal ranks (k 60, both legs alike), scaled so that first in both legs is 1, then +0.15 where the
  path begins with a path in the query, +0.10 where the name holds the query, +0.05 for a change within 7 days. Without
  the scale, where first in both is 0.03, the least of these would outweigh every rank.
- cortex: reciprocal ranks, times `confidence · exp(−decay · days since reinforced)` (1 where a skill has no outcomes;
  below 0.1 it is left out), times `1 + 0.1/(1 + days since the last change)`.
- nexus: 0.6 vector + 0.4 words, each brought to 0 to 1 over the candidates.
"""

import time
from datetime import UTC, datetime

from hub_index.search.ranking import Ranking
from hub_index.search.ranking.fusion import fuse, rank

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hub_index.record import Record

PRESETS = {"openagents": ("rrf", 0.5), "cortex": ("rrf", 0.5), "nexus": ("linear", 0.6)}  # fusion, and its alpha
_FIRST_IN_BOTH = 2 / 61
_PATH_PREFIX, _NAME_HOLDS_QUERY, _CHANGED_LATELY = 0.15, 0.10, 0.05
_LATELY_DAYS = 7
_LEAST_CONFIDENCE = 0.1
_DAY_S = 86_400


def score_by_preset(ranking: Ranking) -> Ranking:
    """The candidates in the preset's order; `boost` holds what it added to the fused score."""
    preset, experience = ranking.options.scoring, ranking.options.experience
    method, alpha = PRESETS[preset]
    fused_order = fuse(ranking.candidates, ranking.upper_bound, method=method, alpha=alpha)
    if preset == "nexus":
        return ranking.replace(candidates=fused_order)
    confidences = experience.confidences() if experience is not None and preset == "cortex" else {}
    kept = []
    for candidate in fused_order:
        record = ranking.facts.read_record(candidate)
        if preset == "openagents":
            fused = candidate.score / _FIRST_IN_BOTH
            candidate.score = fused + _boost(record, ranking.text)
        else:
            fused = candidate.score
            confidence = confidences.get(record.id, 1.0)
            if confidence < _LEAST_CONFIDENCE and not candidate.is_exact:
                continue
            candidate.score = fused * confidence * _recency(record)
        candidate.boost = round(candidate.score - fused, 6)
        kept.append(candidate)
    return ranking.replace(candidates=rank(kept))


def _boost(record: "Record", text: str) -> float:
    paths = [word.casefold() for word in text.split() if "/" in word]
    boost = _PATH_PREFIX if any(record.path.casefold().startswith(path) for path in paths) else 0.0
    query = _squeezed(text)
    if query and query in _squeezed(record.name):
        boost += _NAME_HOLDS_QUERY
    days = days_since(record.updated_at)
    return boost + _CHANGED_LATELY if days is not None and days <= _LATELY_DAYS else boost


def _recency(record: "Record") -> float:
    days = days_since(record.updated_at)
    return 1.0 if days is None else 1.0 + 0.1 / (1.0 + days)


def _squeezed(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))


def days_since(updated_at: str) -> float | None:
    """How many days ago a record says it was changed; None where it does not say, 0 where it lies in the future."""
    try:
        moment = datetime.fromisoformat(updated_at)
    except ValueError:
        return None
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return max(0.0, (time.time() - moment.timestamp()) / _DAY_S)
