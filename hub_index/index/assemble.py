"""Records + vectors → the three files, accepted by our own reader before anybody else sees them."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from hashlib import sha256
from typing import TYPE_CHECKING

from hub_index.embedding.constant_part import lift
from hub_index.errors import ProviderBrokePromise
from hub_index.index.draft import Draft
from hub_index.index.format.manifest import encode_manifest
from hub_index.index.format.records import encode_records
from hub_index.index.format.validate import check_index
from hub_index.index.format.vectors import encode_vectors, view_vectors
from hub_index.index.format.verify import VerifiedIndex
from hub_index.index.seams import encode_time
from hub_index.models import IndexFiles

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = Mapping[str, NDArray[np.float32]]  # by text_hash


def assemble_index(draft: Draft, fresh: "Vectors", now: datetime) -> IndexFiles:
    """The files, checked in full; content equal to the old index's keeps its manifest, byte for byte.

    Raises ProviderBrokePromise where reused and new vectors differ in length.
    """
    old = draft.old
    reused = old if draft.reuses else None
    if draft.manifest.constant_part is not None:
        fresh = {text_hash: lift(vector, draft.manifest.constant_part) for text_hash, vector in fresh.items()}
    dim = _agree_on_dim(draft.manifest.dim, reused, fresh)
    skills = encode_records(draft.records)
    vectors = encode_vectors(_join_vectors(draft, reused, fresh, dim))
    manifest = replace(
        draft.manifest,
        created_at=encode_time(now),
        dim=dim,
        count=len(draft.records),
        vector_bytes=len(vectors),
        vector_sha256=sha256(vectors).hexdigest(),
        skills_bytes=len(skills),
        skills_sha256=sha256(skills).hexdigest(),
    )
    if old is not None and replace(manifest, created_at=old.manifest.created_at) == old.manifest:
        manifest = old.manifest
    files = IndexFiles(encode_manifest(manifest), skills, vectors)
    is_own_work = old is not None and old.manifest.generator == manifest.generator
    check_index(files, passed=old.records if old is not None and is_own_work else ())
    return files


def _agree_on_dim(known: int, reused: VerifiedIndex | None, fresh: "Vectors") -> int:
    """The one dimension of all vectors."""
    dims = {len(vector) for vector in fresh.values()}
    if reused is not None:
        dims.add(reused.manifest.dim)
    if len(dims) > 1:
        raise ProviderBrokePromise(
            f"the model's vectors now have another length ({sorted(dims)}): it is not the model that made the "
            "previous index; check the base URL and model, or build with --force"
        )
    return dims.pop() if dims else known or 1


def _join_vectors(draft: Draft, reused: VerifiedIndex | None, fresh: "Vectors", dim: int) -> "NDArray[np.float32]":
    """A row per record: the previous index's bits where it has them, else the vector of the record's own text."""
    import numpy as np

    joined = np.zeros((len(draft.records), dim), dtype="<f4")
    old = view_vectors(reused.vectors, reused.manifest) if reused is not None else None
    for row, (record, source) in enumerate(zip(draft.records, draft.plan.sources, strict=True)):
        if source is None:
            joined[row] = fresh[record.text_hash]
        elif old is not None:
            joined[row] = old[source]
    return joined
