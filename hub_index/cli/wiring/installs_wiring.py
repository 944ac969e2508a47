"""Arguments → the agent's folder, the hubs that skills come from, and the user's consent."""

import argparse
import sys
from contextlib import contextmanager

from hub_index.cli.arguments import VerbParser
from hub_index.cli.progress import ProgressBar
from hub_index.cli.user_settings import cache_folder_for
from hub_index.cli.wiring.hub_here import places_from
from hub_index.cli.wiring.search_wiring import add_hubs, first_use_bar
from hub_index.errors import ConfigError, HubIndexError
from hub_index.installs.agent_folders import AGENT_NAMES, InstallRoot, choose_agent, choose_roots
from hub_index.installs.source_hubs import SourceHubs
from hub_index.service import open_service
from hub_index.service.hubs.choose_hubs import choose_places
from hub_index.settings import Settings, read_settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from hub_index.service.service import Service

DECLINED = 1


def add_install_options(parser: VerbParser, *, hubs: bool = True) -> None:
    """Adds --agent, --project and --user, with `hubs` also --hub."""
    parser.add_argument("--agent", choices=AGENT_NAMES, default="", help="the agent whose folder is meant")
    scope = parser.add_mutually_exclusive_group()
    scope.add_argument(
        "--project", dest="scope", action="store_const", const="project", default="", help="the project's"
    )
    scope.add_argument("--user", dest="scope", action="store_const", const="user", help="your own, for every project")
    if hubs:
        add_hubs(parser)


def add_yes(parser: VerbParser) -> None:
    """Adds --yes."""
    parser.add_argument("--yes", "-y", action="store_true", help="do not ask")


def place_from(arguments: argparse.Namespace) -> tuple[InstallRoot, str]:
    """The root and the agent to install for: the project's where there is one, else the user's. Raises ConfigError."""
    return choose_agent(near_roots(arguments), arguments.agent)


def near_roots(arguments: argparse.Namespace) -> tuple[InstallRoot, ...]:
    """The project's root where there is one, else the user's; what the arguments say wins. Raises ConfigError."""
    roots = choose_roots(arguments.scope, arguments.agent)
    return tuple(root for root in roots if root.is_project) or roots


def all_roots(arguments: argparse.Namespace) -> tuple[InstallRoot, ...]:
    """Every root that the arguments allow, the project's first. Raises ConfigError."""
    return choose_roots(arguments.scope, arguments.agent)


def open_hubs_from(arguments: argparse.Namespace, settings: Settings) -> "Service":
    """The service on the hubs that are searched, to find a skill by its name. Raises ConfigError."""
    return open_service(
        places_from(arguments, settings.axon_home),
        home=settings.axon_home,
        cache_dir=cache_folder_for(settings),
        progress=first_use_bar(),
        embed="never",
    )


@contextmanager
def sources_from(arguments: argparse.Namespace) -> "Iterator[SourceHubs]":
    """The hubs that installed skills came from; git's progress is shown while one is fetched. Raises ConfigError."""
    settings = read_settings()
    places = choose_places(arguments.hub or (), "", settings.axon_home)
    with ProgressBar() as bar:
        yield SourceHubs(places, settings.axon_home, str(settings.cache_folder), bar.show_step)


def agree(arguments: argparse.Namespace, question: str) -> bool:
    """Whether the user wants what was shown. Raises ConfigError where nobody can be asked and --yes is not given."""
    if arguments.yes:
        return True
    if sys.stdin is None or not sys.stdin.isatty() or not sys.stderr.isatty():
        raise ConfigError(
            "there is no terminal to ask on, so nothing was changed; look at what is shown and pass --yes"
        )
    print(f"{question} [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in {"y", "yes"}


class Outcome:
    """The exit code of a command on several skills: the first failure's; each failure is a line of its own."""

    def __init__(self) -> None:
        self.code = 0

    @contextmanager
    def step(self) -> "Iterator[None]":
        """Around one skill: its failure does not keep the others from their turn."""
        from hub_index.base.shown_address import without_credentials
        from hub_index.cli.terminal import notice

        try:
            yield
        except HubIndexError as error:
            self.code = self.code or error.exit_code
            notice(f"hub-index: {without_credentials(str(error))}")
