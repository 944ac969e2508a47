"""Vectors with a constant part: v → [√(1−a)·v, √a], which keeps every order and lifts a cosine to (1−a)·cos + a.

For clients with a fixed threshold. The Axon client shows nothing below 0.30, and the embedded model's cosines are low.
Building and serving lift, our own search lowers again and compares the base vectors. numpy only where it is called.
"""

from hashlib import sha256
from math import sqrt
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Rows = NDArray[np.float32]

AXON_NAME = "usem3-axon"
AXON_MODEL = f"openai:{AXON_NAME}"  # the only form of model_id that the Axon client can match
# The smallest of two decimals that brings 95 % of the right first hits of six labelled sets to 0.30: 95.7 %, and 92.3 %
# without (`python -m benchmarks.axon_threshold`, docs/measured/axon-lift.md). Another value is another space.
AXON_PART = 0.04
PART_TOLERANCE = 1e-5  # of the last number; two parts with two decimals differ there by more than 5e-3


def published_part(model_id: str) -> float | None:
    """The constant part of vectors that are published under this model_id; None for all but the Axon client's."""
    return AXON_PART if model_id == AXON_MODEL else None


def lifted_space(base: str, part: float | None) -> str:
    """The space of the lifted vectors; without a constant part it is the base's own."""
    if part is None:
        return base
    return "sha256:" + sha256(f"{base} constant_part {part}".encode()).hexdigest()


def lift(rows: "Rows", part: float) -> "Rows":
    """The vector or rows, one number longer; the same bits on every processor."""
    import numpy as np

    lifted = np.empty((*rows.shape[:-1], rows.shape[-1] + 1), dtype=np.float32)
    np.multiply(rows, _scale(part), out=lifted[..., :-1])
    lifted[..., -1] = _last(part)
    return lifted


def lower(rows: "Rows", part: float) -> "Rows":
    """The base of a lifted vector or of rows, as a copy; the last number must have been checked."""
    import numpy as np

    return np.divide(rows[..., :-1], _scale(part))


def has_part(rows: "Rows", part: float) -> "NDArray[np.bool_]":
    """For each row whether its last number is the constant part's; NaN is not."""
    return abs(rows[..., -1] - _last(part)) <= PART_TOLERANCE


def _scale(part: float) -> "np.float32":
    import numpy as np

    return np.float32(sqrt(1 - part))


def _last(part: float) -> "np.float32":
    import numpy as np

    return np.float32(sqrt(part))
