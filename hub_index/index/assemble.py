"""Rows + vectors → the three files, accepted by our own reader before anybody else sees them."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from typing import TYPE_CHECKING

from hub_index.errors import ProviderBrokePromise
from hub_index.index.format.manifest import encode_manifest
from hub_index.index.format.records import encode_records
from hub_index.index.format.validate import check_index
from hub_index.index.format.vectors import encode_vectors
from hub_index.index.format.verify import VerifiedIndex
from hub_index.models import IndexFiles, Manifest, Record

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def join_vectors(
    records: Sequence[Record],
    sources: Sequence[int | None],
    previous: VerifiedIndex | None,
    fresh: Mapping[str, "NDArray[np.float32]"],
    dim: int,
) -> "NDArray[np.float32]":
    """A row per record: the previous index's bits where it has them, else the vector of the record's own text."""
    import numpy as np

    joined = np.zeros((len(records), dim), dtype="<f4")
    old = None
    if previous is not None:
        old = np.frombuffer(previous.vectors, dtype="<f4").reshape(-1, previous.manifest.dim)
    for row, (record, source) in enumerate(zip(records, sources, strict=True)):
        if source is None:
            joined[row] = fresh[record.text_hash]
        elif old is not None:
            joined[row] = old[source]
    return joined


def agree_on_dim(known: int | None, previous: VerifiedIndex | None, fresh: Mapping[str, "NDArray[np.float32]"]) -> int:
    """The one dimension of all vectors. Raises ProviderBrokePromise where reused and new ones differ."""
    dims = {len(vector) for vector in fresh.values()}
    if previous is not None:
        dims.add(previous.manifest.dim)
    if not dims:
        dims.add(known or 1)
    if len(dims) > 1:
        raise ProviderBrokePromise(
            f"the model's vectors now have another length ({sorted(dims)}): it is not the model that made the "
            "previous index; check the base URL and model, or build with --force"
        )
    return dims.pop()


def encode_index(
    manifest: Manifest, records: Sequence[Record], vectors: "NDArray[np.float32]", old: VerifiedIndex | None
) -> IndexFiles:
    """The files, checked in full; content equal to the old index's keeps its manifest, byte for byte."""
    skills = encode_records(records)
    blob = encode_vectors(vectors)
    full = replace(
        manifest,
        count=len(records),
        vector_bytes=len(blob),
        vector_sha256=sha256(blob).hexdigest(),
        skills_bytes=len(skills),
        skills_sha256=sha256(skills).hexdigest(),
    )
    if old is not None and replace(full, created_at=old.manifest.created_at) == old.manifest:
        full = old.manifest
    files = IndexFiles(encode_manifest(full), skills, blob)
    is_own_work = old is not None and old.manifest.generator == manifest.generator
    check_index(files, passed=old.records if old is not None and is_own_work else ())
    return files
