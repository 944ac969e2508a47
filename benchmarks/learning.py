"""`python -m benchmarks.learning FOLDER [MODE]`: what learning from accepted searches changes in nDCG@10, per set.

FOLDER holds labelled sets as for `benchmarks.confidence`. Of each set a random half of the queries become accepted
traces, at most 1, 3 or 10 a skill, a tenth of them with a wrong click (another skill that was shown); the other half is
searched. Beside that: traces of a year ago, clicks at random among the ten that were shown, clicks at random among all
skills, and each part of what is learnt by itself. A set with one query a skill shows what traces cost that cannot help.
"""

import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import sqrt
from pathlib import Path

from benchmarks.hubs import unpack_hub
from benchmarks.measure import run
from hub_index.hub.labels.labels import LabelledQuery, parse_labelled
from hub_index.search import open_index
from hub_index.search.index import Index
from hub_index.search.measure.evaluate import DEPTH, score_answer
from hub_index.search.query.query import count_terms
from hub_index.search.results import Results
from hub_index.traces.learning import LearntExperience
from hub_index.traces.outcomes import Outcome
from hub_index.traces.verdict import PARTS

_WRONG = 0.1
_YEAR_S = 365 * 86_400.0

Click = Callable[["_Answered", random.Random], str]


@dataclass(frozen=True, slots=True)
class _Answered:
    """A labelled query, how it is answered without experience, and which skill it was asked for."""

    query: LabelledQuery
    results: Results
    right: str

    @property
    def ndcg(self) -> float:
        """Of the answer without experience."""
        return _ndcg(self.query, self.results)


def main() -> None:
    """Prints a line for each set and kind of traces."""
    if len(sys.argv) not in (2, 3):
        sys.exit("usage: python -m benchmarks.learning FOLDER [MODE]")
    mode = sys.argv[2] if len(sys.argv) == 3 else "hybrid"
    folders = [folder for folder in sorted(Path(sys.argv[1]).iterdir()) if (folder / "hub.tar.xz").exists()]
    print(f"{'set':<14} {'traces':<38} {'n':>5} {'before':>7} {'after':>7}  gain ± se")
    for folder in folders:
        with tempfile.TemporaryDirectory(prefix="hub-index-learning-") as temporary:
            hub = unpack_hub(folder / "hub.tar.xz", Path(temporary, "hub"))
            run([sys.executable, "-m", "hub_index", "build", str(hub), "--out", f"{temporary}/index"])
            labels = [(folder / name).read_text("utf-8") for name in ("queries.jsonl", "qrels.tsv")]
            with open_index(f"{temporary}/index", hub) as index:
                for line in measure(index, parse_labelled(*labels), mode):
                    print(f"{folder.name:<14} {line}", flush=True)


def measure(index: Index, queries: Sequence[LabelledQuery], mode: str) -> Iterator[str]:
    """A line for each kind of traces."""
    rng = random.Random(0)
    answered = [_Answered(q, index.search(q.text, DEPTH, mode), _right(q)) for q in queries]
    rng.shuffle(answered)
    taught, asked = answered[: len(answered) // 2], answered[len(answered) // 2 :]
    skills = sorted({hit.id for one in answered for hit in one.results} | {one.right for one in answered})
    now_s = time.time()

    def line(what: str, count: int, click: Click, at: float = now_s, parts: Sequence[str] = PARTS) -> str:
        outcomes = list(_make_outcomes(taught, count, click, at))
        experience = LearntExperience(outcomes, now_s, parts)
        again = [index.search(one.query.text, DEPTH, mode, experience=experience) for one in asked]
        changes = [_ndcg(one.query, results) - one.ndcg for one, results in zip(asked, again, strict=True)]
        return _line(what, len(outcomes), [one.ndcg for one in asked], changes)

    for count in (1, 3, 10):
        yield line(f"{count} a skill", count, _click_right)
    yield line("10 a skill, memory alone", 10, _click_right, parts=("memory",))
    yield line("10 a skill, prior alone", 10, _click_right, parts=("prior",))
    yield line("10 a skill, a year ago", 10, _click_right, now_s - _YEAR_S)
    yield line("10 a skill, random among those shown", 10, _click_shown)
    yield line("10 a skill, random among all skills", 10, lambda _, rng: rng.choice(skills))


def _make_outcomes(taught: Sequence[_Answered], count: int, click: Click, at: float) -> Iterator[Outcome]:
    rng = random.Random(1)
    seen: dict[str, int] = {}
    for number, one in enumerate(taught):
        seen[one.right] = seen.get(one.right, 0) + 1
        if seen[one.right] > count:
            continue
        words, vector = frozenset(count_terms(one.query.text)), one.results.query_vector
        yield Outcome(click(one, rng), True, at, str(number), one.query.text, words, vector)


def _click_right(one: _Answered, rng: random.Random) -> str:
    wrong = [hit.id for hit in one.results if one.query.grades.get(hit.id, 0) <= 0]
    return rng.choice(wrong) if wrong and rng.random() < _WRONG else one.right


def _click_shown(one: _Answered, rng: random.Random) -> str:
    return rng.choice([hit.id for hit in one.results] or [one.right])


def _right(query: LabelledQuery) -> str:
    return max(sorted(query.grades), key=lambda id_: query.grades[id_])


def _ndcg(query: LabelledQuery, results: Results) -> float:
    return 100 * score_answer([hit.id for hit in results], query.grades)["ndcg10"]


def _line(what: str, traces: int, before: Sequence[float], changes: Sequence[float]) -> str:
    mean, gain = sum(before) / len(before), sum(changes) / len(changes)
    error = sqrt(sum((change - gain) ** 2 for change in changes) / (len(changes) - 1) / len(changes))
    return f"{what:<38} {traces:>5} {mean:>7.1f} {mean + gain:>7.1f}  {gain:+.1f} ± {error:.1f}"


if __name__ == "__main__":
    main()
