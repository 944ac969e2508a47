"""The semantic leg: a query vector → the nearest rows, by an exact scan over the vectors.

Measured at 100,000 × 512: numpy's product 17 ms, which is the memory's own speed; flat indexes of other libraries
28 to 44. In a much larger matrix a first pass over the signs finds some thousands of rows, whose scores are exact too.
Imported only if vectors are used: numpy costs 0.15 s.
"""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from hub_index.embedding.axon_lift import has_part, lower
from hub_index.errors import ModelMismatch, ProviderBrokePromise
from hub_index.limits import NORM_TOLERANCE
from hub_index.search.candidate import Candidate
from hub_index.search.semantic.sign_prefilter import SignBits
from hub_index.search.semantic.vector_copy import VectorCopy, take_rows

_TIE = 1e-6  # float32 products of equal rows may differ by as much
SCORE_DIGITS = 6

MANY_ROWS = 200_000  # below, an exact scan takes 35 ms and less
_MIN_DEPTH = 4_000  # rows that are scored exactly after a first pass: at least this many,
_DEPTH_SHARE = 100  # a hundredth of all,
_DEPTH_TIMES = 10  # and ten times those that are asked for; where that is a tenth of all, every row is

# Of 0.15, 0.3 and 0.5: the greatest with which no labelled set is worse than without sentences, in any mode.
SENTENCE_SHARE = np.float32(0.3)

Vectors = NDArray[np.float32]
Rows = NDArray[np.int64]


def check_query_vector(vector: Vectors, dim: int, *, normalize: bool, part: float | None = None) -> Vectors:
    """The vector, ready to be multiplied. Raises ModelMismatch for another length, ProviderBrokePromise for NaN.

    `dim` is that of the base vectors: a server of an index's lifted model gives one number more, which is checked.
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
    """The vectors of a long prompt as columns: the whole prompt's first, then those of its sentences."""
    return np.stack(vectors, axis=1)


class VectorScan:
    """All rows of one index; row i belongs to the i-th record. Documents beyond the last row have no vector yet."""

    def __init__(
        self,
        matrix: Vectors,
        open_bits: "Callable[[], SignBits | None] | None" = None,
        copy: "VectorCopy | None" = None,
    ) -> None:
        """`open_bits` gives the signs of the rows, where they can be kept; `copy` is what the rows are mapped from.

        Fewer than many rows of a copy have been checked.
        """
        self.count = len(matrix)
        self.matrix = matrix
        self._copy = copy
        self._open_bits = open_bits if self.count >= MANY_ROWS else None
        self._bits: SignBits | None = None

    def nearest(self, query: Vectors, k: int, allowed: Sequence[int] | None = None) -> list[tuple[int, float]]:
        """The k best (row, cosine), by cosine and then by row; `allowed` limits the rows that count.

        Raises CopyDamaged if rows of a copy are not those that were written.
        """
        rows = None
        if allowed is not None:
            rows = np.asarray(allowed, dtype=np.int64)
            rows = np.sort(rows[rows < self.count])
        count = self.count if rows is None else len(rows)
        depth = max(_MIN_DEPTH, count // _DEPTH_SHARE, _DEPTH_TIMES * k)
        if depth * _DEPTH_TIMES < count and (bits := self._sign_bits()) is not None:
            rows = _likely(bits, query, depth, rows)
        with np.errstate(all="ignore"):  # a damaged copy is reported below
            scores = self._products(query, rows)
        # an open index, whose rows were checked long ago: so much is seen for nothing, NaN as well
        if self._copy is not None and (_is_odd(scores) or (rows is None and self.count >= MANY_ROWS)):
            self._copy.check(self.matrix, np.arange(self.count))
        return _best(rows, scores, k)

    def _sign_bits(self) -> "SignBits | None":
        if self._open_bits is not None:
            self._bits, self._open_bits = self._open_bits(), None
        return self._bits

    def _products(self, query: Vectors, rows: "Rows | None") -> Vectors:
        return _cosines(self.matrix if rows is None else self._rows(rows), query)

    def _rows(self, rows: "Rows") -> Vectors:
        """A new matrix of these rows, ascending; rows of a mapped matrix do not stay resident."""
        if self.count < MANY_ROWS:
            return self.matrix[rows]
        taken = take_rows(self.matrix, rows)
        if self._copy is not None:
            self._copy.check(taken, rows)
        return taken

    def vector_of(self, row: int) -> Vectors:
        """The vector of one row."""
        vector: Vectors = self._rows(np.array([row]))[0]
        return vector

    def cosines(self, query: Vectors, rows: Sequence[int]) -> list[float]:
        """The cosine of each of the rows; 0 of those that have no vector."""
        if not rows:
            return []
        return [round(float(value), SCORE_DIGITS) for value in _cosines(self._take(rows), query)]

    def likeness(self, rows: Sequence[int]) -> Callable[[Candidate, Candidate], float]:
        """A function that gives the cosine of any two candidates among these rows."""
        vectors = self._take(rows)
        table = vectors @ vectors.T
        place = {row: at for at, row in enumerate(rows)}
        return lambda first, second: float(table[place[first.row], place[second.row]])

    def find_near_pairs(self, rows: Sequence[int], least: float) -> set[tuple[int, int]]:
        """The pairs of places in `rows`, the first place first, whose vectors have at least this cosine."""
        vectors = self._take(rows)
        first, second = np.nonzero(np.triu(vectors @ vectors.T >= least, 1))
        return set(zip(first.tolist(), second.tolist(), strict=True))

    def _take(self, rows: Sequence[int]) -> Vectors:
        """These rows, zeros for documents beyond the last one: their cosine with everything is 0."""
        wanted = np.asarray(rows, dtype=np.int64)
        taken = np.zeros((len(wanted), self.matrix.shape[1]), dtype=np.float32)
        places = np.argsort(wanted, kind="stable")
        places = places[wanted[places] < self.count]
        taken[places] = self._rows(wanted[places])
        return taken


def _likely(bits: "SignBits", query: Vectors, depth: int, rows: "Rows | None") -> "Rows":
    """Rows worth an exact look: those near to the query, or to one of the sentences of a long one."""
    parts = [query] if query.ndim == 1 else list(query.T)
    likely_rows = [bits.likely(np.ascontiguousarray(part), depth, rows) for part in parts]
    return likely_rows[0] if len(likely_rows) == 1 else np.unique(np.concatenate(likely_rows))


def _is_odd(scores: Vectors) -> bool:
    """Whether a score cannot be a cosine."""
    return bool(len(scores)) and not np.abs(scores).max() <= 1 + NORM_TOLERANCE


def _cosines(matrix: Vectors, query: Vectors) -> Vectors:
    """The cosine of each row; for a long prompt, three tenths of it come from its nearest sentence."""
    if query.ndim == 1:
        return matrix @ query
    products = matrix @ query
    cosines: Vectors = products[:, 0] * (1 - SENTENCE_SHARE) + products[:, 1:].max(axis=1) * SENTENCE_SHARE
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
    pairs = [(row, round(value, SCORE_DIGITS)) for row, value in zip(names, values, strict=True)]
    pairs.sort(key=lambda pair: (-pair[1], pair[0]))
    return pairs[:k]
