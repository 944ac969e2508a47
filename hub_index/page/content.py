"""A hub's commit and its index → the page's content for each skill.

Records and vectors are the index's, bodies, files and problems the commit's. Vectors of another model cannot be
compared with a browser's query vectors: then the embedded model embeds the texts for the page.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hub_index.embedding.axon_lift import lifted_space
from hub_index.embedding.encoder import Encoder
from hub_index.hub.git.repository import Repository
from hub_index.hub.inspection import FileInspection, inspect_files
from hub_index.hub.record_file import record_type
from hub_index.hub.snapshot import HubState
from hub_index.hub.text import embedding_text
from hub_index.hub.tree.layout import REGULAR_MODES
from hub_index.index.folder.open_folder import IndexFolder
from hub_index.index.folder.reading import MappedIndex, map_index
from hub_index.index.format.records import decode_records
from hub_index.index.format.vectors import base_vectors, check_vectors
from hub_index.limits import MAX_PAGE_FILES, MAX_PAGE_TEXT_CHARS
from hub_index.models import Problem, TreeEntry
from hub_index.record import Record


@dataclass(frozen=True, slots=True)
class SkillPage:
    """One skill as the page shows it."""

    record: Record
    kind: str  # skill, workflow, command or agent
    file: str  # from the hub's root; empty if the commit has none
    body: str
    is_cut: bool  # whether the body is only the beginning
    files: tuple[tuple[str, int], ...]  # beside it: path from its folder, and bytes
    problems: tuple[Problem, ...]

    @property
    def place(self) -> str:
        """The skill's place in the hub: its own folder, or a document's file, which shares a folder."""
        return self.record.path if self.kind == "skill" else self.file or self.record.path


@dataclass(frozen=True, slots=True)
class HubContent:
    """The whole content of a page, in the order of the ids; row i of `vectors` is that of `skills[i]`."""

    skills: tuple[SkillPage, ...]
    vectors: NDArray[np.float32]
    revision: str  # of the skills, as the index names it
    commit: str  # that was read
    created_at: str
    model_id: str
    is_stale: bool  # whether the commit holds other skills than the index


def read_content(repo: Repository, state: HubState, index_dir: IndexFolder, encoder: Encoder) -> HubContent:
    """The hub at that state with its index. Raises SourceError, IndexUnusable, ProviderError."""
    index = map_index(index_dir)  # of either format, rows in the order of the ids
    check_vectors(index.vectors, index.manifest)
    records = decode_records(index.skills, index.skills.count(b"\n"))
    inspected = {inspection.file.id: inspection for inspection in inspect_files(repo, state.snapshot.files)}
    beside = _files_by_folder(repo.list_tree(state.snapshot.revision))
    skills = tuple([_page_of(record, inspected.get(record.id), beside) for record in records])
    return HubContent(
        skills=skills,
        vectors=_vectors(index, records, inspected, encoder),
        revision=index.manifest.hub_revision,
        commit=state.snapshot.revision,
        created_at=index.manifest.created_at,
        model_id=index.manifest.model_id,
        is_stale=index.manifest.source_digest not in {None, state.snapshot.source_digest},
    )


def _page_of(record: Record, found: FileInspection | None, beside: dict[str, list[tuple[str, int]]]) -> SkillPage:
    body = found.skill.body if found is not None and found.skill is not None else ""
    file = found.file.file if found is not None else ""
    is_document = found is not None and found.file.kind == "document"
    files = () if is_document else tuple(beside.get(record.path, ()))[:MAX_PAGE_FILES]
    return SkillPage(
        record=record,
        kind=record_type(record.id, record.path),
        file=file,
        body=body[:MAX_PAGE_TEXT_CHARS],
        is_cut=len(body) > MAX_PAGE_TEXT_CHARS,
        files=files,
        problems=found.problems if found is not None else (),
    )


def _files_by_folder(entries: Iterable[TreeEntry]) -> dict[str, list[tuple[str, int]]]:
    """Regular files by each folder above them; the names from that folder on."""
    files: dict[str, list[tuple[str, int]]] = defaultdict(list)
    for entry in entries:
        if entry.mode not in REGULAR_MODES or not entry.path.isprintable():
            continue
        parts = entry.path.split("/")
        for depth in range(1, len(parts)):
            files["/".join(parts[:depth])].append(("/".join(parts[depth:]), entry.size))
    return files


def _vectors(
    index: MappedIndex, records: Sequence[Record], inspected: dict[str, FileInspection], encoder: Encoder
) -> NDArray[np.float32]:
    """The index's vectors if they are the embedded model's, under any alias; else new ones."""
    manifest = index.manifest
    if manifest.space == lifted_space(encoder.space, manifest.constant_part):
        return base_vectors(index.vectors, manifest)
    texts = [_text_of(record, inspected.get(record.id)) for record in records]
    return encoder.embed_documents(texts)


def _text_of(record: Record, found: FileInspection | None) -> str:
    if found is not None and found.skill is not None:
        return embedding_text(found.skill).text
    return f"name: {record.name}\ndescription: {record.description}"
