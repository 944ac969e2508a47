"""The Encoder protocol: the only view of a model that the rest of hub-index has."""

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:  # importing numpy costs 0.2 s
    import numpy as np
    from numpy.typing import NDArray


class Encoder(Protocol):
    """Text → unit vectors of one embedding space. Implementations can be pickled (workers, clusters).

    Workers and connections begin with the first text that is embedded: an encoder that embeds nothing needs no close.
    """

    @property
    def model_id(self) -> str:
        """`<provider>:<model>`, as published."""

    @property
    def space(self) -> str:
        """`sha256:…` of all that decides a vector; known without a request or loading weights."""

    @property
    def dim(self) -> int | None:
        """The vectors' length; None until a model that is not in known_models has answered once."""

    @property
    def batch_size(self) -> int:
        """The number of texts for one call."""

    @property
    def concurrency(self) -> int:
        """The number of calls that may run at once, from threads."""

    def embed_documents(self, texts: Sequence[str]) -> "NDArray[np.float32]":
        """A row of norm 1 per text, in order; no row depends on its neighbours. Raises ProviderError."""

    def embed_query(self, text: str) -> "NDArray[np.float32]":
        """The query's vector, norm 1; a provider that hangs is given up after some seconds. Raises ProviderError."""

    def count_tokens(self, texts: Sequence[str]) -> "TokenCount":
        """The tokens of the texts, exactly or by estimate."""

    def as_read(self, text: str) -> Hashable:
        """A value for the text as the model reads it: texts with equal values may have one vector."""

    def close(self) -> None:
        """Ends workers and closes connections; may be called twice."""


class TokenCount:
    """Tokens of some texts, and whether the number is exact."""

    __slots__ = ("exact", "tokens")

    def __init__(self, tokens: int, *, exact: bool) -> None:
        self.tokens = tokens
        self.exact = exact
