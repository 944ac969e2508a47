"""Records + vectors → the files of an index, which our own reader must accept before they are handed out.

Section by section: of format 2 only the changed parts are made; the others stay where they are, unread.
"""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from itertools import islice
from typing import TYPE_CHECKING

from hub_index.embedding.axon_lift import lift
from hub_index.errors import ProviderBrokePromise
from hub_index.index.build_tools import encode_time
from hub_index.index.draft import Draft
from hub_index.index.format.format_choice import IndexSizes, choose_format
from hub_index.index.format.manifest import PARTS, SKILLS_FILE, VECTOR_FILE, WHOLE, decode_manifest, encode_manifest
from hub_index.index.format.parts import choose_width, is_too_large, width_of
from hub_index.index.format.records import encode_record
from hub_index.index.format.sections import load, size_of
from hub_index.index.format.validate import check_manifest_schema
from hub_index.index.format.verify import VerifiedIndex
from hub_index.index.section_writer import NewSection, RowSource, make_sections
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
    manifest = replace(
        draft.manifest,
        created_at=encode_time(now),
        dim=_agree_on_dim(draft.manifest.dim, reused, fresh),
        count=draft.count,
    )
    source = RowSource(draft.records, draft.plan.sources, reused, fresh, is_own=_is_own(old, manifest))
    width = _choose_width(source, manifest, old, configured)
    sections = make_sections(source, manifest, width)
    if width and is_too_large(max(section.largest_bytes() for section in sections)):
        width = _choose_width(source, manifest, old, configured, count_all=True)
        sections = make_sections(source, manifest, width)
    if not width:
        return _sealed(_whole_manifest(manifest, sections[0]), sections, old)
    parts = tuple(section.as_part() for section in sections)
    return _sealed(replace(manifest, index_version=PARTS, parts=parts), sections, old)


def _is_own(old: VerifiedIndex | None, manifest: Manifest) -> bool:
    """Whether this very generator made the previous index: its lines need no schema again."""
    return old is not None and old.manifest.generator == manifest.generator


def _choose_width(
    source: RowSource, manifest: Manifest, old: VerifiedIndex | None, configured: int | None, *, count_all: bool = False
) -> int:
    """The number of bits that name a part; 0 for format 1.

    The lines of a previous index in parts need not be counted unless one of its parts has grown too large.
    """
    previous = old.manifest if old is not None else None
    stride = manifest.dim * 4
    is_divided = previous is not None and previous.parts and source.reused is not None and not count_all
    if is_divided and previous and configured != WHOLE:
        return width_of(previous.parts or ())
    line_sizes = [len(encode_record(record)) for record in source.records]
    sizes = IndexSizes(len(line_sizes) * stride, sum(line_sizes))
    if choose_format(sizes, previous, configured) == WHOLE:
        return 0
    return choose_width(source.records, line_sizes, stride, previous)


def _sealed(manifest: Manifest, made: list[NewSection], old: VerifiedIndex | None) -> IndexFiles:
    """The files under their manifest, which is the old one if only the time has changed."""
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
    dims = {len(fresh[text_hash]) for text_hash in islice(fresh, 1)}  # all vectors of a run have one length
    if reused is not None:
        dims.add(reused.manifest.dim)
    if len(dims) > 1:
        raise ProviderBrokePromise(
            f"the model's vectors now have another length ({sorted(dims)}): it is not the model that made the "
            "previous index; check the base URL and model, or build with --force"
        )
    return dims.pop() if dims else known or 1
