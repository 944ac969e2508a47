"""The vectors of an index by row, wherever they are: of stored parts one is in memory at a time. numpy when called."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from hub_index.index.format.sections import load, size_of
from hub_index.models import Content

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix = NDArray[np.float32]


_STEP_ROWS = 4_096  # copied at once, into one more copy


class VectorRows:
    """Rows in the order of the index's records; `order` says which row of all parts, one after the other, each is."""

    def __init__(self, dim: int, parts: Sequence[Content], order: Sequence[int] | None = None) -> None:
        self._dim = dim
        self._parts = parts
        self._order = order
        self._starts = [0]
        for part in parts:
            self._starts.append(self._starts[-1] + size_of(part) // (dim * 4))
        self._last: tuple[int, Matrix] | None = None  # the part that was read last, until all are done

    def __len__(self) -> int:
        return self._starts[-1]

    def take(self, rows: Sequence[int]) -> "Matrix":
        """A new matrix of these rows, in this order. Raises IndexCorrupt if a stored part has changed."""
        import numpy as np

        taken = np.empty((len(rows), self._dim), dtype="<f4")
        self.copy_to(taken, range(len(rows)), rows)
        return taken

    def copy_to(self, target: "Matrix", places: Sequence[int], rows: Sequence[int]) -> None:
        """Puts these rows into these places of a matrix. Raises IndexCorrupt if a stored part has changed."""
        import numpy as np

        where, stored = np.asarray(places, dtype=np.int64), self._stored(np.asarray(rows, dtype=np.int64))
        owners = np.searchsorted(np.asarray(self._starts[1:]), stored, side="right")
        for number in np.unique(owners).tolist():
            chosen = np.flatnonzero(owners == number)
            part, start = self._part(number), self._starts[number]
            for step in range(0, len(chosen), _STEP_ROWS):
                some = chosen[step : step + _STEP_ROWS]
                target[where[some]] = part[stored[some] - start]
        self._last = None

    def rows_of_parts(self) -> "list[NDArray[np.int64]]":
        """For each part the rows of the index that it holds, in its own order."""
        import numpy as np

        rows = np.arange(len(self))
        if self._order is not None:
            rows[np.asarray(self._order, dtype=np.int64)] = np.arange(len(self))
        return [rows[start:end] for start, end in zip(self._starts, self._starts[1:], strict=False)]

    def blocks(self) -> "Iterator[tuple[NDArray[np.int64], Matrix]]":
        """Every part's vectors, with the row of each in the index. Raises IndexCorrupt if a part has changed."""
        for number, rows in enumerate(self.rows_of_parts()):
            yield rows, self._part(number)
        self._last = None

    def whole(self) -> bytes:
        """All rows as the bytes of one file."""
        if self._order is None and len(self._parts) == 1:
            return load(self._parts[0])
        return self.take(range(len(self))).tobytes()

    def _stored(self, rows: "NDArray[np.int64]") -> "NDArray[np.int64]":
        import numpy as np

        return rows if self._order is None else np.asarray(self._order, dtype=np.int64)[rows]

    def _part(self, number: int) -> "Matrix":
        import numpy as np

        if self._last is None or self._last[0] != number:
            self._last = None  # the old one goes before the new one comes
            self._last = number, np.frombuffer(load(self._parts[number]), dtype="<f4").reshape(-1, self._dim)
        return self._last[1]
