"""`open_store`: a hub of a database as an `Index`; each answer is of one revision."""

from __future__ import annotations

from hub_index.base.safe_open import RootedPath
from hub_index.postgres.hub_view import HubView
from hub_index.postgres.postgres_engine import StoreSource
from hub_index.postgres.postgres_lexical import StoreLexical
from hub_index.search.checkout.walk import CheckoutWalk
from hub_index.search.index import Index
from hub_index.search.lexical.translation.translator import Translator
from hub_index.search.places.index_places import GIVEN, IndexPlace
from hub_index.search.places.reader import Reader
from hub_index.search.ranking.engine import Engine

TYPE_CHECKING = False
if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from hub_index.models import Manifest
    from hub_index.postgres.connection import StoreAddress
    from hub_index.search.lexical.cache.documents import Progress
    from hub_index.search.places.query_model import Models


class StoreReader(Reader):
    """Opens one hub of a database."""

    def __init__(self, view: HubView, models: Models, cache: str, progress: Progress | None = None) -> None:
        self.view = view
        self.places = [IndexPlace(GIVEN, RootedPath(view.place, ""), "")]
        self.hub = ""
        self.models = models
        self.cache = cache
        self.refusals = []
        self._walk = CheckoutWalk("", None)
        self.translator = Translator(cache, progress)

    def open_keyword(self, *, from_nothing: bool = False) -> Engine:  # noqa: ARG002 - nothing is made here
        """The hub's words."""
        return self._open_hub()

    def open_vectors(self) -> Engine:
        """The same engine with the query's encoder. Raises ModelMismatch, ConfigError."""
        manifest = self.view.facts.manifest
        encoder = self.models.encoder_for(manifest.model_id, manifest.space or "", manifest.dim, manifest.constant_part)
        return self._open_hub().replace(encoder=encoder)

    def open_without_model(self) -> Engine:
        """The same as for words: vectors are fetched with the candidates."""
        return self._open_hub()

    def read_manifest(self, index_dir: str) -> Manifest:  # noqa: ARG002 - there is one
        """The manifest that the hub was loaded with."""
        return self.view.facts.manifest

    def stamp(self) -> str:
        """A text that differs for every state of the hub."""
        with self.view.snapshot() as facts:
            return f"{facts.tables.number} {facts.generation}"

    def hold(self) -> AbstractContextManager[object]:
        """One revision of the database, for one answer."""
        return self.view.snapshot()

    def close(self) -> None:
        """Lets go of encoders and of the connection."""
        super().close()
        self.view.close()

    def _open_hub(self) -> Engine:
        facts = self.view.facts
        return Engine(
            lexical=StoreLexical(self.view),
            hub="",
            index_dir=self.view.place,
            model_id=facts.manifest.model_id,
            dim=facts.tables.dim,
            normalize=facts.manifest.normalize,
            constant_part=facts.manifest.constant_part,
            translator=self.translator,
            source=StoreSource(self.view),
        )


def open_store(address: StoreAddress, name: str, models: Models, cache: str, progress: Progress | None = None) -> Index:
    """A hub of a database; nothing is asked of it yet."""
    return Index(StoreReader(HubView(address, name), models, cache, progress))
