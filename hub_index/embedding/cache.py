"""The vector cache: what has been paid for once is never asked for again."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class VectorCache:
    """Vectors by (space, text_hash) in a folder; `write_only` never looks anything up (build --force)."""

    def __init__(self, folder: Path, *, write_only: bool = False) -> None:
        self.folder = folder
        self.write_only = write_only

    def read_vectors(self, space: str, hashes: Iterable[str], dim: int | None) -> "dict[str, NDArray[np.float32]]":
        """The vectors that are held for these texts."""
        return {}

    def add(self, space: str, rows: "Mapping[str, NDArray[np.float32]]") -> None:
        """Holds a batch's vectors from now on."""

    def merge(self, space: str) -> None:
        """Makes one file of a space's many."""
