"""`hub-index sync [URL]`: clones the searched hub, or moves it forward, and describes its index."""

import argparse
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from hub_index.cli.arguments import VerbParser, add_json, not_empty
from hub_index.cli.progress import ProgressBar
from hub_index.cli.terminal import notice, print_json, printable
from hub_index.cli.text.report_text import skill_count
from hub_index.cli.wiring.dictionary_wiring import prepare_dictionary
from hub_index.cli.wiring.more_hubs import add_to_list, find_other_hub
from hub_index.cli.wiring.search_wiring import first_use_bar, say_waiting
from hub_index.cli.wiring.signature_check import SignatureCheck
from hub_index.errors import HubIndexError, IndexMissing
from hub_index.hub.git.repository import open_repository
from hub_index.hub.skill.problems import counted
from hub_index.hub.snapshot import read_hub
from hub_index.hub.sync.sync import SyncOptions, sync_hub
from hub_index.index.folder.verification import verify_folder
from hub_index.search import open_index
from hub_index.search.places.rollback_warning import note_newest
from hub_index.service.hubs.hub_list import read_hub_list
from hub_index.service.hubs.open_hubs import HUBS_FILE
from hub_index.settings import Settings, read_settings

if TYPE_CHECKING:
    from hub_index.hub.sync.sync import SyncOutcome
    from hub_index.models import Manifest
    from hub_index.service.hubs.hub_list import ListedHub

_EXAMPLES = """\
  hub-index sync https://example.com/team/hub.git     the first time
  hub-index sync                                      from then on
  hub-index sync https://example.com/other/hub.git    one more, to be searched together with the first"""


def parse(arguments: list[str]) -> argparse.Namespace:
    """The verb's arguments."""
    parser = VerbParser(
        "sync",
        "Clone a hub that you search, or update the clone. ~/.axon is the folder where hub-index keeps hubs and your\n"
        "settings (AXON_HOME names another): the first hub lies in ~/.axon/repo, every other one in ~/.axon/hubs/NAME\n"
        "and in the list ~/.axon/hubs.toml, whose hubs are searched together. Without a URL all of them are updated.\n"
        "It only moves forward, and refuses where that would lose work of yours.",
        _EXAMPLES,
    )
    parser.add_argument(
        "url", metavar="URL", nargs="?", type=not_empty, help="an https or ssh address, or a folder; remembered"
    )
    add_json(parser)
    return parser.parse_args(arguments)


def run(arguments: argparse.Namespace) -> int:
    """Syncs, then prints what changed and which index is there; first the hub, then all addresses of hubs.toml."""
    settings = read_settings()
    listed = [] if arguments.url else [hub for hub in read_hub_list(settings.axon_home) if hub.address]
    repo = _main_clone(settings)
    if other := find_other_hub(arguments.url, settings.axon_home) if arguments.url else None:
        return _sync_other(other, arguments, settings)
    if not listed:
        _print_synced(_sync(repo, arguments.url, settings), arguments)
        return 0
    places: list[tuple[Path, str | None]] = [(repo, None)] if repo.exists() else []
    places += [(Path(hub.folder), hub.address) for hub in listed]
    return _sync_all(places, arguments, settings)


def _sync_other(hub: "ListedHub", arguments: argparse.Namespace, settings: Settings) -> int:
    """Syncs one more hub, then lists it: a mistyped address leaves no line behind."""
    place = Path(hub.folder)
    place.parent.mkdir(parents=True, exist_ok=True)
    synced = _sync(place, hub.address, settings)
    if add_to_list(hub, settings.axon_home):
        notice(f"note: {hub.name} stands in {settings.axon_home}/{HUBS_FILE} now; all hubs there are searched together")
    _print_synced(synced, arguments)
    return 0


@dataclass(frozen=True, slots=True)
class _Synced:
    """The result of a sync, and the index of the clone."""

    outcome: "SyncOutcome"
    index: "_IndexState"


def _sync_all(places: list[tuple[Path, str | None]], arguments: argparse.Namespace, settings: Settings) -> int:
    """The first failure's exit code; a hub that fails does not keep the others from being synced."""
    code = 0
    encoded: list[dict[str, object]] = []
    for place, address in places:
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            synced = _sync(place, address, settings)
        except HubIndexError as error:
            code = code or error.exit_code
            encoded.append({"result": "failed", "hub": str(place), "error": type(error).__name__, "reason": str(error)})
            notice(f"hub-index: {place}: {error}")
            continue
        encoded.append(_as_json(synced.outcome, synced.index))
        if not arguments.json:
            _print_synced(synced, arguments)
    if arguments.json:
        print_json({"hubs": encoded})
    return code


def _sync(place: Path, address: str | None, settings: Settings) -> _Synced:
    with ProgressBar() as bar:
        options = SyncOptions(
            is_interactive=sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty(),
            progress=bar.show_step,
        )
        outcome = sync_hub(place, address, options)
        prepare_dictionary(settings.cache_folder, bar)
    synced = _Synced(outcome, _find_index(outcome, settings))
    _prepare_search(place, settings)
    return synced


def _print_synced(synced: _Synced, arguments: argparse.Namespace) -> None:
    if arguments.json:
        print_json(_as_json(synced.outcome, synced.index))
        return
    for text in (*synced.outcome.notices, *synced.index.notices):
        notice(f"note: {text}")
    print(f"{_what_changed(synced.outcome)}\n{_which_index(synced.index)}")


def _prepare_search(place: Path, settings: Settings) -> None:
    """Prepares the first search; errors are left for that search to report."""
    with suppress(HubIndexError):
        index = open_index(
            hub=place,
            home=settings.axon_home,
            cache_dir=settings.cache_folder,
            progress=first_use_bar(),
            waiting=say_waiting,
            must_exist=False,
        )
        index.prepare()


@dataclass(frozen=True, slots=True)
class _IndexState:
    """The hub's own index, or why it cannot be used."""

    manifest: "Manifest | None" = None
    is_fresh: bool = False
    signature: str = ""  # a note on it
    reason: str = ""
    notices: tuple[str, ...] = ()


def _find_index(synced: "SyncOutcome", settings: Settings) -> _IndexState:
    check = SignatureCheck(settings.axon_home)
    try:
        repo = open_repository(synced.folder)
        state = read_hub(repo)
        folder = synced.folder / state.config.output
        manifest = verify_folder(folder, check.accept).manifest
    except IndexMissing:
        return _IndexState(reason=_why_missing(synced, state.config.output, settings))
    except HubIndexError as error:  # the hub is synced nevertheless
        return _IndexState(reason=str(error))
    notices: tuple[str, ...] = ()
    if check.allowed_signers:
        notices = note_newest(settings.cache_folder, str(folder), manifest.created_at)
    if not repo.shallow and not repo.is_ancestor(manifest.hub_revision, synced.revision):
        notices += (
            "the index was made from a commit that is not in this hub's history: it may be older than it looks",
        )
    is_fresh = manifest.source_digest == state.snapshot.source_digest
    return _IndexState(manifest, is_fresh, check.state, notices=notices)


def _why_missing(synced: "SyncOutcome", output: str, settings: Settings) -> str:
    """Why a synced hub has no index: one that lies in a local hub's folder may not be committed yet."""
    if Path(synced.address, output, "index_manifest.json").is_file():
        return f"that of {synced.address} is not committed; run `hub-index build {synced.address} --commit`, then sync"
    if synced.folder == _main_clone(settings):
        return "the hub publishes none; `hub-index search --index` makes one of your own"
    build = f"`hub-index build {synced.folder} --out DIR` makes one"
    return f"the hub publishes none, so it is searched by words; {build} for `hub-index search --index-dir DIR`"


def _main_clone(settings: Settings) -> Path:
    """The hub that is searched by default; only for this hub a user can build an index."""
    return Path(settings.axon_home, "repo")


def _what_changed(synced: "SyncOutcome") -> str:
    where = f"{printable(synced.address)} in {printable(str(synced.folder))}"
    now = f"{printable(synced.branch)} at {synced.revision[:12]}"
    if synced.previous is None:
        return f"cloned {where} ({now})"
    if synced.commits == 0:
        return f"up to date: {where} ({now})"
    return f"updated {where} by {counted(synced.commits, 'commit')} ({now})"


def _which_index(found: _IndexState) -> str:
    if found.manifest is None:
        return f"no index to use: {printable(found.reason)}"
    state = "fresh" if found.is_fresh else "older than the hub's newest skills"
    signature = f", {printable(found.signature)}" if found.signature else ""
    return f"index: {skill_count(found.manifest)} by {printable(found.manifest.model_id)}, {state}{signature}"


def _as_json(synced: "SyncOutcome", found: _IndexState) -> dict[str, object]:
    manifest = found.manifest
    changed = "cloned" if synced.previous is None else "updated" if synced.commits else "unchanged"
    return {
        "result": changed,
        "hub": str(synced.folder),
        "url": synced.address,
        "branch": synced.branch,
        "revision": synced.revision,
        "previous_revision": synced.previous,
        "commits": synced.commits,
        "index": None
        if manifest is None
        else {
            "count": manifest.count,
            "model_id": manifest.model_id,
            "hub_revision": manifest.hub_revision,
            "created_at": manifest.created_at,
            "fresh": found.is_fresh,
            "signature": found.signature or None,
        },
        "index_reason": found.reason or None,
        "notices": [*synced.notices, *found.notices],
    }
