"""The format of an index: the hub's choice, else the one that it has, else format 1 as long as git hosts take it.

An index that went into parts stays in parts until hub-index.toml says `format = 1`: every change of the format writes
and pushes everything.
"""

from dataclasses import dataclass

from hub_index.index.format.manifest import PARTS, WHOLE
from hub_index.limits import MAX_GIT_FILE_BYTES
from hub_index.models import Manifest


@dataclass(frozen=True, slots=True)
class IndexSizes:
    """The bytes of all vectors and of all records."""

    vectors: int
    skills: int


def choose_format(sizes: IndexSizes, previous: Manifest | None, configured: int | None) -> int:
    """The index_version to write."""
    if configured is not None:
        return configured
    if previous is not None and previous.index_version == PARTS:
        return PARTS
    return PARTS if max(sizes.vectors, sizes.skills) > MAX_GIT_FILE_BYTES else WHOLE


def is_right_format(manifest: Manifest, configured: int | None) -> bool:
    """Whether an index of this content would be written in this format again."""
    return manifest.index_version == choose_format(sizes_of(manifest), manifest, configured)


def sizes_of(manifest: Manifest) -> IndexSizes:
    """The total sizes of the files in a manifest."""
    if manifest.parts is None:
        return IndexSizes(manifest.vector_bytes or 0, manifest.skills_bytes or 0)
    vectors = sum(part.vectors.bytes for part in manifest.parts)
    return IndexSizes(vectors, sum(part.skills.bytes for part in manifest.parts))
