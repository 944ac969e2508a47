"""vectors.f32 ↔ rows: little-endian float32, finite, of norm 1, and with the manifest's constant part if it has one.

numpy only when called.
"""

from typing import TYPE_CHECKING

from hub_index.embedding.axon_lift import has_part, lower
from hub_index.errors import IndexCorrupt
from hub_index.index.format.parts import VECTOR_FILE
from hub_index.index.format.sections import sections_of
from hub_index.limits import NORM_TOLERANCE
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
    return base_rows(view_vectors(vectors, manifest), manifest)


def base_rows(matrix: "NDArray[np.float32]", manifest: Manifest) -> "NDArray[np.float32]":
    """As `base_vectors`, of rows that are a matrix already."""
    return matrix if manifest.constant_part is None else lower(matrix, manifest.constant_part)


def check_vectors(vectors: "VectorBytes", manifest: Manifest) -> None:
    """Raises IndexCorrupt unless these are all of an index's rows, and each is right as `check_rows` says."""
    if manifest.parts is None:
        sections_of(manifest)[0].count_rows(memoryview(vectors).nbytes)
    check_rows(vectors, manifest)


def check_rows(vectors: "VectorBytes", manifest: Manifest, name: str = VECTOR_FILE, first: int = 0) -> None:
    """Raises IndexCorrupt unless every row is finite, and of norm 1 if `normalize` (F70); NaN would rank first.

    Of rows with a constant part both parts are checked: a large one would hide a base of any length. The size of the
    bytes must have been checked; `first` is the number of their first row in the file.
    """
    import numpy as np

    matrix, part = view_vectors(vectors, manifest), manifest.constant_part
    step = max(1, _CHUNK_BYTES // (manifest.dim * 4))
    for start in range(0, len(matrix), step):
        rows = matrix[start : start + step]
        with np.errstate(all="ignore"):
            if part is not None:
                _refuse_rows(has_part(rows, part), name, first + start, "without the manifest's constant_part")
                rows = lower(rows, part)
            squares = np.einsum("ij,ij->i", rows, rows)
            # NaN and Inf fail either comparison
            right = abs(np.sqrt(squares) - 1) <= NORM_TOLERANCE if manifest.normalize else np.isfinite(rows).all(axis=1)
        _refuse_rows(np.asarray(right), name, first + start, "not of norm 1" if manifest.normalize else "not finite")


def _refuse_rows(right: "NDArray[np.bool_]", name: str, start: int, fault: str) -> None:
    if not right.all():
        row = start + int(right.argmin())
        raise IndexCorrupt.at(name, f"row {row} (counted from 0) is {fault}")
