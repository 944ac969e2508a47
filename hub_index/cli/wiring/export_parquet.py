"""`hub-index export parquet DIR`: an index's records and vectors as Parquet, a file for each part."""

import argparse
from pathlib import Path

from hub_index.base.safe_open import RootedPath
from hub_index.cli.arguments import VerbParser, add_json, folder_path
from hub_index.cli.terminal import print_json, printable
from hub_index.export.parquet import export_parquet
from hub_index.hub.skill.problems import counted
from hub_index.search.places.index_places import plan_places

_EXAMPLES = """\
  hub-index export parquet skills-parquet --hub path/to/hub
  hub-index export parquet out --index-dir path/to/hub/search

An index in parts becomes part=b<bits>/skills.parquet, which DuckDB, Spark, Dask and pandas read as one table."""


def parse(arguments: list[str]) -> argparse.Namespace:
    """The sub-command's arguments."""
    parser = VerbParser("export parquet", "Write an index's records and vectors as Parquet.", _EXAMPLES)
    parser.add_argument("target", metavar="DIR", type=folder_path, help="a new folder, or the one of an earlier export")
    parser.add_argument("--hub", type=folder_path, help="the hub whose index is written (default: the index ./search)")
    parser.add_argument("--index-dir", type=folder_path, help="the index folder itself")
    add_json(parser)
    return parser.parse_args(arguments)


def run(arguments: argparse.Namespace) -> int:
    """Writes the files and says how many."""
    written = export_parquet(_index_dir(arguments), arguments.target)
    if arguments.json:
        print_json({"folder": str(written.folder), "skills": written.rows, "files": written.files})
    else:
        print(
            f"{counted(written.rows, 'skill')} in {counted(written.files, 'file')} of {printable(str(written.folder))}"
        )
    return 0


def _index_dir(arguments: argparse.Namespace) -> Path | RootedPath:
    if arguments.index_dir is not None:
        return Path(arguments.index_dir)
    if arguments.hub is None:
        return Path("search")

    return plan_places("", str(arguments.hub), "")[0].folder
