"""`hub-index eval`: how well a hub's search answers labelled queries; with --min-ndcg a gate."""

import argparse
from pathlib import Path

from hub_index.cli.arguments import VerbParser, add_json
from hub_index.cli.search_wiring import add_index_options, open_from
from hub_index.cli.terminal import format_table, notice, print_json, terminal_width
from hub_index.errors import ConfigError, IndexUnusable
from hub_index.search.evaluate import DEPTH, Measures, evaluate, parse_labelled

_EXAMPLES = """\
  hub-index eval --hub path/to/hub --queries queries.jsonl --qrels qrels.tsv
  hub-index eval --index-dir search --queries q.jsonl --qrels q.tsv --mode keyword --min-ndcg 0.6"""
_BELOW_MINIMUM = 1


def parse(arguments: list[str]) -> argparse.Namespace:
    """The verb's arguments."""
    parser = VerbParser("eval", "Measure retrieval against labelled queries; exit 1 below --min-ndcg.", _EXAMPLES)
    add_index_options(parser)
    parser.add_argument(
        "--queries", type=Path, required=True, metavar="F.jsonl", help="qid, text and lang as JSON, a line each"
    )
    parser.add_argument(
        "--qrels", type=Path, required=True, metavar="F.tsv", help="qid, id and grade with tabs between, a line each"
    )
    parser.add_argument("--mode", choices=("keyword", "semantic", "hybrid"), default="hybrid")
    parser.add_argument("--min-ndcg", type=float, metavar="X", help="exit 1 if nDCG@10 over all queries is below X")
    add_json(parser)
    return parser.parse_args(arguments)


def run(arguments: argparse.Namespace) -> int:
    """Prints the measures; a search that cannot run in the mode asked for is an error, not a low score."""
    labelled = parse_labelled(_read(arguments.queries), _read(arguments.qrels))
    index = open_from(arguments)

    def search(text: str) -> list[str]:
        results = index.search(text, DEPTH, arguments.mode)
        if results.mode != arguments.mode and results.fallback_reason and arguments.mode == "hybrid" and text.strip():
            raise IndexUnusable(f"hybrid search fell back to keyword: {results.fallback_reason}")
        return [hit.id for hit in results.hits]

    found = evaluate(labelled, search)
    if arguments.json:
        print_json(found.encode())
    else:
        rows = [_row("all", found.all), *(_row(*item) for item in found.by_lang.items())]
        print(format_table(("language", "n", "nDCG@10", "hit@1", "recall@5", "MRR"), rows, terminal_width()))
    ndcg = found.all.means["ndcg10"]
    if arguments.min_ndcg is not None and ndcg < arguments.min_ndcg:
        notice(f"hub-index: nDCG@10 is {ndcg:.4f}, below {arguments.min_ndcg}")
        return _BELOW_MINIMUM
    return 0


def _row(language: str, measures: Measures) -> tuple[str, ...]:
    names = ("ndcg10", "hit1", "recall5", "mrr")
    return (language, str(measures.n), *(f"{measures.means[n]:.4f} ± {measures.errors[n]:.4f}" for n in names))


def _read(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} cannot be read: {error}") from error
