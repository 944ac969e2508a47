"""Arguments → an open index: its place, the user's model, the client of an API."""

import argparse
import os
import sys
import time

from hub_index.cli.arguments import VerbParser, folder, not_empty, say_device
from hub_index.cli.terminal import notice
from hub_index.cli.user_settings import add_device, add_no_cache, cache_folder_for, settings_from
from hub_index.cli.wiring.hub_here import hub_here, places_from, say_searched
from hub_index.errors import ConfigError
from hub_index.frozen import FrozenValue
from hub_index.limits import MAX_OPEN_HUBS
from hub_index.search import open_index
from hub_index.service import open_service
from hub_index.service.hubs.choose_hubs import choose_places
from hub_index.service.hubs.open_hubs import default_place
from hub_index.settings import STORE_VARIABLE, Settings, find_store

TYPE_CHECKING = False

if TYPE_CHECKING:
    from hub_index.embedding.encoder import Encoder
    from hub_index.postgres.connection import StoreAddress
    from hub_index.search.index import Index
    from hub_index.search.lexical.cache.documents import Progress
    from hub_index.search.places.query_model import Connect
    from hub_index.service.hubs.open_hubs import HubPlace
    from hub_index.service.service import Service


_DEFAULT_HUB = "the hub that you stand in, else ~/.axon/repo, which `hub-index sync` keeps"


def add_index_options(parser: VerbParser, *, several: bool = False, store: bool = False) -> None:
    """Adds the options for the index, with `several` for several hubs, with `store` for a database; and the model."""
    if several:
        add_hubs(parser)
    else:
        parser.add_argument(
            "--hub",
            type=folder,
            action=_OnlyOnce,
            metavar="DIR",
            help=f"a hub's checkout, or its name in ~/.axon/hubs.toml (default: {_DEFAULT_HUB})",
        )
    parser.add_argument(
        "--index-dir", type=folder, metavar="DIR", help="an index folder (default: the user's own, else the hub's)"
    )
    if store:
        parser.add_argument(
            "--store",
            type=not_empty,
            metavar="URL",
            help="search what `hub-index export postgres` has loaded; --hub is then a name in that database (default: "
            "HUB_INDEX_STORE, where no folder is named; keep a password there or in ~/.pgpass)",
        )
    parser.add_argument(
        "--model",
        type=not_empty,
        metavar="PROVIDER:MODEL",
        help="required model of the index (default: AXON_EMBEDDINGS_PROVIDER and AXON_EMBEDDINGS_MODEL, else "
        "the index's own)",
    )
    parser.add_argument(
        "--no-edits", action="store_true", help="leave out files that are saved and not committed; never of synced hubs"
    )
    add_device(parser)
    add_no_cache(parser)


def add_hubs(parser: VerbParser) -> None:
    """Adds --hub for several hubs."""
    parser.add_argument(
        "--hub",
        type=folder,
        action="append",
        metavar="DIR",
        help="a hub's checkout, or its name in ~/.axon/hubs.toml; may be repeated (default: all of that file, else "
        f"{_DEFAULT_HUB})",
    )


def add_installed(parser: VerbParser) -> None:
    """Adds --installed, for commands of people and of agents on this machine."""
    parser.add_argument(
        "--installed",
        action="store_true",
        help="search also the agents' own folders (.claude/skills, .agents/skills …) of this project and of yours",
    )


def open_from(arguments: argparse.Namespace, settings: Settings | None = None) -> "Index":
    """The index that the arguments and the user's settings name; nothing is read yet."""
    settings = settings_from(arguments) if settings is None else settings
    model = _read_model(arguments, settings)
    folder = _find_folder(arguments.hub, settings)
    if not folder and not arguments.index_dir:
        folder = hub_here(settings.axon_home) or None
        say_searched([folder or ""], settings.axon_home)
    return open_index(
        arguments.index_dir,
        folder,
        home=settings.axon_home,
        cache_dir=cache_folder_for(settings),
        model=model.asked,
        connect=model.connect,
        progress=first_use_bar(),
        waiting=say_waiting,
        edits=not arguments.no_edits,
        must_exist=False,  # the first query says what is missing in the command line's words
    )


class _OnlyOnce(argparse.Action):
    """An option of one value that cannot be given twice: the last one would win in silence."""

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: object, option: str | None = None
    ) -> None:
        """Keeps the value. Ends the command for a second one."""
        if getattr(namespace, self.dest) is not None:
            parser.error(f"{option} names one hub here; give it once")
        setattr(namespace, self.dest, values)


def _find_folder(hub: str | None, settings: Settings) -> str | None:
    """The folder of the hub that is named, by itself or in hubs.toml; None for the synced one."""
    if not hub or os.path.isdir(hub) or os.sep in hub:
        return hub

    return choose_places((hub,), "", settings.axon_home)[0].folder or None


def open_service_from(
    arguments: argparse.Namespace, settings: Settings | None = None, *, embed: str = "now"
) -> "Service":
    """The service on all hubs that the arguments, hubs.toml and the user's settings name; nothing is read yet.

    `embed` says when folders without an index are embedded: `now`, `behind` the answers, or `never`.
    """
    settings = settings_from(arguments) if settings is None else settings
    model = _read_model(arguments, settings)
    if means_store(arguments, settings):
        from hub_index.service.hubs.postgres_hubs import open_stored

        address, cache = store_address(arguments.store or "", settings), cache_folder_for(settings)
        return open_stored(address, arguments.hub or (), model.asked, model.connect, cache, first_use_bar())
    places = places_from(arguments, settings.axon_home)
    return open_service(
        _with_installed(places, settings.axon_home) if getattr(arguments, "installed", False) else places,
        home=settings.axon_home,
        cache_dir=cache_folder_for(settings),
        model=model.asked,
        connect=model.connect,
        progress=first_use_bar(),
        embed=embed,
        edits=not arguments.no_edits,
    )


def _with_installed(places: "tuple[HubPlace, ...]", home: str) -> "tuple[HubPlace, ...]":
    """The places and the agents' folders that are there; without a hub, these alone. Raises ConfigError."""
    from hub_index.installs.agent_folders import installed_places

    has_hub = places != (default_place(),) or any(
        os.path.isdir(os.path.join(home, name)) for name in ("repo", "search")
    )
    folders = installed_places([place.name for place in places])
    chosen = (*places, *folders) if has_hub or not folders else folders
    if len(chosen) > MAX_OPEN_HUBS:
        raise ConfigError(f"at most {MAX_OPEN_HUBS} hubs and folders can be searched at once; these are {len(chosen)}")
    return chosen


def means_store(arguments: argparse.Namespace, settings: Settings) -> bool:
    """Whether a database is searched. Raises ConfigError where a folder is named beside it."""
    is_given = getattr(arguments, "store", None) is not None
    # beside --store a plain word is a name in the database, even if a folder has this name
    named = [hub for hub in arguments.hub or () if not is_given or os.path.basename(hub) != hub or hub in {".", ".."}]
    folders = [arguments.index_dir] if arguments.index_dir else [hub for hub in named if os.path.isdir(hub)]
    if is_given and getattr(arguments, "installed", False):
        raise ConfigError("--store searches a database, and --installed folders of this machine; give one of them")
    if is_given and folders:
        raise ConfigError("--store searches a database: --hub is a name in it, and there is no --index-dir")
    if is_given or folders or not hasattr(arguments, "store"):
        return is_given

    return bool(find_store(settings))


class _ModelChoice(FrozenValue):
    """The model that the user asked for, empty for the index's own, and the way to an encoder."""

    asked: str
    connect: "Connect"


def _read_model(arguments: argparse.Namespace, settings: Settings) -> _ModelChoice:
    """The model of the arguments or the settings. Raises ConfigError if an argument names none."""
    problem = ""
    try:
        model = arguments.model or configured_model(settings)
        if model:
            from hub_index.embedding.providers import check_model, published_id

            check_model(model)
            model = published_id(model, settings)
    except ConfigError as error:
        if arguments.model:
            raise
        model, problem = "", str(error)  # words need no model: only a search by meaning needs correct settings

    def connect(model_id: str, dim: int) -> "Encoder":
        from hub_index.embedding.providers import query_connection

        if problem:
            raise ConfigError(problem)

        say_device(arguments, model_id)
        return query_connection(settings, arguments.model)(model_id, dim)

    return _ModelChoice(model, connect)


def configured_model(settings: Settings) -> str:
    """The model_id that the environment or .env name; empty if they name none."""
    if not settings.provider and not settings.model:
        return ""
    from hub_index.embedding.providers import model_from_settings

    return model_from_settings(settings) or ""


def first_use_bar() -> "Progress | None":
    """A progress bar for walking a folder and for building the lexical index; shown on a terminal after a second."""
    if not sys.stderr.isatty():
        return None
    from hub_index.cli.progress import ProgressBar

    bar = ProgressBar()
    started_s = time.monotonic()
    shown = 0

    def advance(done: int, total: int) -> None:
        nonlocal shown
        if done < shown:  # the next piece of work: the dictionary for Chinese words
            shown = 0
        if time.monotonic() - started_s > 1.0:
            if not shown:
                bar.expect("preparing the first search" if total else "files and folders searched for skills", total)
            bar.advance(done - shown)
            shown = done
        if done >= total - 1 and (total or not done):  # of a walk, whose total is not known, 0 is the end
            bar.__exit__(None, None, None)

    return advance


def say_waiting(holder: str) -> None:
    """Says whose work a search waits for."""
    notice(f"waiting for {holder}, which is preparing a search")


def store_address(given: str, settings: Settings) -> "StoreAddress":
    """The named database, else that of the variable. Raises ConfigError."""
    text = given or find_store(settings)
    if not text:
        raise ConfigError(f"name a database: postgresql://user@host:5432/database, or set {STORE_VARIABLE}")
    from hub_index.postgres.connection import parse_address

    return parse_address(text)
