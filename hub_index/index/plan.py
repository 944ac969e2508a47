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
    row_of_id = {record.id: row for row, record in enumerate(previous)}
    own = [row_of_id.get(record.id) for record in wanted]  # the old row of each id
    others = [
        (record, before)
        for record, before in zip(wanted, own, strict=True)
        if before is None or previous[before].text_hash != record.text_hash
    ]
    new_texts = {record.text_hash for record, _ in others}
    row_of_text: dict[str, int] = {}
    for row, record in enumerate(previous):
        if record.text_hash in new_texts:
            row_of_text.setdefault(record.text_hash, row)  # the first one: the same choice in every build
    if reuse:
        moved = {record.id: row_of_text.get(record.text_hash) for record, _ in others}
        sources = tuple(moved.get(record.id, before) for record, before in zip(wanted, own, strict=True))
    else:
        sources = (None,) * len(wanted)
    ids = {record.id for record in wanted}
    return Plan(
        sources=sources,
        embed=tuple(
            dict.fromkeys(record.text_hash for record, row in zip(wanted, sources, strict=True) if row is None)
        ),
        added=tuple(record.id for record, before in others if before is None),
        edited=tuple(record.id for record, before in others if before is not None),
        removed=tuple(id_ for id_ in row_of_id if id_ not in ids),
    )
