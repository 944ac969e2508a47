"""`hub-index cache info|prune`: shows the contents of the vector cache, or drops vectors that no index uses."""

import argparse
import time
from dataclasses import asdict
from pathlib import Path

from hub_index.cli.arguments import VerbParser, add_json, folder_path
from hub_index.cli.terminal import format_table, print_json, printable, terminal_width
from hub_index.hub.skill.problems import counted
from hub_index.models import Manifest
from hub_index.settings import read_settings

_EXAMPLES = """\
  hub-index cache info
  hub-index cache prune --keep path/to/hub/search     drops all vectors but those of this index"""


def parse(arguments: list[str]) -> argparse.Namespace:
    """The verb's arguments."""
    parser = VerbParser("cache", "Look at the vector cache, or drop what no index uses.", _EXAMPLES)
    parser.add_argument("action", choices=("info", "prune"))
    parser.add_argument("--cache", type=folder_path, metavar="DIR", help="the cache folder (default: the user's cache)")
    parser.add_argument(
        "--keep",
        type=folder_path,
        action="append",
        metavar="DIR",
        help="prune: an index folder whose vectors stay; may be given again (default: ./search)",
    )
    add_json(parser)
    return parser.parse_args(arguments)


def run(arguments: argparse.Namespace) -> int:
    """Shows or prunes."""
    folder = arguments.cache or read_settings().cache_dir
    return _prune(folder, arguments) if arguments.action == "prune" else _info(folder, arguments)


def _info(folder: Path, arguments: argparse.Namespace) -> int:
    from hub_index.embedding.cache.cache_care import read_info

    info = read_info(folder)
    if arguments.json:
        print_json(asdict(info) | {"folder": str(info.folder), "other_bytes": _other_bytes(folder)})
        return 0
    now_s = time.time()
    rows = [
        (
            space.model_id or "?",
            f"{space.vectors:,}",
            f"{space.size_bytes / 1e6:.1f} MB",
            f"{counted(round(max(0.0, now_s - space.newest) / 86_400), 'day')} ago" if space.newest else "-",
            space.space,
        )
        for space in info.spaces
    ]
    print(format_table(("model", "vectors", "size", "written", "space"), rows, terminal_width()))
    print(f"\nvectors in {printable(str(folder))}: {info.size_bytes / 1e6:.1f} MB, torn files: {info.torn_files:,}")
    print(f"beside them, made again when needed: {_other_bytes(folder) / 1e6:.1f} MB (model copy, lexical indexes)")
    return 0


def _other_bytes(folder: Path) -> int:
    """The bytes in the folder besides vectors."""
    files = (path for entry in folder.glob("*") if entry.name != "vectors" for path in (entry, *entry.rglob("*")))
    return sum(path.stat().st_size for path in files if path.is_file() and not path.is_symlink())


def _cached_space(manifest: Manifest) -> str:
    """The space under which an index's vectors are cached: vectors with a constant part are those of their base."""
    if manifest.constant_part is None:
        return manifest.space or ""
    from hub_index.embedding.local import LocalEncoder

    return LocalEncoder().space


def _prune(folder: Path, arguments: argparse.Namespace) -> int:
    from hub_index.embedding.cache.cache_care import prune_cache
    from hub_index.index.folder.reading import read_files
    from hub_index.index.format.verify import decode_index

    keep: dict[str, set[str]] = {}
    for kept in arguments.keep or [Path("search")]:
        index = decode_index(read_files(kept))
        keep.setdefault(_cached_space(index.manifest), set()).update(record.text_hash for record in index.records)
    pruned = prune_cache(folder, keep)
    if arguments.json:
        print_json({"freed_bytes": pruned.freed_bytes, "left_bytes": pruned.left_bytes})
    else:
        freed, left = pruned.freed_bytes / 1e6, pruned.left_bytes / 1e6
        print(f"vectors in {printable(str(folder))}: {freed:.1f} MB freed, {left:.1f} MB left")
    return 0
