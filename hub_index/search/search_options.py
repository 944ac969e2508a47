"""The options of `Index.search`, checked → a Request and a Reranking."""

from math import isfinite

from hub_index.errors import ConfigError
from hub_index.search.engine import Request
from hub_index.search.fusion import RECENCY_WEIGHT, is_share

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hub_index.embedding.rerank.reranker import Reranker
    from hub_index.search.rerank import Reranking

MODES = ("auto", "keyword", "semantic", "hybrid")
MAX_K = 10_000


def check_options(k: int, mode: str) -> None:
    """Raises ConfigError for a number of results or a mode that there is not."""
    if isinstance(k, bool) or not isinstance(k, int) or not 1 <= k <= MAX_K:
        raise ConfigError(f"k is how many results to show: a whole number from 1 to {MAX_K}")
    if mode not in MODES:
        raise ConfigError(f"there is no mode {mode!r}; choose one of {', '.join(MODES)}")


def check_scoring(scoring: str, mode: str, request: Request) -> None:
    """Raises ConfigError for a preset that there is not, or one beside options that it decides itself."""
    from hub_index.search.scoring import PRESETS

    if scoring not in PRESETS:
        raise ConfigError(f"there is no scoring {scoring!r}; choose one of {', '.join(PRESETS)}")
    if request.fusion != "default" or request.alpha is not None or mode in ("keyword", "semantic"):
        raise ConfigError("scoring brings its own fusion of words and meaning: give no mode, fusion or alpha beside it")


def check_query(query: str, min_score: float | None) -> str:
    """The query, with what can be neither looked up nor printed replaced. Raises ConfigError."""
    if not isinstance(query, str):
        raise ConfigError("the query must be a text")
    if min_score is not None and not (isinstance(min_score, int | float) and isfinite(min_score)):
        raise ConfigError("min_score must be a finite number")
    return query.encode("utf-8", "replace").decode()  # half characters


def recency_weight(asked: bool | float) -> float:
    """How much what was updated lately is favoured. Raises ConfigError."""
    if isinstance(asked, bool):
        return RECENCY_WEIGHT if asked else 0.0
    if not is_share(asked):
        raise ConfigError("recency is the weight of what was updated lately: a number from 0 to 1")
    return float(asked)


def choose_reranking(reranker: "Reranker | None", depth: int | None, *, diverse: bool) -> "Reranking | None":
    """The reranking of the first `depth` hits; None without a reranker. Raises ConfigError."""
    if reranker is None:
        return None
    if diverse:
        raise ConfigError("a reranker decides the order, and so does diverse: choose one of them")
    from hub_index.search.rerank import plan_reranking

    return plan_reranking(reranker, depth)
