"""Traces as lines of JSON for other people; `anonymous` leaves out users, words and exact times.

Anonymous: no query text, no words, no vector, no time of day; sessions, searches, hubs and queries become numbers that
are the same within one export and mean nothing beyond it. The skills' ids stay: the export is about them.
"""

from collections.abc import Iterator
from datetime import UTC, datetime

from hub_index.traces.history import read_events

_NAMES = ("session", "search_id", "hub", "query")


def export_events(folder: str, *, anonymous: bool) -> Iterator[dict[str, object]]:
    """The events, oldest first. Raises TracesUnusable."""
    numbers: dict[str, dict[object, int]] = {name: {} for name in _NAMES}
    for event in reversed(read_events(folder)):
        yield _anonymous(event, numbers) if anonymous else event


def _anonymous(event: dict[str, object], numbers: dict[str, dict[object, int]]) -> dict[str, object]:
    kept: dict[str, object] = {name: event[name] for name in ("kind", "skill", "mode", "shown") if name in event}
    moment = datetime.fromtimestamp(float(str(event["at"])), UTC)
    for name in _NAMES:
        if event.get(name) is not None:
            number_of = numbers[name]
            kept[name] = number_of.setdefault(event[name], len(number_of) + 1)
    return {"day": moment.date().isoformat(), **kept}
