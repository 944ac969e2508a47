"""`hub-index verify`: schema, digests, alignment, unit vectors, and whether the index is fresh for its hub."""

import argparse
import os
import time
from contextlib import closing
from pathlib import Path
from random import SystemRandom

from hub_index.base.safe_open import RootedPath, rooted
from hub_index.cli.arguments import VerbParser, add_json, age, folder_path
from hub_index.cli.terminal import notice, print_json, printable
from hub_index.cli.wiring.hub_here import hub_here
from hub_index.cli.wiring.signature_check import SignatureCheck
from hub_index.embedding.axon_lift import lifted_space
from hub_index.embedding.providers import make_encoder
from hub_index.errors import HubIndexError, IndexCorrupt, IndexStale
from hub_index.hub.git.repository import Repository, open_repository
from hub_index.hub.skill.problems import counted, listed
from hub_index.hub.snapshot import HubState, read_hub
from hub_index.hub.tree.hub_folder import looks_like_hub
from hub_index.index.folder.hold import read_hold
from hub_index.index.folder.verification import verify_folder
from hub_index.index.format.verify import decode_index
from hub_index.index.rows import read_texts
from hub_index.index.spot_checks import find_other_records, find_other_vectors, fingerprint, is_our_recipe
from hub_index.limits import MAX_MANIFEST_BYTES
from hub_index.models import Manifest
from hub_index.record import Record
from hub_index.search.checkout.git_head import find_git_folder
from hub_index.search.places.index_places import plan_places
from hub_index.search.places.rollback_warning import accept_as_newest, as_utc, is_in_future, note_newest
from hub_index.settings import EMBEDDED_MODEL, Settings, read_settings

_EXAMPLES = """\
  hub-index verify path/to/hub/search
  hub-index verify --hub path/to/hub                  its own index, whether it is fresh, and as the files say
  hub-index verify --hub path/to/hub --max-age 48h    for an alarm: exit 6 if nothing has been built since

Where $AXON_HOME/allowed_signers (or AXON_ALLOWED_SIGNERS) lists allowed signers, the index has to be signed by one of
them. An index that is older than one accepted before is refused: it may be a replay."""

_SAMPLE = 16  # vectors that are made again, others every time
_SHOWN_IDS = 5


def parse(arguments: list[str]) -> argparse.Namespace:
    """The verb's arguments."""
    parser = VerbParser("verify", "Check a published index, byte by byte; exit 6 if it must not be used.", _EXAMPLES)
    parser.add_argument(
        "folder",
        metavar="DIR",
        nargs="?",
        type=folder_path,
        help="default: the index of --hub, else of the hub that you stand in, else ./search",
    )
    parser.add_argument("--hub", type=folder_path, help="also say whether the index is fresh for this hub")
    parser.add_argument(
        "--max-age", type=age, metavar="48h", help="refuse an index that was built longer ago (m, h, d)"
    )
    parser.add_argument(
        "--allow-older", action="store_true", help="accept an index that is older than one accepted before"
    )
    add_json(parser)
    return parser.parse_args(arguments)


def run(arguments: argparse.Namespace) -> int:
    """Prints the verdict; a bad, untrusted, old or stale index is exit code 6."""
    settings = read_settings()
    if arguments.folder is None and arguments.hub is None:
        _take_usual_hub(arguments, settings.axon_home)
    arguments.folder = _index_folder(arguments)
    check = SignatureCheck(settings.axon_home)
    rows = RowsCheck(arguments.folder)
    try:
        index = verify_folder(
            arguments.folder, check.accept, with_schemas=True, see=rows.see if arguments.hub else None
        )
        _check_times(index.manifest, arguments, settings.cache_folder, is_signed=bool(check.allowed_signers))
        freshness = _freshness(index.manifest, arguments, rows, settings) if arguments.hub else None
    except HubIndexError as error:
        if arguments.json:
            print_json({"valid": False, "error": type(error).__name__, "reason": str(error)})
        raise
    if arguments.json:
        print_json(_as_json(index.manifest, freshness, check.state))
    else:
        print(_as_text(index.manifest, index.rows, freshness, check.state))
    if freshness == "stale":
        raise IndexStale(f"{arguments.folder} is stale: the hub's skills have changed; {_way_out(arguments.folder)}")
    return 0


def _check_times(manifest: Manifest, arguments: argparse.Namespace, cache: str, *, is_signed: bool) -> None:
    """Raises IndexStale for an index that is too old: by --max-age, or since a newer signed one was accepted before."""
    folder, built = arguments.folder, as_utc(manifest.created_at)
    if arguments.max_age is not None:
        oldest = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - arguments.max_age))
        if built < oldest or is_in_future(built):
            wrong = "lies in the future" if built > oldest else "is longer ago than --max-age allows"
            raise IndexStale(
                f"{folder}: was built {built}, which {wrong}; see why the scheduled build did not run, then "
                "`hub-index build --force`"
            )
    if arguments.allow_older:
        accept_as_newest(cache, str(folder), manifest.created_at)
    for older in note_newest(cache, str(folder), manifest.created_at) if is_signed else ():
        raise IndexStale(f"{folder}: {older}")


def _take_usual_hub(arguments: argparse.Namespace, home: str) -> None:
    """Names the hub that the user stands in, else the synced one; without git nothing can be said to be fresh."""
    hub = hub_here(home) or os.path.join(home, "repo")
    if find_git_folder(hub):
        arguments.hub = Path(hub)
    elif looks_like_hub(hub):
        arguments.folder = Path(hub)


def _index_folder(arguments: argparse.Namespace) -> RootedPath:
    """The index folder; for a named hub its index's folder, with a note."""
    if arguments.folder is None and arguments.hub is not None:
        return plan_places("", str(arguments.hub), "")[0].folder
    folder: Path = arguments.folder or Path("search")
    if (folder / "index_manifest.json").exists() or not looks_like_hub(str(folder)):
        return rooted(folder)
    (place,) = plan_places("", str(folder), "")
    notice(f"note: {printable(str(folder))} is a hub; its index is {printable(place.index_dir)}")
    return place.folder


def _freshness(manifest: Manifest, arguments: argparse.Namespace, rows: "RowsCheck", settings: "Settings") -> str:
    """Whether the index was made from the files of now. Raises IndexCorrupt if so and they say something else."""
    repo = open_repository(arguments.hub)
    state = read_hub(repo, "HEAD")
    committed = repo.read_file(state.snapshot.revision, f"{state.config.output}/index_manifest.json")
    if committed is not None and committed != arguments.folder.read("index_manifest.json", MAX_MANIFEST_BYTES):
        notice("note: the manifest differs from the one that is committed in the hub")
    if hold := read_hold(arguments.folder):
        notice(f"note: {hold.sentence()}")
    if manifest.source_digest != state.snapshot.source_digest:
        return "stale"
    rows.check(manifest, repo, state, settings)
    return "fresh"


def _way_out(folder: RootedPath) -> str:
    """The advice for a stale index: a held one is not built."""
    if read_hold(folder) is None:
        return "run `hub-index build`"
    return "it is held, so no build changes it: `hub-index publish --resume` builds again"


def _as_json(manifest: Manifest, freshness: str | None, signature: str) -> dict[str, object]:
    return {
        "valid": True,
        "freshness": freshness,
        "signature": signature or None,
        "count": manifest.count,
        "dim": manifest.dim,
        "model_id": manifest.model_id,
        "hub_revision": manifest.hub_revision,
        "created_at": manifest.created_at,
    }


def _as_text(manifest: Manifest, rows: int, freshness: str | None, signature: str) -> str:
    state = "".join(f", {printable(text)}" for text in (freshness, signature) if text)
    return (
        f"valid{state}: {counted(rows, 'skill')} × {manifest.dim} by {printable(manifest.model_id)}, "
        f"hub revision {printable(manifest.hub_revision[:12])}, built {printable(manifest.created_at)}"
    )


class RowsCheck:
    """The fingerprints of an index's records, taken while it is verified: {id: fingerprint}, 150 bytes a row."""

    def __init__(self, folder: RootedPath) -> None:
        self.folder = folder
        self._known: dict[str, bytes] = {}

    def see(self, record: Record) -> None:
        """Takes one record down."""
        self._known[record.id] = fingerprint(record)

    def check(self, manifest: Manifest, repo: Repository, state: HubState, settings: Settings) -> None:
        """Raises IndexCorrupt if the rows of a fresh index are not what the hub's files say."""
        if not is_our_recipe(manifest):
            notice("note: the rows were not compared with the hub's files: another version made this index")
            return
        files = state.snapshot.files
        others = find_other_records(repo, files, self._known)
        others += sorted(self._known.keys() - {file.id for file in files})
        self._refuse(others, "row", "not what the hub's files say")
        self._refuse(
            self._other_vectors(manifest, repo, state, settings), "vector", "not what the model makes of their texts"
        )

    def _other_vectors(self, manifest: Manifest, repo: Repository, state: HubState, settings: Settings) -> list[str]:
        """The ids, of a few chosen at random, with another vector; none if the embedded model did not make them."""
        from hub_index.index.folder.reading import open_files

        with closing(make_encoder(EMBEDDED_MODEL, settings)) as encoder:
            if lifted_space(encoder.space, manifest.constant_part) != manifest.space:
                return []
            chosen = SystemRandom().sample(sorted(self._known), min(_SAMPLE, len(self._known)))
            texts = read_texts(repo, state, frozenset(chosen))
            return find_other_vectors(decode_index(open_files(self.folder)), texts, encoder)

    def _refuse(self, others: list[str], thing: str, what: str) -> None:
        if others:
            raise IndexCorrupt(
                f"{self.folder}: {counted(len(others), thing)} {'is' if len(others) == 1 else 'are'} {what}: "
                f"{listed(others, _SHOWN_IDS)}; see who wrote them (`git log`), then run `hub-index build --force`"
            )
