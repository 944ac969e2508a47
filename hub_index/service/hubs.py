"""A hub that the service has open: its name, its index, and the lock that lets one operation at a time into it."""

from _thread import RLock

from hub_index.frozen import FrozenValue
from hub_index.search import open_index

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hub_index.search.checkout.files import Progress
    from hub_index.search.index import Index
    from hub_index.search.model import Connect, Models

SYNCED = "synced"  # what the hub is called that `hub-index sync` keeps, or the user's own index of it


class HubPlace(FrozenValue):
    """Where a hub lies: its checkout, an index folder, or both; neither is the user's own or the synced one."""

    name: str
    folder: str = ""
    index_dir: str = ""
    is_listed: bool = False  # in hubs.toml: also a folder inside of a repository is a hub of its own then


def default_place() -> HubPlace:
    """The user's own index, else the synced hub."""
    return HubPlace(SYNCED)


class OpenHub:
    """One hub, open. An `Index` keeps state of its own, so whoever uses it holds the lock."""

    def __init__(self, name: str, index: "Index") -> None:
        self.name = name
        self.index = index
        self.lock = RLock()

    @property
    def folder(self) -> str:
        """The checkout; empty where there is none."""
        return self.index.reader.hub


class Means(FrozenValue):
    """With what hubs are opened; as `open_index` has them."""

    home: str
    cache: str
    model: str = ""
    connect: "Connect | None" = None
    progress: "Progress | None" = None
    models: "Models | None" = None  # shared by several hubs
    embed: str = "behind"  # when a folder without an index is embedded: now, behind the answers, or never


def open_hub(place: HubPlace, means: Means) -> OpenHub:
    """The hub at a place; nothing is read yet. Raises ConfigError for a folder that cannot be a hub."""
    index = open_index(
        place.index_dir or None,
        place.folder or None,
        home=means.home,
        cache_dir=means.cache,
        model=means.model,
        connect=means.connect,
        progress=means.progress,
        must_exist=False,
        models=means.models,
    )
    return OpenHub(place.name, index)
