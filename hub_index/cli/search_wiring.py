"""Arguments → an open index: where it lies, which model the user has configured, how an API is reached."""

import argparse

from hub_index.cli.arguments import VerbParser, folder, not_empty
from hub_index.cli.user_settings import add_device, add_no_cache, cache_folder_for, settings_from
from hub_index.errors import ConfigError
from hub_index.search import open_index
from hub_index.settings import Settings

TYPE_CHECKING = False  # as typing's own, which a cold search cannot afford
if TYPE_CHECKING:
    from hub_index.embedding.encoder import Encoder
    from hub_index.search.checkout.files import Progress
    from hub_index.search.index import Index


def add_index_options(parser: VerbParser) -> None:
    """Where the index lies, and which model the user means."""
    parser.add_argument("--hub", type=folder, metavar="DIR", help="a hub's checkout (default: ~/.axon/repo)")
    parser.add_argument(
        "--index-dir", type=folder, metavar="DIR", help="an index folder (default: the user's own, else the hub's)"
    )
    parser.add_argument(
        "--model",
        type=not_empty,
        metavar="PROVIDER:MODEL",
        help="the model that the index must be of (default: AXON_EMBEDDINGS_PROVIDER and AXON_EMBEDDINGS_MODEL, else "
        "the index's own)",
    )
    add_device(parser)
    add_no_cache(parser)


def open_from(arguments: argparse.Namespace, settings: Settings | None = None) -> "Index":
    """The index that the arguments and the user's settings name; nothing is read yet."""
    settings = settings_from(arguments) if settings is None else settings

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
        model, problem = "", str(error)  # words need no model: only who asks for meaning must mend the settings

    def connect(model_id: str, dim: int) -> "Encoder":
        from hub_index.embedding.providers import query_connection

        if problem:
            raise ConfigError(problem)
        return query_connection(settings, arguments.model)(model_id, dim)

    return open_index(
        arguments.index_dir,
        arguments.hub,
        home=settings.axon_home,
        cache_dir=cache_folder_for(settings),
        model=model,
        connect=connect,
        progress=_first_use_bar(),
        must_exist=False,  # the first query says what is missing in the command line's words
    )


def configured_model(settings: Settings) -> str:
    """The model_id that the environment or .env name; empty where they name none."""
    if not settings.provider and not settings.model:
        return ""
    from hub_index.embedding.providers import model_from_settings

    return model_from_settings(settings) or ""


def _first_use_bar() -> "Progress | None":
    """A progress bar for building the lexical index, which happens once; shown on a terminal after a second."""
    import sys
    import time

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
                bar.expect("preparing the first search", total)
            bar.advance(done - shown)
            shown = done
        if done >= total - 1:
            bar.__exit__(None, None, None)

    return advance
