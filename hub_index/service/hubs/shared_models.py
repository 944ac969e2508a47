"""One model for all hubs, and one embedding of a query for all of them."""

from collections import OrderedDict

from hub_index.search.places.query_model import Models
from hub_index.settings import EMBEDDED_MODEL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hub_index.embedding.encoder import Encoder
    from hub_index.search.semantic.semantic import Vectors

_MAX_QUERIES = 64  # at most some 800 kB; the hubs of one search ask one after another


class SharedModels(Models):
    """The ways to an encoder that several hubs share."""

    def encoder_for(self, model_id: str, space: str, dim: int, part: float | None = None) -> "Encoder":
        """As one hub's, but a query that another hub has just asked is not embedded, nor paid for, again."""
        encoder = super().encoder_for(model_id, space, dim, part)
        remembering = self._remembering.get(id(encoder))
        if remembering is None:
            remembering = self._remembering[id(encoder)] = _RememberingEncoder(encoder)
        return remembering  # type: ignore[return-value] # it has all that the encoder has

    def __init__(self, *ways: "Any") -> None:
        super().__init__(*ways)
        self._remembering: dict[int, _RememberingEncoder] = {}

    def open_embedded(self) -> "Encoder":
        """The embedded model itself, for texts that are to be kept."""
        return self._open(EMBEDDED_MODEL, 0)

    def close(self) -> None:
        """Lets go of all encoders; the first of the hubs that is closed does it for all."""
        self._remembering.clear()
        super().close()


class _RememberingEncoder:
    """An encoder that keeps the vectors of its last queries."""

    def __init__(self, encoder: "Encoder") -> None:
        self._encoder = encoder
        self._queries: OrderedDict[str, Vectors] = OrderedDict()

    def embed_query(self, text: str) -> "Vectors":
        vector = self._queries.get(text)
        if vector is None:
            vector = self._encoder.embed_query(text)
            self._queries[text] = vector
            while len(self._queries) > _MAX_QUERIES:
                self._queries.popitem(last=False)
        return vector

    def __getattr__(self, name: str) -> object:
        return getattr(self._encoder, name)
