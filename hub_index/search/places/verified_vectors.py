"""An index folder → its vectors, verified: from the copy in the user's cache, else read whole, checked and copied."""

import os
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from hub_index.base.cache_notes import read_note, write_note
from hub_index.base.safe_open import RootedPath, folder_stamp
from hub_index.index.folder.reading import map_index, read_digests_ok, read_manifest
from hub_index.index.format.parts import skills_digest, vectors_digest
from hub_index.index.format.vectors import base_vectors, check_vectors
from hub_index.models import Manifest
from hub_index.search.semantic.semantic import MANY_ROWS, VectorScan
from hub_index.search.semantic.sign_prefilter import open_sign_bits
from hub_index.search.semantic.vector_copy import VectorCopy, keep_copy, open_copy, write_matrix

if TYPE_CHECKING:
    from hub_index.search.semantic.sign_prefilter import SignBits

_KIND = "verified"
_SUFFIX = ".f32"


@dataclass(frozen=True, slots=True)
class PublishedVectors:
    """The rows as their model gave them, without the index's constant part."""

    manifest: Manifest
    skills_sha256: str  # of the records that they belong to
    matrix: NDArray[np.float32]
    copy: VectorCopy | None = None  # where the rows are mapped

    def scan(self, cache: str) -> VectorScan:
        """Ready to be searched."""
        name = _copy_name(self.manifest)

        def open_bits() -> "SignBits | None":
            return open_sign_bits(cache, name, self.matrix) if name else None

        return VectorScan(self.matrix, open_bits, self.copy)


def read_vectors(folder: RootedPath, cache: str, *, whole: bool = False) -> PublishedVectors:
    """The vectors of an index. Raises IndexUnusable.

    Many rows of a copy are checked when a search takes them, or now, if they are wanted as a `whole`.
    """
    stamp = folder_stamp(folder, _SUFFIX)
    manifest = read_manifest(folder)
    if (records := skills_digest(manifest)) and (found := _find_copy(folder, cache, manifest, stamp, whole=whole)):
        return PublishedVectors(manifest, records, found.matrix, found)
    mapped = map_index(folder)
    manifest = mapped.manifest
    check_vectors(mapped.vectors, manifest)
    base = base_vectors(mapped.vectors, manifest)
    copy = None
    if (name := _copy_name(manifest)) and len(base):
        keep_copy(cache, name, len(base), base.shape[1], write_matrix(base))
        copy = open_copy(cache, name, len(base), base.shape[1])
        _note_verified(folder, cache, name, stamp)
    return PublishedVectors(manifest, mapped.skills_sha256, base if copy is None else copy.matrix, copy)


def _find_copy(folder: RootedPath, cache: str, manifest: Manifest, stamp: str, *, whole: bool) -> VectorCopy | None:
    """The copy of these vectors, checked as far as `whole` asks for. Raises IndexCorrupt as `_is_as_verified`."""
    name, count = _copy_name(manifest), manifest.count or 0
    copy = open_copy(cache, name, count, _base_dim(manifest)) if name else None
    if copy is None or ((whole or count < MANY_ROWS) and not copy.is_whole()):
        return None
    return copy if _is_as_verified(folder, cache, manifest, stamp) else None


def _is_as_verified(folder: RootedPath, cache: str, manifest: Manifest, stamp: str) -> bool:
    """Whether the hub's own files are those that were verified; they are hashed where they may have changed.

    Raises IndexCorrupt for other bytes.
    """
    name, key = _copy_name(manifest), _note_key(folder)
    if read_note(cache, _KIND, key, ("name", "stamp")) == {"name": name, "stamp": stamp}:
        return True
    if read_digests_ok(folder) != manifest:
        return False
    _note_verified(folder, cache, name, stamp)
    return True


def _note_verified(folder: RootedPath, cache: str, name: str, stamp: str) -> None:
    write_note(cache, _KIND, _note_key(folder), {"name": name, "stamp": stamp})


def _note_key(folder: RootedPath) -> str:
    return sha256(os.fsencode(os.path.realpath(folder))).hexdigest()


def _copy_name(manifest: Manifest) -> str:
    """The name of the copy of these vectors; empty if the manifest has no digest of them."""
    digest = vectors_digest(manifest)
    part = "" if manifest.constant_part is None else f"-{manifest.constant_part!r}"
    return f"{digest}{part}-{_base_dim(manifest)}" if digest and manifest.count is not None else ""


def _base_dim(manifest: Manifest) -> int:
    return manifest.dim if manifest.constant_part is None else manifest.dim - 1
