"""What a build must embed, and where every other vector comes from: the difference of two lists, nothing else.

Stands between reading the hub and embedding. Pure: no disk, no clock, no numpy.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from hub_index.record import Record


@dataclass(frozen=True, slots=True)
class Plan:
    """Where each wanted record's vector comes from, and what is new, edited and gone."""

    sources: tuple[int | None, ...]  # the previous row to copy; None: the text has to be embedded
    embed: tuple[str, ...]  # distinct text_hashes, in the order in which records first ask for them
    added: tuple[str, ...]
    edited: tuple[str, ...]  # ids that were there with another text
    removed: tuple[str, ...]


def plan_rows(wanted: Sequence[Record], previous: Sequence[Record], *, reuse: bool = True) -> Plan:
    """Reuse by an id's own text, else by the same text under any id; the rest is embedded, each text once.

    `reuse` is False where the previous vectors may not be used (another space, --force): its records then only
    tell what was added, edited and removed.
    """
    old_texts = {record.id: record.text_hash for record in previous}
    row_of_id = {record.id: row for row, record in enumerate(previous)}
    row_of_text: dict[str, int] = {}
    for row, record in enumerate(previous):
        row_of_text.setdefault(record.text_hash, row)  # the first one: the same choice in every build

    def source(record: Record) -> int | None:
        if old_texts.get(record.id) == record.text_hash:
            return row_of_id[record.id]
        return row_of_text.get(record.text_hash)

    sources = tuple(source(record) if reuse else None for record in wanted)
    ids = {record.id for record in wanted}
    return Plan(
        sources=sources,
        embed=tuple(
            dict.fromkeys(record.text_hash for record, row in zip(wanted, sources, strict=True) if row is None)
        ),
        added=tuple(record.id for record in wanted if record.id not in old_texts),
        edited=tuple(record.id for record in wanted if old_texts.get(record.id, record.text_hash) != record.text_hash),
        removed=tuple(id_ for id_ in old_texts if id_ not in ids),
    )
