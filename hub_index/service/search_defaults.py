"""The process owner's settings for all searches: a reranker, a preset, an experience, defaults of open options.

The first three work on the hits of one hub; several hubs are searched without them, with a notice.
"""

from hub_index.frozen import FrozenValue
from hub_index.search.options import SearchOptions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from hub_index.embedding.rerank.reranker import Reranker
    from hub_index.search.index import Index
    from hub_index.search.results import Results
    from hub_index.service.requests import FindRequest
    from hub_index.traces.experience import FoundExperience

_ONE_HUB = "a reranker, a scoring and what was learnt work on one hub, and several were searched; name one"
_PLAIN = SearchOptions("")


class SearchTools(FrozenValue):
    """The settings for every search of a process; unset ones change nothing."""

    reranker: "Reranker | None" = None
    learnt: "Callable[[Index], FoundExperience] | None" = None  # asked for each search
    usual: SearchOptions = _PLAIN  # for what a request leaves open

    @property
    def is_steady(self) -> bool:
        """Whether a question has the same answer as long as the hubs are the same: nothing else moves it."""
        return self.reranker is None and self.learnt is None

    def equip(self, request: "FindRequest", found: "FoundExperience | None") -> "FindRequest":
        """The search of one index; an order that is asked for wins over a reranker that is set."""
        return request.replace(
            rerank=None if request.diverse or request.is_preview else self.reranker,
            rerank_depth=self.usual.rerank_depth if request.rerank_depth is None else request.rerank_depth,
            experience=found.experience if found is not None else None,
        )

    def say_idle(self, results: "Results", request: "FindRequest") -> "Results":
        """The answer of several hubs, with a notice where one hub's would have been another."""
        if self.reranker is None and not request.scoring and self.learnt is None:
            return results
        return results.replace(notices=(*results.notices, _ONE_HUB))
