"""The process owner's settings for all searches: a reranker, a preset, an experience, defaults of open options.

The first three work on the hits of one hub; several hubs are searched without them, with a notice.
"""

from hub_index.frozen import FrozenValue

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from hub_index.embedding.rerank.reranker import Reranker
    from hub_index.search.index import Index
    from hub_index.search.results import Results
    from hub_index.service.requests import FindRequest
    from hub_index.traces.experience import FoundExperience

_ONE_HUB = "a reranker, a scoring and what was learnt work on one hub, and several were searched; name one"
DEFAULT_K = 5


class SearchTools(FrozenValue):
    """The settings for every search of a process; unset ones change nothing."""

    reranker: "Reranker | None" = None
    rerank_depth: int | None = None
    scoring: str = ""
    learnt: "Callable[[Index], FoundExperience] | None" = None  # asked for each search
    recency: float | None = None  # the weight of what was updated lately, instead of the request's yes or no
    k: int = DEFAULT_K
    alpha: float | None = None
    min_score: float | None = None

    @property
    def is_steady(self) -> bool:
        """Whether a question has the same answer as long as the hubs are the same: nothing else moves it."""
        return self.reranker is None and self.learnt is None

    def complete(self, request: "FindRequest") -> "FindRequest":
        """The request with what it leaves open; a weight of the legs is for searches that have two of them."""
        alpha = None if self.scoring or request.mode in ("keyword", "semantic") else self.alpha
        return request.replace(
            alpha=alpha if request.alpha is None else request.alpha,
            min_score=self.min_score if request.min_score is None else request.min_score,
        )

    def options_for(self, request: "FindRequest", found: "FoundExperience | None") -> "dict[str, Any]":
        """Their options for a search of one index; the request's own order wins over a reranker."""
        is_reranked = not request.diverse and not request.is_preview
        return {
            "rerank": self.reranker if is_reranked else None,
            "rerank_depth": self.rerank_depth,
            "scoring": self.scoring,
            "experience": found.experience if found is not None else None,
        }

    def say_idle(self, results: "Results") -> "Results":
        """The answer of several hubs, with a notice where one hub's would have been another."""
        if self.reranker is None and not self.scoring and self.learnt is None:
            return results
        return results.replace(notices=(*results.notices, _ONE_HUB))
