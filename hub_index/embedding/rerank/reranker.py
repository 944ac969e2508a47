"""The Reranker protocol: the only view of a reranker that a search has."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class RerankAnswer:
    """A score for each text, in the texts' order, and what was charged; None if that is unknown."""

    scores: tuple[float, ...]
    tokens: int | None = None
    usd: float | None = None


class Reranker(Protocol):
    """Scores texts against a query, within two seconds or not at all."""

    @property
    def model_id(self) -> str:
        """`<provider>:<model>`, as it is shown."""

    def rerank(self, query: str, texts: Sequence[str]) -> RerankAnswer:
        """A finite score for every text. Raises ProviderError, ConfigError."""

    def close(self) -> None:
        """Lets go of connections or weights; may be called twice."""
