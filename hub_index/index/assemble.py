"""Records + vectors → the files of an index, accepted by our own reader before anybody else sees them.

Section by section: of format 2 only the parts that change are made, the others stay where they are, unread.
"""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from hub_index.embedding.constant_part import lift
from hub_index.errors import ProviderBrokePromise
from hub_index.index.draft import Draft
from hub_index.index.format.choice import IndexSizes, choose_format
from hub_index.index.format.manifest import PARTS, SKILLS_FILE, VECTOR_FILE, WHOLE, decode_manifest, encode_manifest
from hub_index.index.format.parts import choose_width
from hub_index.index.format.records import encode_record
from hub_index.index.format.sections import load, size_of
from hub_index.index.format.validate import check_manifest_schema
from hub_index.index.format.verify import VerifiedIndex
from hub_index.index.new_sections import NewSection, RowSource, make_section, old_sections, split_rows
from hub_index.index.seams import encode_time
from hub_index.models import IndexFiles, Manifest, PartContent

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = Mapping[str, NDArray[np.float32]]  # by text_hash


def assemble_index(draft: Draft, fresh: "Vectors", now: datetime, configured: int | None = None) -> IndexFiles:
    """The files, checked in full; content equal to the old index's keeps its manifest, byte for byte.

    `configured` is the format that the hub chooses; without one its size decides. Raises ProviderBrokePromise where
    reused and new vectors differ in length.
    """
    old = draft.old
    reused = old if draft.reuses else None
    if draft.manifest.constant_part is not None:
        fresh = {text_hash: lift(vector, draft.manifest.constant_part) for text_hash, vector in fresh.items()}
    dim = _agree_on_dim(draft.manifest.dim, reused, fresh)
    lines = [encode_record(record) for record in draft.records]
    line_sizes = list(map(len, lines))
    sizes = IndexSizes(len(lines) * dim * 4, sum(line_sizes))
    manifest = replace(draft.manifest, created_at=encode_time(now), dim=dim, count=len(lines))
    previous = old.manifest if old is not None else None
    source = RowSource(draft.records, lines, draft.plan.sources, reused, fresh)
    passed = frozenset(old.records) if old is not None and old.manifest.generator == manifest.generator else frozenset()
    is_whole = choose_format(sizes, previous, configured) == WHOLE
    width = 0 if is_whole else choose_width(draft.records, line_sizes, dim * 4, previous)
    known = old_sections(reused, width)
    made = [make_section(source, section, manifest, passed, known) for section in split_rows(draft.records, width)]
    if is_whole:
        return _sealed(_whole_manifest(manifest, made[0]), made, old)
    parts = tuple(section.as_part() for section in made)
    return _sealed(replace(manifest, index_version=PARTS, parts=parts), made, old)


def _sealed(manifest: Manifest, made: list[NewSection], old: VerifiedIndex | None) -> IndexFiles:
    """The files under their manifest, which is the old one where nothing but the time has changed."""
    if old is not None and replace(manifest, created_at=old.manifest.created_at) == old.manifest:
        manifest = old.manifest
    data = encode_manifest(manifest)
    decode_manifest(data)
    check_manifest_schema(data)
    if manifest.parts is None:
        return IndexFiles(data, load(made[0].skills), load(made[0].vectors))
    return IndexFiles(data, parts=tuple(PartContent(section.skills, section.vectors) for section in made))


def _whole_manifest(manifest: Manifest, whole: NewSection) -> Manifest:
    return replace(
        manifest,
        index_version=WHOLE,
        vector_file=VECTOR_FILE,
        skills_file=SKILLS_FILE,
        vector_bytes=size_of(whole.vectors),
        vector_sha256=whole.vector_sha256,
        skills_bytes=size_of(whole.skills),
        skills_sha256=whole.skills_sha256,
    )


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
