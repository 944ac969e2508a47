"""list and status: a page of the skills of the chosen hubs, by hub and id; and the state of each hub, with the reason
why one cannot be used.
"""

from dataclasses import replace

from hub_index import GENERATOR
from hub_index.errors import HubIndexError
from hub_index.hub.record_file import record_type
from hub_index.search.places.missing_files import file_of, is_gone
from hub_index.search.results import skill_uri
from hub_index.service.answers import HubStatus, ServiceStatus, SkillEntry, SkillList
from hub_index.service.cursor import decode_list_cursor, encode_list_cursor
from hub_index.service.hubs.open_hubs import digest_hubs
from hub_index.service.record_filter import plan_filter

TYPE_CHECKING = False  # typing itself costs a search 5 ms
if TYPE_CHECKING:
    from collections.abc import Sequence

    from hub_index.record import Record
    from hub_index.search.ranking.engine import Engine
    from hub_index.service.hubs.open_hubs import OpenHub
    from hub_index.service.requests import Deadline, ListRequest
    from hub_index.service.service import Service


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
    return SkillEntry(hub, skill_uri(hub, file), record_type(record.id, record.path), record, file)


def read_status(service: "Service", deadline: "Deadline") -> ServiceStatus:
    """The state of each hub; one that cannot be used says why."""
    hubs: list[HubStatus] = []
    for hub in service.hubs:
        deadline.check()
        hubs.append(_read_hub(hub))
    hubs += [HubStatus(name, "", "", "unusable", str(error)) for name, error in service.failures.items()]
    return ServiceStatus(GENERATOR.rpartition(" ")[2], digest_hubs(service.hubs), tuple(hubs))


def _read_hub(hub: "OpenHub") -> HubStatus:
    with hub.lock:
        try:
            engine = hub.index.open_engine()
        except HubIndexError as error:
            return HubStatus(hub.name, hub.folder, "", "unusable", str(error))
        known = HubStatus(hub.name, hub.folder, engine.index_dir, "ready")
        known = replace(known, skills=engine.lexical.count, unindexed=engine.unindexed)
        if hub.is_embedding:
            known = replace(known, state="embedding", embedded=hub.embedded, to_embed=hub.to_embed)
            return replace(known, reason=hub.why_words)
        if not engine.index_dir:
            return replace(known, state="words", reason=hub.why_words or str(hub.index.reader.main_refusal()))
        return _with_manifest(known, hub)


def _with_manifest(known: HubStatus, hub: "OpenHub") -> HubStatus:
    try:
        manifest = hub.index.reader.read_manifest(known.index_dir)
    except HubIndexError as error:  # it changed a moment ago
        return replace(known, state="words", reason=str(error))
    return replace(
        known, model_id=manifest.model_id, hub_revision=manifest.hub_revision, created_at=manifest.created_at
    )
