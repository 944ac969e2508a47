"""The gate for vectors: different texts do not share one, and the model behind its name is the same.

A wrong vector is reused, bit for bit, until its text changes: refused vectors leave the cache too.
"""

from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from heapq import nsmallest
from typing import TYPE_CHECKING

from hub_index.embedding.batches import PaidEncoder
from hub_index.embedding.cache.vector_cache import VectorCache
from hub_index.embedding.encoder import Encoder
from hub_index.embedding.probes import Probe
from hub_index.errors import ProviderBrokePromise
from hub_index.hub.skill.problems import counted, listed
from hub_index.index.draft import Draft
from hub_index.index.format.vector_rows import VectorRows
from hub_index.index.format.verify import decode_index
from hub_index.index.section_writer import rows_of_files, stored_rows
from hub_index.models import IndexFiles, SkillText
from hub_index.record import Record

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

ReadTexts = Callable[[Collection[str]], Mapping[str, SkillText]]  # ids → {id: text}

MAX_PROBES = 8  # some 500 tokens: a hundredth of a cent with the dearest known model
_FEWEST_SHARING = 3
_SHARE_OF_ALL = 0.02
_KEY_BYTES = 8  # of a vector, to find those that may be equal without a copy of all
_SHOWN_IDS = 5


def choose_probes(draft: Draft, encoder: Encoder, read_texts: ReadTexts) -> tuple[Probe, ...]:
    """Up to eight reused rows whose texts are sent along with the new ones, the same eight for the same index.

    None for the embedded model: its space is a digest of its weights, so that no other can stand behind its name. (Only
    its vectors have a constant part, which therefore plays no role here.)
    """
    if draft.old is None or not draft.texts or not isinstance(encoder, PaidEncoder):
        return ()
    sources = zip(draft.records, draft.plan.sources, strict=True)
    rows = {record.text_hash: (record.id, row) for record, row in sources if row is not None}
    chosen = {text_hash: rows[text_hash] for text_hash in nsmallest(MAX_PROBES, rows)}
    texts = read_texts([id_ for id_, _ in chosen.values()])
    probe_texts = [text for text in texts.values() if text.text_hash in chosen]
    old = draft.old.rows.take([chosen[text.text_hash][1] for text in probe_texts])
    return tuple(Probe(text, vector) for text, vector in zip(probe_texts, old, strict=True))


def unasked_notice(probes: Sequence[Probe], model_id: str) -> str:
    """A notice that an accepted build did not send these probes along; empty without probes."""
    if not probes:
        return ""
    unsent = f"{counted(len(probes), 'old text')} did not ride along"
    return f"--accept vectors: {unsent}, so it is unchecked whether {model_id} still is the model of the previous index"


@dataclass(frozen=True, slots=True)
class SharedVector:
    """Records with one vector, and how many of them are too many: copies of the most frequent text count once."""

    records: Sequence[Record]
    sharing: int

    @staticmethod
    def of(records: Sequence[Record], text_of: Callable[[Record], Hashable]) -> "SharedVector":
        """The records of a vector; records with an equal `text_of` share their text."""
        most_frequent = Counter(map(text_of, records)).most_common(1)[0][1]
        return SharedVector(records, 1 + len(records) - most_frequent)


def check_shared_vectors(  # noqa: PLR0913 - what is checked, and with what
    draft: Draft,
    files: IndexFiles,
    encoder: Encoder,
    read_texts: ReadTexts,
    cache: VectorCache | None,
    *,
    is_accepted: bool,
) -> str:
    """Raises ProviderBrokePromise if three rows or more, and over 2 % of all, share vectors but not their texts.

    Returns a notice if shared vectors were accepted, else an empty text.

    Two texts that the model reads alike (it cuts long ones) are one text. The rows of several shared vectors are
    counted together: a server may give one vector a batch. Vectors of refused rows are removed from the cache.
    """
    count = draft.count
    if _count_beginning_alike(stored_rows(files)) <= _SHARE_OF_ALL * count:
        return ""
    records = draft.records if len(draft.records) == count else decode_index(files).records
    suspects = _too_many(_rows_by_vector(records, rows_of_files(files, records)), lambda record: record.text_hash)
    if not _is_refused(suspects, count):
        return ""
    distinct = {record.text_hash: record.id for suspect in suspects for record in suspect.records}
    texts = read_texts(frozenset(distinct.values()))
    as_read = {text.text_hash: encoder.as_read(text.text) for text in texts.values()}
    shared = _too_many(
        (suspect.records for suspect in suspects), lambda record: as_read.get(record.text_hash, record.text_hash)
    )
    if not _is_refused(shared, count):
        return ""
    largest = max(shared, key=lambda group: group.sharing)
    first_ids = list({as_read.get(record.text_hash): record.id for record in reversed(largest.records)}.values())[::-1]
    what = (
        f"{encoder.model_id} gave the same vector for different texts: {_sharing(shared)} of {counted(count, 'row')}, "
        f"such as {listed(first_ids, _SHOWN_IDS)}"
    )
    if is_accepted:
        return f"--accept vectors: {what}"
    if cache is not None:
        cache.forget(encoder.space, {record.text_hash for group in shared for record in group.records})
    raise ProviderBrokePromise(
        f"{what}; nothing was written. Try again when the provider works again, with --force if the previous index has "
        "them, or with --accept vectors if it is intentional"
    )


def _rows_by_vector(records: Sequence[Record], vectors: VectorRows) -> Iterable[Sequence[Record]]:
    """The records that share a vector, bit for bit, with a record of another text."""
    for group in _rows_by_beginning(vectors):
        if len({records[row].text_hash for row in group}) > 1:
            by_vector: dict[bytes, list[Record]] = {}
            for row, vector in zip(group, vectors.take(group), strict=True):
                by_vector.setdefault(vector.tobytes(), []).append(records[row])
            yield from by_vector.values()


def _count_beginning_alike(vectors: VectorRows) -> int:
    """The number of rows that begin as two others or more: an upper bound for shared vectors, and quick to find."""
    import numpy as np

    _, counts = np.unique(_beginnings(vectors)[1], return_counts=True)
    return int(counts[counts >= _FEWEST_SHARING].sum())


def _rows_by_beginning(vectors: VectorRows) -> list[list[int]]:
    """The rows whose vectors begin alike, by the first of them; rows that begin like no other are left out."""
    import numpy as np

    rows, beginnings = _beginnings(vectors)
    _, groups, counts = np.unique(beginnings, return_inverse=True, return_counts=True)
    shared: dict[int, list[int]] = {}
    for place in np.flatnonzero(counts[groups] > 1).tolist():
        shared.setdefault(int(groups[place]), []).append(int(rows[place]))
    return sorted(sorted(group) for group in shared.values())


def _beginnings(vectors: VectorRows) -> "tuple[NDArray[np.int64], NDArray[np.uint64]]":
    """Every row, and the first bytes of its vector as one number."""
    import numpy as np

    rows = [np.zeros(0, dtype=np.int64)]
    beginnings = [np.zeros(0, dtype=np.uint64)]
    for block_rows, matrix in vectors.blocks():
        first = np.zeros((len(matrix), _KEY_BYTES // matrix.itemsize), dtype=matrix.dtype)
        first[:, : matrix.shape[1]] = matrix[:, : first.shape[1]]
        rows.append(block_rows)
        beginnings.append(first.view(np.uint64).reshape(-1))
    return np.concatenate(rows), np.concatenate(beginnings)


def _too_many(groups: Iterable[Sequence[Record]], text_of: Callable[[Record], Hashable]) -> list[SharedVector]:
    shared = (SharedVector.of(records, text_of) for records in groups)
    return [group for group in shared if group.sharing >= _FEWEST_SHARING]


def _is_refused(shared: Iterable[SharedVector], count: int) -> bool:
    return _sharing(shared) > _SHARE_OF_ALL * count


def _sharing(shared: Iterable[SharedVector]) -> int:
    return sum(group.sharing for group in shared)
