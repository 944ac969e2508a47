"""The record of a service's searches and uses, if the user wants one: written behind the answers, in their order.

The experience belongs to a hub: a search of several is recorded for each of them that has shown a skill.
"""

from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING

from hub_index.errors import TracesUnusable
from hub_index.search.results import new_search_id
from hub_index.traces.events import UsedSkill
from hub_index.traces.recording import identify_hub, record_open, record_searches, record_use, try_to_record

if TYPE_CHECKING:
    from collections.abc import Callable

    from hub_index.search.index import Index
    from hub_index.search.results import Hit, Results
    from hub_index.service.answers import SkillText
    from hub_index.service.requests import FindRequest, ReadRequest
    from hub_index.service.service import Service

_WAIT_S = 2.0  # for the answer to a report of use, which may stand behind some searches


class TraceRecorder:
    """Keeps a service's searches, reads and reported outcomes in the user's state folder."""

    def __init__(self, service: "Service", folder: str) -> None:
        self._service, self._folder = service, folder
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="traces")
        self.trouble = ""  # why one could not be written; the last reason of several

    def record_find(self, request: "FindRequest", results: "Results") -> str:
        """The search_id under which this answer is remembered."""
        indexes = {hub.name: hub.index for hub in self._service.choose(request.hubs)}
        search_id = new_search_id()
        kept = results.replace(search_id=search_id)
        self._later(lambda: record_searches(self._folder, indexes, kept, {**request.given(), "k": request.k}))
        return search_id

    def record_read(self, request: "ReadRequest", answer: "SkillText") -> None:  # noqa: ARG002 - as the service calls it
        """Notes that a skill was opened."""
        index = self._index_of(answer.hub)
        if index is not None:
            self._later(lambda: record_open(self._folder, identify_hub(index), answer.id))

    def record_use(self, search_id: str, hit: "Hit", outcome: str) -> None:
        """Keeps an outcome. Raises ConfigError for a search that is not known or has not shown it, TracesUnusable."""
        places = list_places(self._service, hit)
        done = self._later(lambda: record_use(self._folder, places, outcome, search_id=search_id))
        try:
            is_kept = done.result(_WAIT_S)
        except TimeoutError as error:
            raise TracesUnusable("traces: many searches are waiting to be written; try again in a moment") from error
        if not is_kept:
            raise TracesUnusable(self.trouble.removeprefix("note: "))

    def close(self) -> None:
        """Returns when everything is written."""
        self._writer.shutdown()

    def _index_of(self, hub: str) -> "Index | None":
        return next((opened.index for opened in self._service.hubs if opened.name == hub), None)

    def _later(self, record: "Callable[[], object]") -> "Future[bool]":
        return self._writer.submit(self._write, record)

    def _write(self, record: "Callable[[], object]") -> bool:
        trouble = try_to_record(record)
        self.trouble = trouble or self.trouble
        return not trouble


def list_places(service: "Service", hit: "Hit") -> list[UsedSkill]:
    """A skill in each of the open hubs that have it."""
    indexes = {opened.name: opened.index for opened in service.hubs}
    named = [(hit.hub, hit.id), *[(place.hub, place.id) for place in hit.also_in]]
    return [UsedSkill(identify_hub(indexes[hub]), skill) for hub, skill in named]


def add_recorder(service: "Service", folder: str) -> TraceRecorder:
    """Lets a service record from now on; the caller closes what comes back."""
    recorder = TraceRecorder(service, folder)
    service.recorder = recorder
    return recorder
