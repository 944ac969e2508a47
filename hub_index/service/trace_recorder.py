"""The record of a service's searches and uses, where the user wants one: written behind the answers, in their order.

Only searches of one hub are recorded: what is learnt belongs to a hub.
"""

from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING

from hub_index.errors import ConfigError, HubIndexError
from hub_index.search.results import new_search_id
from hub_index.traces.hub_identity import identify_hub
from hub_index.traces.recording import describe_search, record_open, record_search, record_use, try_to_record

if TYPE_CHECKING:
    from collections.abc import Callable

    from hub_index.search.index import Index
    from hub_index.search.results import Results
    from hub_index.service.answers import SkillText
    from hub_index.service.requests import FindRequest, ReadRequest
    from hub_index.service.service import Service

_WAIT_S = 2.0  # for the answer to a report of use, which may stand behind some searches
_OPTIONS = {"fusion": "default", "alpha": None, "min_score": None, "recency": False, "diverse": False}


class TraceRecorder:
    """Keeps what a service finds, what is read of it and what became of that, in the user's state folder."""

    def __init__(self, service: "Service", folder: str) -> None:
        self._service, self._folder = service, folder
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="traces")
        self.trouble = ""  # why one could not be written; of several the last

    def record_find(self, request: "FindRequest", results: "Results") -> str:
        """The search_id under which this answer is remembered; empty where several hubs answered."""
        hubs = self._service.choose(request.hubs)
        if len(hubs) != 1:
            return ""
        index, search_id = hubs[0].index, new_search_id()
        given = {name: getattr(request, name) for name, unset in _OPTIONS.items() if getattr(request, name) != unset}
        kept = results.replace(search_id=search_id)
        self._later(lambda: record_search(self._folder, describe_search(index, kept, {**given, "k": request.k})))
        return search_id

    def record_read(self, request: "ReadRequest", answer: "SkillText") -> None:  # noqa: ARG002 - as the service calls it
        """Notes that a skill was opened."""
        index = self._index_of(answer.hub)
        if index is not None:
            self._later(lambda: record_open(self._folder, identify_hub(index), answer.id))

    def record_use(self, search_id: str, uri: str, outcome: str) -> bool:
        """Whether the outcome was kept; not so for a search or a skill that nobody knows."""
        try:
            hit = self._service.show(uri)
        except HubIndexError:
            return False
        index = self._index_of(hit.hub)
        if index is None:
            return False
        hub = identify_hub(index)
        done = self._later(lambda: record_use(self._folder, hub, hit.id, outcome, search_id=search_id))
        try:
            return done.result(_WAIT_S)
        except (ConfigError, TimeoutError):
            return False

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


def add_recorder(service: "Service", folder: str) -> TraceRecorder:
    """Lets a service record from now on; the caller closes what comes back."""
    recorder = TraceRecorder(service, folder)
    service.recorder = recorder
    return recorder
