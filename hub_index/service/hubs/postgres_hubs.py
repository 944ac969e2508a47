"""The hubs of a database as a service: the named ones, else all."""

from hub_index.errors import ConfigError, IndexChanging, IndexMissing
from hub_index.limits import MAX_OPEN_HUBS
from hub_index.postgres.hub_view import HubView, list_hubs
from hub_index.postgres.postgres_index import StoreReader
from hub_index.search.index import Index
from hub_index.service.hubs.open_hubs import OpenHub
from hub_index.service.hubs.shared_models import SharedModels
from hub_index.service.reading.skill_files import OwnText, decode_own
from hub_index.service.service import Service

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from hub_index.postgres.connection import StoreAddress
    from hub_index.search.lexical.cache.documents import Progress
    from hub_index.search.places.query_model import Connect, Models
    from hub_index.search.results import Hit


class StoredHub(OpenHub):
    """A hub of a database, whose texts lie there too."""

    def __init__(self, name: str, index: Index, view: HubView) -> None:
        super().__init__(name, index)
        self._view = view

    @property
    def has_texts(self) -> bool:
        """Whether there may be some: it depends on each skill."""
        return True

    def read_own(self, hit: "Hit") -> OwnText:
        """A skill's own file as it was loaded. Raises ConfigError if the hub was loaded without a checkout."""
        with self.lock:
            try:
                content = self._read_text(hit.id)
            except IndexChanging:  # the hub was loaded anew in between
                content = self._read_text(hit.id)
        if not content:
            raise ConfigError(f"the hub {self.name} was loaded without a checkout, so there are no texts to read")
        return OwnText(decode_own(content))

    def _read_text(self, skill_id: str) -> bytes:
        with self._view.snapshot():
            return self._view.read_text(skill_id)


def open_stored(  # noqa: PLR0913, PLR0917 - as `open_service` has them
    address: "StoreAddress",
    names: "Sequence[str]",
    model: str,
    connect: "Connect | None",
    cache: str,
    progress: "Progress | None" = None,
) -> Service:
    """A service on hubs of a database. Raises IndexUnusable, and ConfigError for too many hubs."""
    chosen = list(dict.fromkeys(names)) or list_hubs(address)
    if not chosen:
        raise IndexMissing(f"{address.shown}: there is no hub in it; `hub-index export postgres` loads one")
    if len(chosen) > MAX_OPEN_HUBS:
        raise ConfigError(f"at most {MAX_OPEN_HUBS} hubs can be searched at once; name some of the {len(chosen)}")
    models = SharedModels(model, connect, cache)
    return Service([_open_hub(HubView(address, name), models, cache, progress) for name in chosen])


def _open_hub(view: HubView, models: "Models", cache: str, progress: "Progress | None") -> StoredHub:
    return StoredHub(view.name, Index(StoreReader(view, models, cache, progress)), view)
