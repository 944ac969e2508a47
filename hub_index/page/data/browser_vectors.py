"""Vectors for the browser: one byte a number, and 256 numbers instead of 512 for a large hub.

nDCG@10 of the vectors alone on six labelled sets, as float32 and as 256 principal components in bytes, with the hub's
own basis: 65.9/65.9, 60.8/60.7, 70.2/70.7, 88.1/88.2, 93.2/93.1, 31.5/31.5 (with 192 components 0.5 is lost on one).
The basis is kept from the previous page, or every edit would change every byte.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hub_index.page.data.data_file import encode_sections

COMPONENTS = 256
SMALL_HUB = 4_096  # below, 2 MB at the most as they are: no basis is needed

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class PageVectors:
    """Rows of bytes, the scale of each row, and the basis, if any."""

    rows: NDArray[np.int8]
    scales: Floats
    basis: Floats | None = None


def pack_vectors(vectors: Floats, kept_basis: Floats | None) -> PageVectors:
    """The vectors as bytes; `kept_basis` is the previous page's."""
    basis = kept_basis
    if basis is None and len(vectors) >= SMALL_HUB:
        basis = principal_basis(vectors)
    projected = vectors if basis is None else vectors @ basis
    scales = np.abs(projected).max(axis=1) / np.float32(127)
    scales[scales == 0] = 1
    return PageVectors(np.rint(projected / scales[:, None]).astype(np.int8), scales.astype(np.float32), basis)


def principal_basis(vectors: Floats) -> Floats:
    """The directions in which the vectors differ most, a column each; the largest number of a column is positive."""
    _, directions = np.linalg.eigh(vectors.T.astype(np.float64) @ vectors.astype(np.float64))
    chosen = directions[:, ::-1][:, :COMPONENTS]
    signs = np.sign(chosen[np.abs(chosen).argmax(axis=0), np.arange(chosen.shape[1])])
    return np.ascontiguousarray(chosen * signs, np.float32)


def encode_vectors(packed: PageVectors) -> bytes:
    """The file's bytes before compression."""
    return encode_sections({"rows": packed.rows.view(np.uint8), "scales": packed.scales})


def encode_basis(basis: Floats) -> bytes:
    """The basis, for the query's vector."""
    return encode_sections({"basis": basis})
