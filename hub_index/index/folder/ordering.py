"""The vectors of parts → one matrix in the order of the ids, a part at a time. numpy, which a keyword search avoids."""

from collections.abc import Callable, Iterable, Sequence

import numpy as np


def order_rows(
    parts: Iterable[memoryview], order: Sequence[int], dim: int, make_room: Callable[[int], memoryview]
) -> memoryview:
    """All rows in memory that `make_room` gives; row i is row `order[i]` of all parts, one after the other."""
    places = np.empty(len(order), dtype=np.int64)
    places[np.asarray(order, dtype=np.int64)] = np.arange(len(order))
    room = make_room(len(order) * dim * 4)
    rows = np.frombuffer(room, dtype="<f4").reshape(-1, dim)
    start = 0
    for part in parts:
        matrix = np.frombuffer(part, dtype="<f4").reshape(-1, dim)
        rows[places[start : start + len(matrix)]] = matrix
        start += len(matrix)
    return room
