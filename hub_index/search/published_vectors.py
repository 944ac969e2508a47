"""An index folder → its vectors, verified: from the copy in the user's cache, else read whole, checked and copied."""

import os
from dataclasses import dataclass
from functools import partial
from typing import IO, TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from hub_index.index.folder.store import map_index, read_manifest
from hub_index.index.format.names import VECTOR_FILE
from hub_index.index.format.parts import skills_digest, vectors_digest
from hub_index.index.format.vectors import base_vectors, check_vectors
from hub_index.models import Manifest
from hub_index.regular_file import RootedPath
from hub_index.search.vector_copy import clone_file, keep_copy, open_copy, remove_copy, write_matrix

if TYPE_CHECKING:
    from hub_index.search.semantic import VectorScan
    from hub_index.search.sign_bits import SignBits


@dataclass(frozen=True, slots=True)
class PublishedVectors:
    """The rows as their model gave them, without the index's constant part."""

    manifest: Manifest
    skills_sha256: str  # of the records that they belong to
    matrix: NDArray[np.float32]

    def scan(self, cache: str) -> "VectorScan":
        """Ready to be searched."""
        from hub_index.search.semantic import VectorScan

        name = _copy_name(self.manifest)

        def open_bits() -> "SignBits | None":
            from hub_index.search.sign_bits import open_sign_bits

            return open_sign_bits(cache, name, self.matrix) if name else None

        drop_copy = partial(remove_copy, cache, name) if name and self.manifest.normalize else None
        return VectorScan(self.matrix, open_bits, drop_copy)


def read_vectors(folder: RootedPath, cache: str) -> PublishedVectors:
    """The vectors of an index. Raises IndexUnusable."""
    manifest = read_manifest(folder)
    name, records = _copy_name(manifest), skills_digest(manifest)
    if name and records:
        found = open_copy(cache, name, manifest.count or 0, _base_dim(manifest))
        if found is not None:
            return PublishedVectors(manifest, records, found)
    mapped = map_index(folder)
    manifest = mapped.manifest
    check_vectors(mapped.vectors, manifest)
    base = base_vectors(mapped.vectors, manifest)
    if (name := _copy_name(manifest)) and len(base):
        copied = _copy(folder, cache, name, manifest, base)
        base = base if copied is None else copied
    return PublishedVectors(manifest, mapped.skills_sha256, base)


def _copy(
    folder: RootedPath, cache: str, name: str, manifest: Manifest, base: NDArray[np.float32]
) -> NDArray[np.float32] | None:
    def write(file: IO[bytes]) -> None:
        is_same_file = manifest.parts is None and manifest.constant_part is None
        digest = manifest.vector_sha256 or ""
        if not is_same_file or not clone_file(os.path.join(folder, VECTOR_FILE), file, digest):
            write_matrix(base)(file)

    keep_copy(cache, name, base.nbytes, write)
    return open_copy(cache, name, len(base), base.shape[1])


def _copy_name(manifest: Manifest) -> str:
    """What the copy of these vectors is called; empty where the manifest does not say what they are."""
    digest = vectors_digest(manifest)
    part = "" if manifest.constant_part is None else f"-{manifest.constant_part!r}"
    return f"{digest}{part}-{_base_dim(manifest)}" if digest and manifest.count is not None else ""


def _base_dim(manifest: Manifest) -> int:
    return manifest.dim if manifest.constant_part is None else manifest.dim - 1
