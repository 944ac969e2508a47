"""The doctor's checks of searching: the index that would answer, the reason why not another, and its vectors.

The text of a known record is embedded again and compared with its row: is the model still the same?

A line for each hub of hubs.toml too: whether it can be opened, and what to do.
"""

import argparse
import os
from collections.abc import Iterator
from contextlib import closing
from hashlib import sha256

from hub_index.cli.doctor.doctor_check import Check, state_of
from hub_index.cli.wiring.search_wiring import open_from
from hub_index.errors import ConfigError, HubIndexError
from hub_index.hub.skill.problems import counted
from hub_index.index.folder.reading import read_files
from hub_index.index.format.vectors import base_rows
from hub_index.index.format.verify import decode_index
from hub_index.search.places.reader import Reader
from hub_index.search.ranking.engine import Engine
from hub_index.service import open_service
from hub_index.service.hubs.hub_list import ListedHub, read_hub_list
from hub_index.service.hubs.open_hubs import HUBS_FILE, HubPlace, is_plain_folder
from hub_index.settings import Settings

_SAME = 0.999  # the same text under the same model; other processors differ in the sixth digit


def search_checks(arguments: argparse.Namespace) -> Iterator[Check]:
    """The parts that a search would use, and why."""
    try:
        index = open_from(arguments)
    except ConfigError as error:
        yield Check("search", "bad", str(error))
        return
    with closing(index):
        yield from _check(index.reader)


def _check(reader: Reader) -> Iterator[Check]:
    try:
        opened = reader.open_vectors()
    except HubIndexError as error:
        yield from _refusals(reader)
        yield from _keyword_only(reader, error)
        return
    yield from _refusals(reader)
    notices = "".join(f"; {text}" for text in opened.notices)
    yield Check("search index", "ok", f"{opened.index_dir} by {opened.model_id}, hybrid{notices}")
    yield _compare(opened, reader)


def _refusals(reader: Reader) -> Iterator[Check]:
    for place, error in reader.refusals:
        yield Check(f"{place.kind} index", state_of(error), str(error))


def _keyword_only(reader: Reader, reason: HubIndexError) -> Iterator[Check]:
    try:
        opened = reader.open_keyword()
    except HubIndexError as error:
        yield Check("search", state_of(error), str(error))
        return
    source = opened.index_dir or f"the files of {opened.hub}"
    yield Check("search", "ok", f"keyword only, from {source}: {reason}")


def _compare(opened: Engine, reader: Reader) -> Check:
    """Embeds the text of a record again and compares the vectors; the text must follow from the record's fields."""
    try:
        index = decode_index(read_files(reader.folder_of(opened.index_dir)))
    except HubIndexError as error:  # it was right a moment ago
        return Check("semantic half", "bad", str(error))
    for row, record in enumerate(index.records):
        text = f"name: {record.name}\ndescription: {record.description}"
        if sha256(text.encode()).hexdigest() == record.text_hash and opened.encoder is not None:
            try:
                again = opened.base_vector(opened.encoder.embed_documents([text])[0])
            except HubIndexError as error:
                return Check("semantic half", "bad", str(error))
            cosine = float(base_rows(index.rows.take([row]), index.manifest)[0] @ again)
            state = "ok" if cosine >= _SAME else "bad"
            advice = "" if state == "ok" else "; the model is not the one that made this index: build it again"
            return Check("semantic half", state, f"{record.id} embedded again: cosine {cosine:.4f}{advice}")
    return Check("semantic half", "absent", "no record's text follows from its fields, so none was compared")


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
