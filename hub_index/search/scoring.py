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

from hub_index.search.fusion import fuse, rank

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hub_index.record import Record
    from hub_index.search.candidate import Candidate
    from hub_index.search.experience import Experience
    from hub_index.search.lexical.lexical import LexicalIndex
    from hub_index.search.lexical.matching import LexicalQuery

PRESETS = {"openagents": ("rrf", 0.5), "cortex": ("rrf", 0.5), "nexus": ("linear", 0.6)}  # fusion, and its alpha
_FIRST_IN_BOTH = 2 / 61
_PATH_PREFIX, _NAME_HOLDS_QUERY, _CHANGED_LATELY = 0.15, 0.10, 0.05
_LATELY_DAYS = 7
_LEAST_CONFIDENCE = 0.1
_DAY_S = 86_400


def score_by_preset(
    preset: str,
    ranked: "list[Candidate]",
    query: "LexicalQuery",
    lexical: "LexicalIndex",
    experience: "Experience | None" = None,
) -> "list[Candidate]":
    """The candidates in the preset's order; `boost` holds what it added to the fused score."""
    method, alpha = PRESETS[preset]
    ranked = fuse(ranked, query.upper_bound, method=method, alpha=alpha)
    if preset == "nexus":
        return ranked
    confidences = experience.confidences() if experience is not None and preset == "cortex" else {}
    kept = []
    for candidate in ranked:
        record = lexical.read_record(candidate.address)
        if preset == "openagents":
            fused = candidate.score / _FIRST_IN_BOTH
            candidate.score = fused + _boost(record, query.parsed.text)
        else:
            fused = candidate.score
            confidence = confidences.get(record.id, 1.0)
            if confidence < _LEAST_CONFIDENCE and not candidate.is_exact:
                continue
            candidate.score = fused * confidence * _recency(record)
        candidate.boost = round(candidate.score - fused, 6)
        kept.append(candidate)
    return rank(kept)


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
