"""`open_store`: a hub of a database as an `Index`; each answer is of one revision."""

from __future__ import annotations

from contextlib import contextmanager

from hub_index.errors import IndexChanging
from hub_index.regular_file import RootedPath
from hub_index.search.checkout.walk import CheckoutWalk
from hub_index.search.engine import Engine
from hub_index.search.index import Index
from hub_index.search.index_places import GIVEN, IndexPlace
from hub_index.search.lexical.translation.translator import Translator
from hub_index.search.reader import Reader
from hub_index.store.engine import StoreSource
from hub_index.store.lexical import StoreLexical
from hub_index.store.view import HubView

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import TypeVar

    from hub_index.models import Manifest
    from hub_index.search.answer import Found
    from hub_index.search.lexical.cache.documents import Progress
    from hub_index.search.model import Models
    from hub_index.search.results import Hit, Results
    from hub_index.search.search_options import SearchOptions
    from hub_index.store.connection import StoreAddress

    Answer = TypeVar("Answer")


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

    def open_vectors(self, *, may_lack_words: bool = False) -> Engine:  # noqa: ARG002 - the database knows them
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


class StoreIndex(Index):
    """One hub of a database, open."""

    def __init__(self, reader: StoreReader) -> None:
        super().__init__(reader)
        self._view = reader.view
        self._seen: object = None

    def find(self, options: SearchOptions) -> Found:
        """As `Index.find`, from one revision."""
        return self._answer(lambda: super(StoreIndex, self).find(options))

    def related(self, skill: str, k: int = 5) -> Results:
        """As `Index.related`, from one revision."""
        return self._answer(lambda: super(StoreIndex, self).related(skill, k))

    def show(self, skill: str, *, suggests: bool = True) -> Hit:
        """As `Index.show`, from one revision."""
        return self._answer(lambda: super(StoreIndex, self).show(skill, suggests=suggests))

    def read_text(self, skill_id: str) -> bytes:
        """A skill's own file as it was when the hub was loaded; empty without a checkout."""
        return self._answer(lambda: self._view.read_text(skill_id))

    def open_engine(self, mode: str = "keyword") -> Engine:
        """As `Index.open_engine`."""
        with self._snapshot():
            return super().open_engine(mode)

    def open_rows(self) -> Engine:
        """As `Index.open_rows`."""
        with self._snapshot():
            return super().open_rows()

    def close(self) -> None:
        """Lets go of encoders and of the connection."""
        super().close()
        self._view.close()

    def _answer(self, ask: Callable[[], Answer]) -> Answer:
        """An answer from one state; asked once more where the hub was loaded anew in between."""
        try:
            with self._snapshot():
                return ask()
        except IndexChanging:
            with self._snapshot():
                return ask()

    @contextmanager
    def _snapshot(self) -> Iterator[None]:
        with self._view.snapshot() as facts:
            if facts != self._seen:
                self._forget()
            self._seen = facts
            yield


def open_store(
    address: StoreAddress, name: str, models: Models, cache: str, progress: Progress | None = None
) -> StoreIndex:
    """A hub of a database; nothing is asked of it yet."""
    return StoreIndex(StoreReader(HubView(address, name), models, cache, progress))
