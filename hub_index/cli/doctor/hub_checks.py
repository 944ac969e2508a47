"""The doctor's checks of hubs.toml: a line for each listed hub, whether it can be opened, and what to do."""

import os
from collections.abc import Iterator
from contextlib import closing

from hub_index.cli.doctor.doctor_check import Check
from hub_index.errors import ConfigError, HubIndexError
from hub_index.hub.skill.problems import counted
from hub_index.service import open_service
from hub_index.service.hubs.hub_list import ListedHub, read_hub_list
from hub_index.service.hubs.open_hubs import HUBS_FILE, HubPlace, is_plain_folder
from hub_index.settings import Settings


def listed_hub_checks(settings: Settings) -> Iterator[Check]:
    """The checks of each hub in hubs.toml; empty without the file."""
    try:
        listed = read_hub_list(settings.axon_home)
    except ConfigError as error:
        yield Check(HUBS_FILE, "bad", str(error))
        return
    for hub in listed:
        state, detail = _look(hub, settings) if os.path.isdir(hub.folder) else _without_folder(hub)
        yield Check(f"listed hub {hub.name}", state, detail)


def _without_folder(hub: ListedHub) -> tuple[str, str]:
    if hub.address:
        return "absent", f"not synced to {hub.folder} yet: run `hub-index sync`"
    if hub.is_relative:
        return "absent", f"{hub.folder} is not in the current folder; it is searched where it is"
    return "bad", f"there is no folder {hub.folder}: make it, or change its line in {HUBS_FILE}"


def _look(hub: ListedHub, settings: Settings) -> tuple[str, str]:
    """The service's state of the hub; nothing is embedded for it."""
    place = HubPlace(hub.name, hub.folder, is_listed=True)
    try:
        service = open_service((place,), home=settings.axon_home, cache_dir=settings.cache_folder, embed="never")
        with closing(service):
            (status,) = service.status().hubs
    except HubIndexError as error:
        return "bad", str(error)
    if status.state == "unusable":
        return "bad", status.reason
    skills = f"{hub.folder}: {counted(status.skills, 'skill')}"
    if status.state == "ready":
        return "ok", f"{skills} by {status.model_id}"
    if is_plain_folder(place):
        return "ok", f"{skills} of a plain folder, which is embedded where it is searched by meaning"
    return "absent", f"{skills}, searched by words: {status.reason}"
