"""status: what is known of each hub, and why one cannot be used."""

from dataclasses import replace

from hub_index import GENERATOR
from hub_index.errors import HubIndexError
from hub_index.service.answers import HubStatus, ServiceStatus
from hub_index.service.hubs.open_hubs import digest_hubs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hub_index.service.deadline import Deadline
    from hub_index.service.hubs.open_hubs import OpenHub
    from hub_index.service.service import Service


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
