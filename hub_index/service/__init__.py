"""The operations once: find, read, related, list and status on open hubs. Every door and the command line call these.

    from hub_index.service import open_service
    from hub_index.service.requests import FindRequest

    with open_service() as service:
        results = service.find(FindRequest("make slides", k=3))

How a door calls an operation:

- It makes a request (`requests`), a frozen value whose fields may come straight from a stranger: the operation checks
  types and caps itself and raises ConfigError in one line. An unknown skill is SkillUnknown.
- It gets an answer: `Results` (find, related; `search.results.encode_results` is its JSON, that of `search --json`), or
  one of `answers` with its encoder beside it. There is one encoding for `--json`, HTTP, JSON-RPC and MCP.
- An operation blocks. Call it on an executor of one or two threads, never on an event loop: a hub's lock lets one
  operation at a time into each hub, so that more threads only wait.
- `Deadline(seconds)` (`deadline`) goes with every operation; it is checked between the steps, and its `cancel()`, from
  any thread, ends the work at the next check. Both raise AnswerStopped.
- `max_tokens` of a request is a hard budget for quotations from the hubs: whole hits or lines, never half of one, and
  the answer names the omitted ones (`omitted`, `next_cursor`, `next_start`). A door that writes more around a hit than
  its words passes `cost_of`, the tokens of one hit as that door writes it.
- `Service.hubs_digest()` is cheap and changes with every hub: for an ETag, and to notice a sync without a restart.
- The texts of a hub are a stranger's: hidden characters are removed, and a door still has to mark the text as quoted.
"""

import os

from hub_index.errors import HubIndexError
from hub_index.service.hubs.open_hubs import Means, OpenHub, default_place, is_plain_folder, open_hub
from hub_index.service.service import Service
from hub_index.settings import read_settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from hub_index.search.lexical.cache.documents import Progress
    from hub_index.search.places.query_model import Connect
    from hub_index.service.folders.folder_hub import Traffic
    from hub_index.service.hubs.open_hubs import HubPlace

__all__ = ["open_service"]


def open_service(  # noqa: PLR0913 - every one is a choice of the user's
    places: "Sequence[HubPlace]" = (),
    *,
    home: "str | os.PathLike[str] | None" = None,
    cache_dir: "str | os.PathLike[str] | None" = None,
    model: str = "",
    connect: "Connect | None" = None,
    progress: "Progress | None" = None,
    embed: str = "behind",
    edits: bool = True,
) -> "Service":
    """A service on these hubs; without any, on the user's own index or the synced hub. Nothing is read yet.

    `embed` decides when folders without an index are embedded: `now`, before the answer; `behind` the answers, which
    are by words until it is done; or `never`. The other arguments are those of `open_index`. A hub that cannot be
    opened is a notice of every answer; if none can be opened, its ConfigError is raised.
    """
    if home is None or cache_dir is None:
        settings = read_settings()
        home = settings.axon_home if home is None else home
        cache_dir = settings.cache_folder if cache_dir is None else cache_dir
    chosen = tuple(places) or (default_place(),)
    means = Means(os.fspath(home), os.fspath(cache_dir), model, connect, progress, edits=edits, embed=embed)
    if len(chosen) > 1:
        from hub_index.service.hubs.shared_models import SharedModels

        means = means.replace(models=SharedModels(model, connect, means.cache))
    hubs: list[OpenHub] = []
    failures: dict[str, HubIndexError] = {}
    traffic: Traffic | None = None
    for place in chosen:
        try:
            if is_plain_folder(place):
                traffic = traffic or _make_traffic()
                hubs.append(_open_folder(place, means, traffic))
            else:
                hubs.append(open_hub(place, means))
            hubs[-1].is_installed = place.is_installed
        except HubIndexError as error:
            failures[place.name] = error
    if not hubs:
        raise next(iter(failures.values()))
    return Service(hubs, failures, traffic)


def _make_traffic() -> "Traffic":
    from hub_index.service.folders.folder_hub import Traffic

    return Traffic()


def _open_folder(place: "HubPlace", means: "Means", traffic: "Traffic") -> "OpenHub":
    from hub_index.service.folders.folder_hub import FolderHub

    return FolderHub(place, means, traffic)
