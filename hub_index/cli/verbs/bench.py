"""`hub-index bench`: how long queries take, cold and warm, in each mode."""

import argparse
import json
from pathlib import Path

from hub_index.cli.arguments import VerbParser, add_json
from hub_index.cli.terminal import format_table, print_json, terminal_width
from hub_index.cli.wiring.query_files import read_query_file
from hub_index.cli.wiring.search_wiring import add_index_options, open_from
from hub_index.errors import ConfigError
from hub_index.search.measure.query_times import MODES, Times, measure_cold, measure_warm

_EXAMPLES = """\
  hub-index bench --index-dir path/to/hub/search --queries queries.jsonl"""
_MOST_QUERIES = 1_000


def parse(arguments: list[str]) -> argparse.Namespace:
    """The verb's arguments."""
    parser = VerbParser("bench", "Measure query times: p50, p95 and p99 of each mode, cold and warm.", _EXAMPLES)
    add_index_options(parser)
    parser.add_argument(
        "--queries", type=Path, required=True, metavar="F.jsonl", help="an object with a text, a line each"
    )
    add_json(parser)
    return parser.parse_args(arguments)


def run(arguments: argparse.Namespace) -> int:
    """Prints the times of each mode, in milliseconds."""
    queries = _read_queries(arguments.queries)
    index = open_from(arguments)
    options = (("--hub", arguments.hub), ("--index-dir", arguments.index_dir))
    places = [word for option, folder in options if folder for word in (option, folder)]
    times_of: dict[str, dict[str, Times]] = {}
    for mode in MODES:
        cold = measure_cold(["search", f"--{mode}", *places, "--", queries[0]])
        times_of[mode] = {"warm": measure_warm(index, queries, mode), "cold": cold}
    if arguments.json:
        print_json({mode: {kind: times.encode() for kind, times in both.items()} for mode, both in times_of.items()})
        return 0
    rows = [
        (mode, kind, str(times.n), f"{times.p50:.2f}", f"{times.p95:.2f}", f"{times.p99:.2f}")
        for mode, both in times_of.items()
        for kind, times in both.items()
    ]
    print(format_table(("mode", "process", "n", "p50 ms", "p95 ms", "p99 ms"), rows, terminal_width()))
    return 0


def _read_queries(path: Path) -> list[str]:
    queries: list[str] = []
    for number, line in enumerate(read_query_file(path).split("\n"), start=1):
        try:
            if line.strip():
                queries.append(str(json.loads(line)["text"]))
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise ConfigError(f"{path}, line {number}: write an object with a text") from error
    if not queries:
        raise ConfigError(f"{path} does not hold a query")
    return queries[:_MOST_QUERIES]
