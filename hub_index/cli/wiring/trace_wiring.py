"""The command line's side of traces: written after the answer's last byte, and a failure is a line on stderr.

Nothing of `hub_index.traces`, SQLite above all, is imported by a search that neither records nor learns.
"""

import os
import sys

from hub_index.cli.terminal import notice
from hub_index.errors import TracesUnusable
from hub_index.settings import Settings

TYPE_CHECKING = False  # as typing's own, which a cold search cannot afford
if TYPE_CHECKING:
    from collections.abc import Callable

    from hub_index.search.index import Index
    from hub_index.search.results import Results
    from hub_index.service.service import Service


def record_answer(service: "Service", results: "Results", options: dict[str, object], settings: Settings) -> None:
    """Records an answer that is printed already; `options` are those that the user has given."""
    indexes = {hub.name: hub.index for hub in service.hubs}

    def record() -> None:
        from hub_index.traces.recording import record_searches

        record_searches(settings.state_folder, indexes, results, options)

    _record(record)


def record_look(index: "Index", skill: str, settings: Settings) -> None:
    """Records that a skill was looked at, where searches are recorded."""
    if not settings.traces:
        return

    def record() -> None:
        from hub_index.traces.recording import identify_hub, record_open

        record_open(settings.state_folder, identify_hub(index), skill)

    _record(record)


def describe_use(index: "Index", skill: str, settings: Settings) -> dict[str, object]:
    """How often a skill was shown and accepted; empty without traces."""
    if not os.path.isdir(settings.state_folder):
        return {}
    from hub_index.cli.text.times import as_utc_text
    from hub_index.traces.recording import identify_hub
    from hub_index.traces.trace_history import SkillUse, read_skill_uses

    try:
        uses = read_skill_uses(settings.state_folder, identify_hub(index), skill)
    except TracesUnusable as error:
        notice(f"note: {error}")
        return {}
    use = uses[0] if uses else SkillUse(skill)
    return {
        "retrieval_count": use.retrieval_count,
        "last_retrieved_at": as_utc_text(use.last_retrieved_at),
        "acceptance": None if use.acceptance is None else round(use.acceptance, 4),
    }


def _record(record: "Callable[[], None]") -> None:
    sys.stdout.flush()
    from hub_index.traces.recording import try_to_record

    if trouble := try_to_record(record):
        notice(trouble)
