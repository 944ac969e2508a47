"""list: a page of the skills of the chosen hubs, by hub and id."""

from hub_index.errors import HubIndexError
from hub_index.search.places.missing_files import file_of, is_gone
from hub_index.search.results import skill_uri
from hub_index.service.answers import SkillEntry, SkillList
from hub_index.service.cursor import decode_list_cursor, encode_list_cursor
from hub_index.service.filters import plan_filter, record_type

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from hub_index.record import Record
    from hub_index.search.ranking.engine import Engine
    from hub_index.service.deadline import Deadline
    from hub_index.service.hubs.open_hubs import OpenHub
    from hub_index.service.requests import ListRequest


def list_skills(hubs: "Sequence[OpenHub]", request: "ListRequest", deadline: "Deadline") -> SkillList:
    """One page, and how many there are in all. Raises as `Service.list` says."""
    start = _start(hubs, request)
    allows = plan_filter(request)
    skills: list[SkillEntry] = []
    notices: list[str] = []
    total = left = 0
    for number, hub in enumerate(hubs):
        deadline.check()
        with hub.lock:
            try:
                engine = hub.index.open_engine()
            except HubIndexError as error:
                if len(hubs) == 1:
                    raise
                notices.append(f"{hub.name} was left out: {error}")
                continue
            notices += engine.notices
            for record in engine.lexical.list_records():
                if (allows is not None and not allows(record)) or is_gone(engine, record):
                    continue
                total += 1
                if (number, record.id) <= start:
                    continue
                if len(skills) < request.limit:
                    skills.append(_entry(hub.name, engine, record))
                else:
                    left += 1
    cursor = encode_list_cursor(request, skills[-1].hub, skills[-1].record.id) if left else ""
    return SkillList(tuple(skills), total, cursor, tuple(notices))


def _start(hubs: "Sequence[OpenHub]", request: "ListRequest") -> tuple[int, str]:
    """The hub's number and the id after which the page begins."""
    after = decode_list_cursor(request)
    numbers = [number for number, hub in enumerate(hubs) if after is not None and hub.name == after[0]]
    return (numbers[0], after[1]) if after is not None and numbers else (-1, "")


def _entry(hub: str, engine: "Engine", record: "Record") -> SkillEntry:
    file = file_of(engine, record)
    return SkillEntry(hub, skill_uri(hub, file), record_type(record), record, file)
