"""The effect of earlier use on a search: an `Experience` is passed in, and moves rows by a share of the best score.

Search does not know its source. A favour of 0.05 adds a twentieth of the best score, in any mode. Imported only with an
experience.
"""

import tantivy

from hub_index.frozen import FrozenValue
from hub_index.search.ranking import Ranking
from hub_index.search.ranking.fusion import rank

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Protocol

    from hub_index.search.lexical.lexical import LexicalIndex
    from hub_index.search.lexical.matching import LexicalQuery
    from hub_index.search.semantic.semantic import Vectors

    class Experience(Protocol):
        """The verdicts of earlier outcomes, by the skills' ids."""

        def favour(self, words: frozenset[str], vector: "Vectors | None", space: str) -> "Favours":
            """The favours for a query of these words; `vector` is None if words alone are searched."""

        def confidences(self) -> "Mapping[str, float]":
            """The confidence in each skill, from 0 to 1, faded with time; skills without outcomes are missing."""


class Favours(FrozenValue):
    """By id, as shares of the best score: what near queries accepted or rejected, and what each skill has earned."""

    remembered: "Mapping[str, float]"
    earned: "Mapping[str, float]"


class RowFavours(FrozenValue):
    """Favours by row; the remembered rows are candidates even where neither leg has found them."""

    by_row: "dict[int, float]"
    remembered: "tuple[int, ...]"


def favour_learnt(ranking: Ranking) -> Ranking:
    """The candidates in their new order; what the query names exactly stays first."""
    by_row = ranking.favours.by_row if ranking.favours is not None else {}
    top = max((candidate.score for candidate in ranking.candidates), default=0.0) or 1.0
    for candidate in ranking.candidates:
        candidate.boost = round(by_row.get(candidate.row, 0.0) * abs(top), 6)
        candidate.score += candidate.boost
    return ranking.replace(candidates=rank(ranking.candidates))


def find_favours(
    lexical: "LexicalIndex", query: "LexicalQuery", experience: "Experience", vector: "Vectors | None", space: str
) -> RowFavours:
    """The rows that experience speaks of, as far as the query's filters and exclusions allow them."""
    favours = experience.favour(frozenset(query.counts), vector, space)
    by_row: dict[int, float] = {}
    remembered = []
    for row, skill in _rows(lexical, query, {*favours.remembered, *favours.earned}).items():
        near = favours.remembered.get(skill, 0.0)
        by_row[row] = near + favours.earned.get(skill, 0.0)
        if near > 0:
            remembered.append(row)
    return RowFavours(by_row, tuple(sorted(remembered)))


def _rows(lexical: "LexicalIndex", query: "LexicalQuery", ids: set[str]) -> dict[int, str]:
    if not ids:
        return {}
    among = tantivy.Query.term_set_query(lexical.schema, "id", sorted(ids))
    if query.restriction is not None:
        among = tantivy.Query.boolean_query([(tantivy.Occur.Must, among), (tantivy.Occur.Must, query.restriction)])
    return {hit.row: lexical.read_record(hit.address).id for hit in lexical.search(among, len(ids))}
