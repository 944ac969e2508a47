"""The skills of an index whose files are gone from the checkout: deleted files and links are left out of results."""

from hub_index.frozen import FrozenValue
from hub_index.hub.record_file import likely_file, record_file
from hub_index.search.candidate import Candidate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from hub_index.record import Record
    from hub_index.search.ranking.engine import Engine


class PresentRows(FrozenValue):
    """The first candidates whose files are in the checkout, with their records, and how many before them are not."""

    rows: "list[tuple[Candidate, Record]]"
    gone: int

    def say_gone(self, thing: str, things: str) -> str:
        """A notice about those that are not there."""
        if self.gone == 1:
            return f"1 {thing} is no longer in the checkout and was left out"
        return f"{self.gone} {things} are no longer in the checkout and were left out"


def file_of(engine: "Engine", record: "Record") -> str:
    """The record's file from the hub's root, in the checkout's spelling if there is one."""
    file = record_file(engine.hub, record.id, record.path) if engine.hub else ""
    return file or likely_file(record.id, record.path)


def is_gone(engine: "Engine", record: "Record") -> bool:
    """Whether the index knows a skill that the checkout does not hold any more."""
    return bool(engine.hub and engine.index_dir) and not record_file(engine.hub, record.id, record.path)


def keep_present(engine: "Engine", candidates: "Sequence[Candidate]", k: int) -> PresentRows:
    """The first k candidates that are not gone."""
    rows: list[tuple[Candidate, Record]] = []
    gone = 0
    left = list(candidates)
    for at, candidate in enumerate(left):  # which a gone hit's copy may still join
        if len(rows) == k:
            break
        record = candidate.record or engine.lexical.read_record(candidate.address)
        if not is_gone(engine, record):
            rows.append((candidate, record))
            continue
        gone += 1
        if candidate.copies:
            _put_heir(left, at + 1, candidate.copies)
    return PresentRows(rows, gone)


def _put_heir(left: "list[Candidate]", start: int, copies: "tuple[Candidate, ...]") -> None:
    """Puts the best copy of a hit that is gone where its own score belongs, with the other copies."""
    heir = copies[0]
    heir.copies = copies[1:]
    place = next((at for at in range(start, len(left)) if left[at].score < heir.score), len(left))
    left.insert(place, heir)
