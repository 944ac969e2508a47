"""Search: an index and a query → hits. It begins with `open_index`; importing this package costs next to nothing."""

import os

from hub_index.base.named_folder import named_folder
from hub_index.search.places.query_model import Models
from hub_index.settings import find_allowed_signers, read_settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from hub_index.search.index import Index
    from hub_index.search.lexical.cache.documents import Progress
    from hub_index.search.places.query_model import Connect

    Folder = str | os.PathLike[str]

__all__ = ["open_index"]


def open_index(  # noqa: PLR0913 - every one is a choice of the user's
    index_dir: "Folder | None" = None,
    hub: "Folder | None" = None,
    *,
    home: "Folder | None" = None,
    cache_dir: "Folder | None" = None,
    model: str = "",
    connect: "Connect | None" = None,
    progress: "Progress | None" = None,
    waiting: "Callable[[str], None] | None" = None,
    must_exist: bool = True,
    models: "Models | None" = None,
    edits: bool = True,
) -> "Index":
    """A hub's index, ready for `index.search(query, k=5)`; its files are read when a query first needs them.

    The first argument may also be a hub: then it is what `hub` is.
    Without a folder: the user's own index, else that of the synced hub, below `home` (AXON_HOME, else ~/.axon).
    `model` is the configured model_id, empty for the index's own; `connect(model_id, dim)` makes the encoder of an API;
    `models` is both at once, for several hubs that share an encoder. `progress` hears how far the first search's
    preparation is, `waiting` which process it waits for.
    Of a `hub` that `sync` does not keep, saved files that are not committed are read, too, unless `edits` is False.
    Raises ConfigError for an empty text or a folder inside of a hub, and IndexMissing at once where there is nothing to
    search; with `must_exist=False` the first query does.
    """
    from hub_index.hub.tree.hub_folder import check_is_hub
    from hub_index.search.index import Index
    from hub_index.search.lexical.cache.lexical_cache import Making
    from hub_index.search.places.index_places import check_places, is_only_hub, plan_places
    from hub_index.search.places.reader import Reader

    if home is None or cache_dir is None:
        settings = read_settings()
        home = settings.axon_home if home is None else home
        cache_dir = settings.cache_folder if cache_dir is None else cache_dir
    index_dir = "" if index_dir is None else named_folder("the index folder", index_dir)
    if must_exist and hub is None and index_dir and is_only_hub(index_dir):
        index_dir, hub = "", index_dir
    if hub is not None:
        check_is_hub(hub := named_folder("the hub", hub))
    places = plan_places(index_dir, hub or "", os.fspath(home))
    if must_exist:
        check_places(places, index_dir, hub or "")
    cache = os.fspath(cache_dir)
    signers = find_allowed_signers(os.fspath(home))
    making = Making(progress, waiting)
    reader = Reader(places, models or Models(model, connect, cache), cache, making, signers)
    if edits and hub and not _is_below(os.fspath(hub), os.fspath(home)):
        reader.watch_edits()
    return Index(reader)


def _is_below(folder: str, home: str) -> bool:
    """Whether a hub is one that `sync` keeps."""
    return f"{os.path.realpath(folder)}/".startswith(f"{os.path.realpath(home)}/")
