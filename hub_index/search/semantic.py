"""The semantic leg: a query vector → the nearest rows, by an exact scan over the vectors.

Measured at 100,000 × 512: numpy's product 17 ms, which is the memory's own speed; flat indexes of other libraries
28 to 44. Imported only where vectors are used: numpy costs 0.15 s.
"""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from hub_index.embedding.constant_part import has_part, lower
from hub_index.errors import ModelMismatch, ProviderBrokePromise
from hub_index.limits import NORM_TOLERANCE
from hub_index.search.candidate import Candidate

_TIE = 1e-6  # float32 products of equal rows may differ by as much
SCORE_DIGITS = 6

Vectors = NDArray[np.float32]


def check_query_vector(vector: Vectors, dim: int, *, normalize: bool, part: float | None = None) -> Vectors:
    """The vector, ready to be multiplied. Raises ModelMismatch for another length, ProviderBrokePromise for NaN.

    `dim` is that of the base vectors: whoever serves an index's lifted model gives a number more, which is checked.
    """
    query = np.asarray(vector, dtype=np.float32).reshape(-1)
    if part is not None and len(query) == dim + 1:
        if not has_part(query, part):
            raise ModelMismatch("the query's vector has another constant part than the index: another model made it")
        query = lower(query, part)
    if len(query) != dim:
        raise ModelMismatch(f"the query's vector has {len(query)} numbers, the index {dim}: another model made it")
    norm = float(np.linalg.norm(query.astype(np.float64)))
    if not np.isfinite(norm) or norm == 0.0:
        raise ProviderBrokePromise("the model gave a query vector that is zero or not a number; try another query")
    if normalize and abs(norm - 1.0) > NORM_TOLERANCE:
        query = query / np.float32(norm)
    return query


def join_vectors(vectors: Sequence[Vectors]) -> Vectors:
    """The vectors of a long prompt, the whole one first and then those of its sentences, as columns."""
    return np.stack(vectors, axis=1)


class VectorScan:
    """All rows of one index; row i belongs to the i-th record. Documents beyond the last row have no vector yet."""

    def __init__(self, matrix: Vectors, unindexed: int = 0) -> None:
        """`unindexed` rows of zeros stand for those documents: their cosine with everything is 0."""
        self.count = len(matrix)
        self.matrix = np.pad(matrix, ((0, unindexed), (0, 0))) if unindexed else matrix

    def nearest(self, query: Vectors, k: int, allowed: Sequence[int] | None = None) -> list[tuple[int, float]]:
        """The k best (row, cosine), by cosine and then by row; `allowed` limits the rows that count."""
        if allowed is not None:
            rows = np.asarray(allowed, dtype=np.int64)
            rows = rows[rows < self.count]
            return _best(rows, _cosines(self.matrix[rows], query), k)
        return _best(None, _cosines(self.matrix[: self.count], query), k)

    def cosines(self, query: Vectors, rows: Sequence[int]) -> list[float]:
        """The cosine of each of the rows."""
        if not rows:
            return []
        found = _cosines(self.matrix[np.asarray(rows, dtype=np.int64)], query)
        return [round(float(value), SCORE_DIGITS) for value in found]

    def likeness(self, rows: Sequence[int]) -> Callable[[Candidate, Candidate], float]:
        """A function that gives the cosine of any two candidates among these rows."""
        vectors = self.matrix[np.asarray(rows, dtype=np.int64)]
        table = vectors @ vectors.T
        place = {row: at for at, row in enumerate(rows)}
        return lambda first, second: float(table[place[first.row], place[second.row]])


def _cosines(matrix: Vectors, query: Vectors) -> Vectors:
    """The cosine of each row; with a long prompt the mean of the whole's and of its nearest sentence's."""
    if query.ndim == 1:
        return matrix @ query
    products = matrix @ query
    cosines: Vectors = (products[:, 0] + products[:, 1:].max(axis=1)) / np.float32(2)
    return cosines


def _best(rows: NDArray[np.int64] | None, scores: Vectors, k: int) -> list[tuple[int, float]]:
    if k < len(scores):
        # everything that ties with the k-th comes along, and the order below decides: never chance
        limit = scores[np.argpartition(scores, len(scores) - k)[-k:]].min() - _TIE
        chosen = np.flatnonzero(scores >= limit)
    else:
        chosen = np.arange(len(scores))
    values = scores[chosen].tolist()
    names = (chosen if rows is None else rows[chosen]).tolist()
    found = [(row, round(value, SCORE_DIGITS)) for row, value in zip(names, values, strict=True)]
    found.sort(key=lambda pair: (-pair[1], pair[0]))
    return found[:k]
