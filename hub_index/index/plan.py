"""What a build must embed, and where every other vector comes from: the difference of two lists, nothing else.

Stands between reading the hub and embedding. Pure: no disk, no clock, no numpy.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class WantedRow:
    """A row that the new index shall have."""

    id: str
    text_hash: str


@dataclass(frozen=True, slots=True)
class PreviousRows:
    """The rows of the previous index, in its order."""

    ids: tuple[str, ...]
    text_hashes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """Where each wanted row's vector comes from, and what is new, edited and gone."""

    sources: tuple[int | None, ...]  # the previous row to copy; None: the text has to be embedded
    embed: tuple[str, ...]  # distinct text_hashes, in the order in which rows first ask for them
    added: tuple[str, ...]
    changed: tuple[str, ...]  # ids that were there with another text
    removed: tuple[str, ...]
    renamed: int  # how many of the added ids carry the text of a removed one


def plan_rows(wanted: Sequence[WantedRow], previous: PreviousRows | None, *, reuse: bool = True) -> Plan:
    """Reuse by an id's own text, else by the same text under any id; the rest is embedded, each text once.

    `reuse` is False where the previous vectors may not be used (another space, --force): its rows then only
    tell what was added, changed and removed.
    """
    old = previous if previous is not None else PreviousRows((), ())
    row_of_id = {id_: row for row, id_ in enumerate(old.ids)}
    row_of_text: dict[str, int] = {}
    for row, text_hash in enumerate(old.text_hashes):
        row_of_text.setdefault(text_hash, row)  # the first one: the same choice in every build

    def source(row: WantedRow) -> int | None:
        own = row_of_id.get(row.id)
        if own is not None and old.text_hashes[own] == row.text_hash:
            return own
        return row_of_text.get(row.text_hash)

    sources = tuple(source(row) if reuse else None for row in wanted)
    ids = {row.id for row in wanted}
    added = [row for row in wanted if row.id not in row_of_id]
    removed = [row for row, id_ in enumerate(old.ids) if id_ not in ids]
    return Plan(
        sources=sources,
        embed=tuple(dict.fromkeys(row.text_hash for row, at in zip(wanted, sources, strict=True) if at is None)),
        added=tuple(row.id for row in added),
        changed=tuple(
            row.id for row in wanted if row.id in row_of_id and old.text_hashes[row_of_id[row.id]] != row.text_hash
        ),
        removed=tuple(old.ids[row] for row in removed),
        renamed=_count_shared([row.text_hash for row in added], [old.text_hashes[row] for row in removed]),
    )


def _count_shared(some: Sequence[str], others: Sequence[str]) -> int:
    return (Counter(some) & Counter(others)).total()
