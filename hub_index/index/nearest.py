"""New skills → the most similar existing skill of each, by the embedded model's vectors: no key, no network.

The vectors of existing skills come from the published index if the embedded model made it; missing ones are embedded,
through the vector cache.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hub_index.embedding.axon_lift import lifted_space
from hub_index.embedding.batches import Usage, embed_texts
from hub_index.embedding.encoder import Encoder
from hub_index.hub.git.repository import Repository
from hub_index.hub.inspection import inspect_files
from hub_index.hub.skill.problems import counted
from hub_index.hub.text import embedding_text
from hub_index.index.format.vectors import base_rows
from hub_index.index.format.verify import VerifiedIndex
from hub_index.limits import MAX_COMPARED_SKILLS
from hub_index.models import SkillFile, SkillText

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from hub_index.embedding.cache.vector_cache import VectorCache

    Vectors = dict[str, NDArray[np.float32]]

VERY_LIKE = 0.95  # above it two skills nearly always say the same in other words, or are copies
_DIGITS = 4


@dataclass(frozen=True, slots=True)
class Neighbour:
    """An existing skill, and the cosine of its vector with the new one's."""

    file: SkillFile
    similarity: float

    @property
    def is_very_like(self) -> bool:
        """Whether the new skill is probably one that the hub has already."""
        return self.similarity > VERY_LIKE


@dataclass(frozen=True, slots=True)
class NearestLookup:
    """{id of a new skill: its neighbour}, and why some have none."""

    neighbours: Mapping[str, Neighbour]
    notice: str = ""


@dataclass(frozen=True, slots=True)
class ExistingSkills:
    """The skills to compare with: files of a repository, and the published index of them."""

    repo: Repository
    files: Sequence[SkillFile]
    index: VerifiedIndex | None


def find_nearest(
    new: Mapping[str, SkillText],
    existing: ExistingSkills,
    embedded: Callable[[], Encoder],
    cache: "VectorCache | None",
) -> NearestLookup:
    """The nearest existing skill of each new one, {id: text}. Raises ProviderError, SourceError."""
    if not new or not existing.files:
        return NearestLookup({})
    if len(new) > MAX_COMPARED_SKILLS:
        return NearestLookup({}, f"more than {MAX_COMPARED_SKILLS:,} skills are new: none was compared with the others")
    with closing(embedded()) as encoder:
        published = _published_vectors(existing, encoder)
        missing = [file for file in existing.files if file.id not in published]
        notice = ""
        if len(missing) > MAX_COMPARED_SKILLS:
            notice = _too_many(len(missing), bool(published))
            missing = []
        texts = _read_texts(existing.repo, missing)
        if not published and not texts:
            return NearestLookup({}, notice)

        usage = Usage()
        vectors = embed_texts(encoder, [*texts.values(), *new.values()], cache=cache, usage=usage)
    if cache is not None and usage.embedded:
        cache.merge(encoder.space)
    published |= {id_: vectors[text.text_hash] for id_, text in texts.items()}
    files = [file for file in existing.files if file.id in published]
    return NearestLookup(
        _compare({id_: vectors[text.text_hash] for id_, text in new.items()}, files, published), notice
    )


def _published_vectors(existing: ExistingSkills, encoder: Encoder) -> "Vectors":
    """{id: vector} of the index, if it is of this encoder's space."""
    index = existing.index
    if index is None or index.manifest.space != lifted_space(encoder.space, index.manifest.constant_part):
        return {}
    rows = base_rows(index.rows.take(range(len(index.records))), index.manifest)
    wanted = {file.id for file in existing.files}
    return {record.id: rows[row] for row, record in enumerate(index.records) if record.id in wanted}


def _read_texts(repo: Repository, files: Sequence[SkillFile]) -> dict[str, SkillText]:
    inspected = inspect_files(repo, files)
    return {
        inspection.file.id: embedding_text(inspection.skill) for inspection in inspected if inspection.skill is not None
    }


def _compare(new: "Vectors", files: Sequence[SkillFile], known: "Vectors") -> dict[str, Neighbour]:
    import numpy as np

    matrix = np.stack([known[file.id] for file in files])
    neighbours = {}
    for id_, vector in new.items():
        cosines = matrix @ vector
        best = int(np.argmax(cosines))  # the first of equals: the same answer in every run
        neighbours[id_] = Neighbour(files[best], round(min(1.0, float(cosines[best])), _DIGITS))
    return neighbours


def _too_many(missing: int, has_others: bool) -> str:
    skills = counted(missing, "existing skill")
    if has_others:
        return f"{skills} that the base's index does not hold were not compared with the new ones"
    return (
        f"no nearest skill is named: the base has no index of the embedded model, and {skills} are more than the "
        f"{MAX_COMPARED_SKILLS:,} that are embedded for that"
    )
