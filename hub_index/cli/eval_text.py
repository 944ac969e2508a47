"""An evaluation and a comparison of two, for people: tables of nDCG@10 and other measures."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from hub_index.cli.terminal import format_table, printable

if TYPE_CHECKING:
    from hub_index.search.comparison import Comparison, Contrast
    from hub_index.search.evaluate import Evaluation, Measures

_MEASURES = ("ndcg10", "hit1", "recall5", "mrr")


def format_evaluation(found: "Evaluation", width: int) -> str:
    """The measures of all queries and of each language."""
    rows = [_row("all", found.all), *(_row(*item) for item in found.by_lang.items())]
    return format_table(("language", "n", "nDCG@10", "hit@1", "recall@5", "MRR"), rows, width)


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
