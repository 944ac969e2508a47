"""What the owner of a process adds to its searches, and no request can ask for: a reranker, a preset, what was learnt.

Each works on the hits of one hub; several hubs are searched without them, and the answer says so.
"""

from hub_index.frozen import FrozenValue

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from hub_index.embedding.rerank.reranker import Reranker
    from hub_index.search.experience import Experience
    from hub_index.search.index import Index
    from hub_index.search.results import Results

_ONE_HUB = "a reranker, --scoring and what was learnt work on one hub; name one with --hub"


class SearchTools(FrozenValue):
    """Options of `Index.search` beyond those of a request; unset ones change nothing."""

    reranker: "Reranker | None" = None
    rerank_depth: int | None = None
    scoring: str = ""
    learnt: "Callable[[Index], Experience | None] | None" = None  # asked for each search
    recency: float | None = None  # the weight of what was updated lately, instead of the request's yes or no

    def options_for(self, index: "Index") -> "dict[str, Any]":
        """What they add to a search of one index."""
        experience = self.learnt(index) if self.learnt is not None else None
        return {
            "rerank": self.reranker,
            "rerank_depth": self.rerank_depth,
            "scoring": self.scoring,
            "experience": experience,
        }

    def say_idle(self, results: "Results") -> "Results":
        """The answer of several hubs, with a notice where one hub's would have been another."""
        if self.reranker is None and not self.scoring and self.learnt is None:
            return results
        return results.replace(notices=(*results.notices, _ONE_HUB))
