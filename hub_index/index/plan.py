"""The texts that a build must embed, and the source of every other vector: the difference of two lists, nothing else.

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

    `reuse` is False if the previous vectors may not be used (another space, --force): its records then only show what
    was added, edited and removed.
    """
    row_of_id = {record.id: row for row, record in enumerate(previous)}
    own = [row_of_id.get(record.id) for record in wanted]  # the old row of each id
    changed = [
        row
        for row, (record, before) in enumerate(zip(wanted, own, strict=True))
        if before is None or previous[before].text_hash != record.text_hash
    ]
    sources = _find_texts(wanted, previous, own, changed) if reuse else [None] * len(wanted)
    lacking = [row for row in changed if sources[row] is None] if reuse else range(len(wanted))
    is_any_gone = len(own) - own.count(None) < len(row_of_id)
    ids = {record.id for record in wanted} if is_any_gone else row_of_id.keys()
    return Plan(
        sources=tuple(sources),
        embed=tuple(dict.fromkeys([wanted[row].text_hash for row in lacking])),
        added=tuple([wanted[row].id for row in changed if own[row] is None]),
        edited=tuple([wanted[row].id for row in changed if own[row] is not None]),
        removed=tuple([id_ for id_ in row_of_id if id_ not in ids]),
    )


def _find_texts(
    wanted: Sequence[Record], previous: Sequence[Record], own: Sequence[int | None], changed: Sequence[int]
) -> list[int | None]:
    """The old row of each record: its id's own, or for a changed one the first with the same text, if there is any."""
    new_texts = {wanted[row].text_hash for row in changed}
    row_of_text: dict[str, int] = {}
    for row, record in enumerate(previous if changed else ()):
        if record.text_hash in new_texts:
            row_of_text.setdefault(record.text_hash, row)  # the first one: the same choice in every build
    sources = list(own)
    for row in changed:
        sources[row] = row_of_text.get(wanted[row].text_hash)
    return sources
