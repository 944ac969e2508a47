"""list: a page of the skills of the chosen hubs, by hub and id."""

from hub_index.errors import HubIndexError
from hub_index.limits import MAX_COUNT, MAX_OPEN_HUBS
from hub_index.search.presence import file_of, is_gone
from hub_index.search.results import skill_uri
from hub_index.service.answers import SkillEntry, SkillList
from hub_index.service.cursor import decode_cursor, encode_cursor
from hub_index.service.filters import plan_filter, record_type

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from hub_index.record import Record
    from hub_index.search.engine import Engine
    from hub_index.service.deadline import Deadline
    from hub_index.service.hubs import OpenHub
    from hub_index.service.requests import ListRequest


def list_skills(hubs: "Sequence[OpenHub]", request: "ListRequest", deadline: "Deadline") -> SkillList:
    """One page, and how many there are in all. Raises as `Service.list` says."""
    offset = decode_cursor(request, MAX_COUNT * MAX_OPEN_HUBS)
    allows = plan_filter(request)
    skills: list[SkillEntry] = []
    notices: list[str] = []
    seen = 0
    for hub in hubs:
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
                if offset <= seen < offset + request.limit:
                    skills.append(_entry(hub.name, engine, record))
                seen += 1
    end = offset + len(skills)
    cursor = encode_cursor(request, end) if skills and end < seen else ""
    return SkillList(tuple(skills), seen, cursor, tuple(notices))


def _entry(hub: str, engine: "Engine", record: "Record") -> SkillEntry:
    file = file_of(engine, record)
    return SkillEntry(hub, skill_uri(hub, file), record_type(record), record, file)
