"""`hub-index export postgres URL`: indexes into a PostgreSQL with pgvector, where only what changed is sent."""

import argparse
import os

from hub_index.cli.arguments import VerbParser, add_json, folder, not_empty
from hub_index.cli.progress import ProgressBar
from hub_index.cli.terminal import notice, print_json, printable
from hub_index.cli.user_settings import add_no_cache, cache_folder_for, settings_from
from hub_index.cli.wiring.hub_here import places_from
from hub_index.cli.wiring.search_wiring import store_address
from hub_index.errors import ConfigError
from hub_index.hub.skill.problems import counted, listed
from hub_index.search.places.index_places import plan_places
from hub_index.service.hubs.open_hubs import is_hub_name
from hub_index.settings import STORE_VARIABLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hub_index.postgres.connection import StoreAddress
    from hub_index.postgres.loading import Loaded
    from hub_index.service.hubs.open_hubs import HubPlace
    from hub_index.settings import Settings

_EXAMPLES = f"""\
  hub-index export postgres postgresql://me@db.example/skills --hub path/to/hub
  hub-index export postgres --hub one --hub two           {STORE_VARIABLE} names the database
  hub-index export postgres --hub path/to/hub --hnsw      from some 100,000 skills on: faster, and a little less exact
  hub-index export postgres --remove one

Each hub is one transaction: readers see the old state or the new one, and an export that was stopped has changed
nothing; run it again. Passwords are better kept in {STORE_VARIABLE}, PGPASSWORD or ~/.pgpass than on the command
line, where other users of the machine can read them. The server needs pgvector 0.7 or later."""

_NAMED = 5  # skills that differ from git; --json names all


def parse(arguments: list[str]) -> argparse.Namespace:
    """The sub-command's arguments."""
    parser = VerbParser("export postgres", "Load indexes into PostgreSQL, or bring them up to date there.", _EXAMPLES)
    parser.add_argument(
        "target", metavar="URL", nargs="?", default="", help=f"the database (default: {STORE_VARIABLE})"
    )
    parser.add_argument(
        "--hub",
        type=folder,
        action="append",
        metavar="DIR",
        help="a hub's checkout, or its name in ~/.axon/hubs.toml; may be repeated (default: the synced hub)",
    )
    parser.add_argument("--index-dir", type=folder, metavar="DIR", help="the index folder itself, of one hub")
    parser.add_argument("--name", type=not_empty, help="the hub's name in the database (default: its folder's)")
    parser.add_argument(
        "--vectors",
        choices=("halfvec", "vector"),
        help="numbers of 2 or of 4 bytes (default: as before, at first halfvec)",
    )
    parser.add_argument(
        "--hnsw",
        action=argparse.BooleanOptionalAction,
        help="an HNSW index over the vectors (default: as before, at first none: every search is exact)",
    )
    parser.add_argument("--remove", metavar="NAME", help="remove this hub from the database instead")
    add_no_cache(parser)
    add_json(parser)
    parsed = parser.parse_args(arguments)
    if parsed.remove and (parsed.hub or parsed.index_dir or parsed.name):
        parser.error("--remove goes without --hub, --index-dir and --name")
    if parsed.name and len(parsed.hub or ()) > 1:
        parser.error("--name is for one hub; name one --hub beside it, or none")
    return parsed


def run(arguments: argparse.Namespace) -> int:
    """Loads the hubs one after another and says what was sent."""
    settings = settings_from(arguments)
    address = store_address(arguments.target, settings)
    if arguments.remove:
        return _remove(arguments, address)
    loaded = [_load(arguments, settings, address, place) for place in _places(arguments, settings)]
    if arguments.json:
        print_json({"store": address.shown, "hubs": [_as_json(hub) for hub in loaded]})
        return 0
    for hub in loaded:
        if hub.differing:
            notice(
                f"note: {hub.hub}: loaded as they stand, not as git's index has them: {listed(hub.differing, _NAMED)}"
            )
        sent = f"{hub.sent} sent, {hub.removed} removed" if hub.sent or hub.removed else "nothing new"
        print(f"{hub.hub}: {counted(hub.skills, 'skill')} in {printable(address.shown)}, {sent}")
    return 0


def _places(arguments: argparse.Namespace, settings: "Settings") -> "tuple[HubPlace, ...]":
    places = places_from(arguments, settings.axon_home)
    if not arguments.name:
        return places
    if not is_hub_name(arguments.name):
        raise ConfigError("--name: write lowercase letters, digits and hyphens")
    return (places[0].replace(name=arguments.name),)


def _load(arguments: argparse.Namespace, settings: "Settings", address: "StoreAddress", place: "HubPlace") -> "Loaded":
    from hub_index.postgres.index_source import open_source
    from hub_index.postgres.loading import LoadOptions, load_hub

    candidates = plan_places(place.index_dir, place.folder, settings.axon_home)
    chosen = next((candidate for candidate in candidates if os.path.isdir(candidate.index_dir)), candidates[-1])
    source = open_source(chosen.folder, chosen.hub, settings.axon_home, cache_folder_for(settings))
    with ProgressBar() as bar:
        done = 0

        def advance(sent: int, total: int) -> None:
            nonlocal done
            if not done:
                bar.expect(f"loading {place.name}", total)
            bar.advance(sent - done)
            done = sent

        return load_hub(address, place.name, source, LoadOptions(arguments.vectors, arguments.hnsw), advance)


def _remove(arguments: argparse.Namespace, address: "StoreAddress") -> int:
    from hub_index.postgres.loading import remove_hub

    if not remove_hub(address, arguments.remove):
        raise ConfigError(f"{address.shown}: there is no hub {arguments.remove!a} in it")
    if arguments.json:
        print_json({"store": address.shown, "removed": arguments.remove})
    else:
        print(f"{arguments.remove}: removed from {printable(address.shown)}")
    return 0


def _as_json(hub: "Loaded") -> dict[str, object]:
    return {
        "name": hub.hub,
        "hub_revision": hub.revision,
        "skills": hub.skills,
        "sent": hub.sent,
        "removed": hub.removed,
        "differing": list(hub.differing),
    }
