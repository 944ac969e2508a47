"""`hub-index verify`: schema, digests, alignment, unit vectors, and whether the index is fresh for its hub."""

import argparse
from pathlib import Path

from hub_index.cli.arguments import VerbParser, add_json, folder_path
from hub_index.cli.terminal import notice, print_json, printable
from hub_index.errors import HubIndexError, IndexStale
from hub_index.hub.skill.problems import counted
from hub_index.models import Manifest

_EXAMPLES = """\
  hub-index verify path/to/hub/search
  hub-index verify path/to/hub/search --hub path/to/hub"""


def parse(arguments: list[str]) -> argparse.Namespace:
    """The verb's arguments."""
    parser = VerbParser("verify", "Check a published index, byte by byte; exit 6 if it must not be used.", _EXAMPLES)
    parser.add_argument(
        "folder", metavar="DIR", nargs="?", type=folder_path, default="search", help="default: ./search"
    )
    parser.add_argument("--hub", type=folder_path, help="also say whether the index is fresh for this hub")
    add_json(parser)
    return parser.parse_args(arguments)


def run(arguments: argparse.Namespace) -> int:
    """Prints the verdict; a bad or stale index is exit code 6."""
    from hub_index.index.folder.store import read_files
    from hub_index.index.format.validate import check_index

    arguments.folder = _index_folder(arguments.folder)
    try:
        index = check_index(read_files(arguments.folder))
        freshness = _freshness(index.manifest, arguments) if arguments.hub else None
    except HubIndexError as error:
        if arguments.json:
            print_json({"valid": False, "error": type(error).__name__, "reason": str(error)})
        raise
    if arguments.json:
        print_json(_as_json(index.manifest, freshness))
    else:
        print(_as_text(index.manifest, len(index.records), freshness))
    if freshness == "stale":
        raise IndexStale(f"{arguments.folder} is stale: the hub's skills have changed; run `hub-index build`")
    return 0


def _index_folder(folder: Path) -> Path:
    """The folder; of a hub without an index at its root the folder that its index goes to, which is said."""
    from hub_index.hub.tree.hub_folder import looks_like_hub
    from hub_index.search.index_places import plan_places

    if (folder / "index_manifest.json").exists() or not looks_like_hub(str(folder)):
        return folder
    (place,) = plan_places("", str(folder), "")
    notice(f"note: {printable(str(folder))} is a hub; its index is {printable(place.index_dir)}")
    return Path(place.index_dir)


def _freshness(manifest: Manifest, arguments: argparse.Namespace) -> str:
    from hub_index.hub.git.repository import open_repository
    from hub_index.hub.snapshot import read_hub
    from hub_index.index.folder.hold import read_hold

    repo = open_repository(arguments.hub)
    state = read_hub(repo, "HEAD")
    committed = repo.read_file(state.snapshot.revision, f"{state.config.output}/index_manifest.json")
    if committed is not None and committed != (arguments.folder / "index_manifest.json").read_bytes():
        notice("note: the manifest differs from the one that is committed in the hub")
    if hold := read_hold(arguments.folder):
        notice(f"note: {hold.sentence()}")
    return "fresh" if manifest.source_digest == state.snapshot.source_digest else "stale"


def _as_json(manifest: Manifest, freshness: str | None) -> dict[str, object]:
    return {
        "valid": True,
        "freshness": freshness,
        "count": manifest.count,
        "dim": manifest.dim,
        "model_id": manifest.model_id,
        "hub_revision": manifest.hub_revision,
        "created_at": manifest.created_at,
    }


def _as_text(manifest: Manifest, rows: int, freshness: str | None) -> str:
    state = f", {freshness}" if freshness else ""
    return (
        f"valid{state}: {counted(rows, 'skill')} × {manifest.dim} by {printable(manifest.model_id)}, "
        f"hub revision {printable(manifest.hub_revision[:12])}, built {printable(manifest.created_at)}"
    )
