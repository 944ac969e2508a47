"""`Service`: the open hubs and the five operations on them. Each blocks and may be called from any thread.

The operations themselves are in other modules: finding, reading, neighbours, listing, status. None of them knows a
door.
"""

from contextlib import nullcontext

from hub_index.base.characters import quote_line
from hub_index.errors import ConfigError, CopyDamaged
from hub_index.limits import MAX_REFERENCE_CHARS, MAX_TRACE_ID_CHARS
from hub_index.search.options import DEFAULT_K
from hub_index.service.hubs.open_hubs import digest_hubs
from hub_index.service.requests import Deadline, check_find, check_list, check_read, check_related, check_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Protocol, Self, TypeVar

    from hub_index.errors import HubIndexError
    from hub_index.search.results import Hit, Results
    from hub_index.service.answers import ServiceStatus, SkillList, SkillText
    from hub_index.service.folders.folder_hub import Traffic, Watcher
    from hub_index.service.hubs.open_hubs import OpenHub
    from hub_index.service.requests import FindRequest, ListRequest, ReadRequest, RelatedRequest
    from hub_index.service.search_defaults import SearchTools
    from hub_index.service.several.federation import Federation

    Given = TypeVar("Given")
    CostOf = Callable[[Hit], int]

    class Recorder(Protocol):
        """Keeps a record of searches and uses, if the user wants one; answers do not wait for it."""

        def record_find(self, request: FindRequest, results: Results) -> str:
            """The search_id under which this answer is remembered; empty if it is not."""

        def record_read(self, request: ReadRequest, answer: SkillText) -> None:
            """Notes that a skill was opened."""

        def record_use(self, search_id: str, hit: Hit, outcome: str) -> None:
            """Keeps the outcome of a skill. Raises ConfigError, TracesUnusable; the caller waits for it."""


class Service:
    """The hubs that were opened together, by their names."""

    def __init__(
        self,
        hubs: "Sequence[OpenHub]",
        failures: "Mapping[str, HubIndexError] | None" = None,
        traffic: "Traffic | None" = None,
        recorder: "Recorder | None" = None,
    ) -> None:
        self.hubs = tuple(hubs)
        self.traffic = traffic  # where plain folders are embedded behind the answers
        self.failures = dict(failures or {})  # by name: hubs that could not be opened
        self.recorder = recorder
        self.tools: SearchTools | None = None  # what the process's owner has set for every search
        self._federation: Federation | None = None

    def find(
        self,
        request: "FindRequest",
        deadline: Deadline | None = None,
        *,
        cost_of: "CostOf | None" = None,
    ) -> "Results":
        """The skills that fit a query, best first; notices name fallbacks and omissions.

        `cost_of` counts the tokens that a door needs for a hit; without it the hit's own words are counted.
        Raises ConfigError, IndexUnusable, ProviderError (both in mode `semantic`), AnswerStopped.
        """
        from hub_index.service.find.find import Finding

        check_find(request)
        hubs = self.choose(request.hubs)
        deadline = deadline or Deadline()
        results = self._answer(hubs, lambda: Finding(self, hubs, request, deadline).find(cost_of))
        if self.failures and not request.hubs:
            results = results.replace(notices=(*results.notices, *self.say_failures()))
        is_kept = self.recorder is not None and not request.is_preview
        search_id = self.recorder.record_find(request, results) if self.recorder and is_kept else ""
        return results.replace(search_id=search_id) if search_id else results

    def related(
        self, request: "RelatedRequest", deadline: Deadline | None = None, *, cost_of: "CostOf | None" = None
    ) -> "Results":
        """The nearest skills to one skill, from its own hub and all others with the same model.

        Raises ConfigError, SkillUnknown, IndexUnusable, AnswerStopped.
        """
        from hub_index.service.related import find_neighbours

        check_related(request)
        deadline = deadline or Deadline()
        return self._answer(self.hubs, lambda: find_neighbours(self, request, deadline, cost_of))

    def read(self, request: "ReadRequest", deadline: Deadline | None = None) -> "SkillText":
        """A skill's text or a file's beside it, within the budget. Raises ConfigError, SkillUnknown, AnswerStopped."""
        from hub_index.service.reading.read_skill import read_skill

        check_read(request)
        deadline = deadline or Deadline()
        answer = self._answer(self.hubs, lambda: read_skill(self, request, deadline))
        if self.recorder:
            self.recorder.record_read(request, answer)
        return answer

    def report_use(self, search_id: str, skill: str, outcome: str) -> None:
        """Records the outcome of a skill that a search has shown; `skill` may be all that `ReadRequest.skill` may be.

        Raises SkillUnknown, TracesUnusable, and ConfigError without a record of that search and skill.
        """
        if self.recorder is None:
            raise ConfigError("no record of searches and uses is kept here; AXON_TRACES=on keeps one")
        check_text("search_id", search_id, MAX_TRACE_ID_CHARS)
        hit = self.show(skill)
        self.recorder.record_use(search_id, hit, outcome)

    def show(self, skill: str) -> "Hit":
        """One skill's record, by all that `ReadRequest.skill` may be. Raises ConfigError, SkillUnknown."""
        from hub_index.service.hubs.reference import find_reference

        check_text("skill", skill, MAX_REFERENCE_CHARS)
        return self._answer(self.hubs, lambda: find_reference(self, skill).hit)

    def list(self, request: "ListRequest", deadline: Deadline | None = None) -> "SkillList":
        """A page of skills, by hub and id. Raises ConfigError, IndexUnusable, AnswerStopped."""
        from hub_index.service.hub_contents import list_skills

        check_list(request)
        hubs = self.choose(request.hubs)
        deadline = deadline or Deadline()
        listed = self._answer(hubs, lambda: list_skills(hubs, request, deadline))
        if not self.failures:
            return listed
        from dataclasses import replace

        return replace(listed, notices=(*listed.notices, *self.say_failures()))

    def status(self, deadline: Deadline | None = None) -> "ServiceStatus":
        """The state of each hub; never raises for a hub that cannot be used."""
        from hub_index.service.hub_contents import read_status

        deadline = deadline or Deadline()
        return self._answer(self.hubs, lambda: read_status(self, deadline))

    def hubs_digest(self, names: tuple[str, ...] = ()) -> str:
        """A short text that changes when one of the hubs, or what its index says, does; some files are looked at."""
        return digest_hubs(self.choose(names))

    @property
    def default_k(self) -> int:
        """How many hits a search shows that does not say."""
        return self.tools.usual.k if self.tools is not None else DEFAULT_K

    @property
    def federation(self) -> "Federation":
        """The shared state of hubs that are searched together."""
        if self._federation is None:
            from hub_index.service.several.federation import Federation

            self._federation = Federation()
        return self._federation

    def choose(self, names: tuple[str, ...]) -> "tuple[OpenHub, ...]":
        """The hubs of these names, all without any. Raises ConfigError for a name that no hub has."""
        if not names:
            return self.hubs
        unknown = [name for name in names if name not in [hub.name for hub in self.hubs]]
        if unknown:
            shown = ", ".join(quote_line(hub.name) for hub in self.hubs)
            raise ConfigError(f"there is no hub {quote_line(unknown[0])} here; the hubs are {shown}")
        return tuple([hub for hub in self.hubs if hub.name in names])

    def say_failures(self) -> tuple[str, ...]:
        """A notice for each hub that could not be opened."""
        return tuple([f"{name} was left out: {error}" for name, error in self.failures.items()])

    def close(self) -> None:
        """Lets go of encoders and of work in the background."""
        if self.traffic is not None:
            self.traffic.close()
        for hub in self.hubs:
            hub.close()
        if self.tools is not None and self.tools.reranker is not None:
            self.tools.reranker.close()

    def watch(self, watcher: "Watcher") -> None:
        """Calls `watcher(hub's name, texts embedded, of how many)` while a folder is embedded, from its thread."""
        if self.traffic is not None:
            self.traffic.watchers.append(watcher)

    def _answer(self, hubs: "Sequence[OpenHub]", job: "Callable[[], Given]") -> "Given":
        """The answer of the job: folders are refreshed first, and background work waits.

        If a file of the cache is damaged, in any hub, it is removed, and the job is done again.
        """
        for hub in hubs:
            hub.refresh()
        with self.traffic.answer() if self.traffic is not None else nullcontext():
            try:
                return job()
            except CopyDamaged:
                return job()

    def __enter__(self) -> "Self":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
