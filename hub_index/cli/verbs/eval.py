"""`hub-index eval`: the quality of a hub's search by labelled queries; with --min-ndcg a gate."""

import argparse
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from hub_index.cli.arguments import VerbParser, add_json
from hub_index.cli.terminal import format_table, notice, print_json, printable, terminal_width
from hub_index.cli.user_settings import settings_from
from hub_index.cli.wiring.query_files import read_query_file
from hub_index.cli.wiring.search_tools import add_rerank_options, open_reranker
from hub_index.cli.wiring.search_wiring import add_index_options, open_from
from hub_index.errors import ConfigError
from hub_index.hub.labels.labels import LabelledQuery, parse_labelled
from hub_index.hub.skill.problems import counted
from hub_index.search.index import Index
from hub_index.search.measure.comparison import compare, parse_run
from hub_index.search.measure.evaluate import Evaluation, ask, evaluate, find_unknown, read_langs

if TYPE_CHECKING:
    from hub_index.search.measure.comparison import Comparison, Contrast
    from hub_index.search.measure.evaluate import LabelMeasures, Measures

_EXAMPLES = """\
  hub-index eval --hub path/to/hub --queries queries.jsonl --qrels qrels.tsv
  hub-index eval --index-dir search --queries q.jsonl --qrels q.tsv --mode keyword --min-ndcg 0.6
  hub-index eval --hub path/to/hub --queries q.jsonl --qrels q.tsv --json > before.json       then change something:
  hub-index eval --hub path/to/hub --queries q.jsonl --qrels q.tsv --against before.json"""
_BELOW_MINIMUM = 1

_MEASURES = ("ndcg10", "hit1", "recall5", "mrr")


def parse(arguments: list[str]) -> argparse.Namespace:
    """The verb's arguments."""
    parser = VerbParser("eval", "Measure retrieval against labelled queries; exit 1 below --min-ndcg.", _EXAMPLES)
    add_index_options(parser)
    parser.add_argument(
        "--queries",
        type=Path,
        required=True,
        metavar="F.jsonl",
        help="qid, text, lang and nothing as JSON, a line each",
    )
    parser.add_argument(
        "--qrels", type=Path, required=True, metavar="F.tsv", help="qid, id and grade with tabs between, a line each"
    )
    parser.add_argument("--mode", choices=("keyword", "semantic", "hybrid"), default="hybrid")
    parser.add_argument("--min-ndcg", type=float, metavar="X", help="exit 1 if nDCG@10 over all queries is below X")
    parser.add_argument(
        "--against",
        type=Path,
        metavar="FILE",
        help="compare with an earlier run, which `eval --json` wrote: wins and losses, a paired test, the worst ten",
    )
    add_rerank_options(parser)
    add_json(parser)
    return parser.parse_args(arguments)


def run(arguments: argparse.Namespace) -> int:
    """Prints the measures; a search that cannot run in the mode asked for is an error, not a low score."""
    names = (str(arguments.queries), str(arguments.qrels))
    labelled = parse_labelled(*(read_query_file(Path(name)) for name in names), names=names)
    earlier = parse_run(read_query_file(arguments.against), str(arguments.against)) if arguments.against else None
    index = open_from(arguments)
    _check_labels(index, labelled, arguments.qrels)
    evaluation = _evaluate(index, labelled, arguments)
    against = compare(evaluation, earlier, str(arguments.against)) if earlier is not None else None
    if arguments.json:
        print_json(evaluation.encode() | ({"against": against.encode()} if against else {}))
    else:
        print(format_evaluation(evaluation, terminal_width()))
        print(format_label(evaluation.label))
        if against is not None:
            texts = {query.qid: query.text for query in labelled}
            print(format_comparison(against, texts, terminal_width()))
    ndcg = evaluation.all.means["ndcg10"]
    if arguments.min_ndcg is not None and ndcg < arguments.min_ndcg:
        notice(f"hub-index: nDCG@10 is {ndcg:.4f}, below {arguments.min_ndcg}")
        return _BELOW_MINIMUM
    return 0


def _evaluate(index: Index, labelled: Sequence[LabelledQuery], arguments: argparse.Namespace) -> Evaluation:
    settings = settings_from(arguments)
    reranker = open_reranker(arguments, settings)
    options = {"rerank": reranker, "rerank_depth": arguments.rerank_depth or settings.rerank_depth} if reranker else {}
    langs = read_langs(index, {id_ for query in labelled for id_ in query.grades})
    return evaluate(labelled, lambda text: ask(index, text, arguments.mode, **options), lambda id_: langs.get(id_, ""))


def _check_labels(index: Index, labelled: Sequence[LabelledQuery], qrels: Path) -> None:
    """Raises ConfigError if the labels are of another hub; some that are not in the index are a notice."""
    relevant = {id_ for query in labelled for id_, grade in query.grades.items() if grade > 0}
    unknown = find_unknown(index, relevant)
    if len(unknown) == len(relevant):
        raise ConfigError(
            f"none of the {counted(len(relevant), 'skill')} that {qrels} names is in the index: are its ids those of "
            "this hub?"
        )
    if unknown:
        notice(f"note: {len(unknown):,} of {counted(len(relevant), 'labelled skill')} not in the index: never found")


def format_evaluation(found: "Evaluation", width: int) -> str:
    """The measures of all queries and of each language."""
    rows = [_row("all", found.all), *(_row(*item) for item in found.by_lang.items())]
    return format_table(("language", "n", "nDCG@10", "hit@1", "recall@5", "MRR"), rows, width)


def format_label(found: "LabelMeasures") -> str:
    """How far the label can be relied on, in lines."""
    lines = [""]
    if found.precision is not None:
        shares = f"{found.strong_and_right:,} of {found.strong:,} first hits called strong"
        lines.append(f"{shares} are right (precision {found.precision:.4f})")
    if found.recall is not None:
        shares = f"{found.strong_and_right:,} of {found.right:,} right first hits called strong"
        lines.append(f"{shares} (recall {found.recall:.4f})")
    if found.nothing:
        lines.append(f"nothing fits {counted(found.nothing, 'question')}: {found.nothing_strong:,} called strong")
    return "\n".join(lines)


def format_comparison(found: "Comparison", texts: Mapping[str, str], width: int) -> str:
    """The changes by kinds of queries, and the queries that fell most; `texts` by qid."""
    rows = [_contrast("all", found.all)]
    rows += [_contrast(kind, contrast) for kind, contrast in (*found.by_langs.items(), *found.by_length.items())]
    head = ("nDCG@10 of", "n", "before", "now", "change", "better", "worse")
    lines = ["", format_table(head, rows, width), "", _verdict(found)]
    if found.worst:
        lines += ["", "answered worse, the largest fall first:", *_worst_lines(found, texts)]
    return "\n".join(lines)


def _row(language: str, measures: "Measures") -> tuple[str, ...]:
    cells = (f"{measures.means[name]:.4f} ± {measures.errors[name]:.4f}" for name in _MEASURES)
    return (language, str(measures.n), *cells)


def _contrast(kind: str, contrast: "Contrast") -> tuple[str, ...]:
    change = f"{contrast.change:+.4f} ± {contrast.standard_error:.4f}"
    counts = (str(contrast.wins), str(contrast.losses))
    return (kind, str(contrast.n), f"{contrast.before:.4f}", f"{contrast.after:.4f}", change, *counts)


def _verdict(found: "Comparison") -> str:
    meaning = "more than chance" if found.p_value < 0.05 else "could be chance"
    left = f"; {found.left_out} queries are in one run only and left out" if found.left_out else ""
    return f"paired test: p = {found.p_value:.4f}, {meaning}{left}"


def _worst_lines(found: "Comparison", texts: Mapping[str, str]) -> Iterator[str]:
    for change in found.worst:
        firsts = f"first {change.first_before or 'none'} → {change.first_after or 'none'}"
        text = printable(texts.get(change.qid, ""))
        shown = text if len(text) <= 100 else text[:99] + "…"
        yield printable(f"  {change.qid}: {change.before:.4f} → {change.after:.4f}, {firsts}: {shown}")
