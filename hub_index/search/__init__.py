"""Search: an index and a query → hits. `open_index` is the way in; importing this package costs next to nothing."""

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hub_index.search.checkout.files import Progress
    from hub_index.search.index import Index
    from hub_index.search.model import Connect

__all__ = ["open_index"]


def open_index(  # noqa: PLR0913 - every one is a choice of the user's
    index_dir: "str | os.PathLike[str] | None" = None,
    hub: "str | os.PathLike[str] | None" = None,
    *,
    home: "str | os.PathLike[str] | None" = None,
    cache_dir: "str | os.PathLike[str] | None" = None,
    model: str = "",
    connect: "Connect | None" = None,
    progress: "Progress | None" = None,
) -> "Index":
    """A hub's index, ready for `index.search(query, k=5)`; nothing is read before the first query.

    Without a folder: the user's own index, else that of the synced hub, below `home` (AXON_HOME, else ~/.axon).
    `model` is the configured model_id, empty for the index's own; `connect(model_id, dim)` makes the encoder of an API.
    """
    from hub_index.search.index import Index
    from hub_index.search.index_places import plan_places
    from hub_index.search.model import Models
    from hub_index.search.reader import Reader
    from hub_index.settings import read_settings

    settings = read_settings()
    cache = os.fspath(cache_dir) if cache_dir is not None else settings.cache_folder
    places = plan_places(
        os.fspath(index_dir) if index_dir is not None else "",
        os.fspath(hub) if hub is not None else "",
        os.fspath(home) if home is not None else settings.axon_home,
    )
    return Index(Reader(places, Models(model, connect, cache), cache, progress))
