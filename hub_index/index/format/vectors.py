"""vectors.f32 ↔ rows: little-endian float32, finite, of norm 1 and with a constant part where the manifest says so.

numpy only when called.
"""

from typing import TYPE_CHECKING

from hub_index.embedding.constant_part import has_part, lower
from hub_index.errors import IndexCorrupt
from hub_index.index.format.manifest import VECTOR_FILE
from hub_index.limits import MAX_VECTOR_BYTES, NORM_TOLERANCE
from hub_index.models import Manifest

if TYPE_CHECKING:
    from mmap import mmap

    import numpy as np
    from numpy.typing import NDArray

    VectorBytes = bytes | memoryview | mmap

_CHUNK_BYTES = 4 * 1024 * 1024  # what the check looks at in one go: it does not need a second copy of the file


def encode_vectors(matrix: "NDArray[np.float32]") -> bytes:
    """The file's bytes, row after row."""
    import numpy as np

    return np.ascontiguousarray(matrix, dtype="<f4").tobytes()


def view_vectors(vectors: "VectorBytes", manifest: Manifest) -> "NDArray[np.float32]":
    """The bytes as a read-only matrix, without a copy; their size must have been checked."""
    import numpy as np

    return np.frombuffer(vectors, dtype="<f4").reshape(-1, manifest.dim)


def base_vectors(vectors: "VectorBytes", manifest: Manifest) -> "NDArray[np.float32]":
    """The rows as their model gave them: a view, or a copy without the constant part; they must have been checked."""
    matrix = view_vectors(vectors, manifest)
    return matrix if manifest.constant_part is None else lower(matrix, manifest.constant_part)


def count_rows(size: int, manifest: Manifest) -> int:
    """How many rows a file of that size holds. Raises IndexCorrupt where it disagrees with the manifest."""
    rows, rest = divmod(size, manifest.dim * 4)
    if rest or size > MAX_VECTOR_BYTES or (manifest.count is not None and rows != manifest.count):
        raise IndexCorrupt.at(VECTOR_FILE, f"has {size} bytes, which is not count × dim × 4 of the manifest")
    return rows


def check_vectors(vectors: "VectorBytes", manifest: Manifest) -> None:
    """Raises IndexCorrupt unless every row is finite, and of norm 1 where `normalize` (F70); NaN would rank first.

    Of rows with a constant part both parts are checked: a large one would hide a base of any length.
    """
    import numpy as np

    count_rows(memoryview(vectors).nbytes, manifest)
    matrix, part = view_vectors(vectors, manifest), manifest.constant_part
    step = max(1, _CHUNK_BYTES // (manifest.dim * 4))
    for start in range(0, len(matrix), step):
        rows = matrix[start : start + step]
        with np.errstate(all="ignore"):
            if part is not None:
                _check_rows(has_part(rows, part), start, "without the manifest's constant_part")
                rows = lower(rows, part)
            squares = np.einsum("ij,ij->i", rows, rows)
            # NaN and Inf fail either comparison
            right = abs(np.sqrt(squares) - 1) <= NORM_TOLERANCE if manifest.normalize else np.isfinite(rows).all(axis=1)
        _check_rows(np.asarray(right), start, "not of norm 1" if manifest.normalize else "not finite")


def _check_rows(right: "NDArray[np.bool_]", start: int, fault: str) -> None:
    if not right.all():
        row = start + int(right.argmin())
        raise IndexCorrupt.at(VECTOR_FILE, f"row {row} (counted from 0) is {fault}")
