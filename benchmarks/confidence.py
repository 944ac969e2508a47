"""`python -m benchmarks.confidence FOLDER`: how many first hits are called weak, of questions that fit and that do not.

FOLDER holds a folder for each labelled set: `hub.tar.xz`, `queries.jsonl` and `qrels.tsv`, as `hub-index eval` reads
them. The example hub is a set, too, with its own queries and those of `examples/questions`. Of a set's queries with a
right first hit few should be weak; each hub is also asked what no skill is for, by kind (small talk to an agent, and
questions off topic): `examples/nothing_fits.jsonl`, and FOLDER's own `nothing-fits/prompts.jsonl` if it has one.
"""

import json
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.hubs import unpack_hub
from benchmarks.measure import run
from hub_index.hub.labels.labels import LabelledQuery, parse_labelled
from hub_index.search import open_index
from hub_index.search.index import Index

_MODES = ("hybrid", "semantic", "keyword")
_EXAMPLES = Path(__file__).resolve().parents[1] / "examples"


@dataclass(frozen=True, slots=True)
class _Prompt:
    """A text that no skill is for; `kind` is `chat` or `off-topic`."""

    kind: str
    text: str


def main() -> None:
    """Prints a line for each set, mode and kind of question."""
    if len(sys.argv) != 2:
        sys.exit("usage: python -m benchmarks.confidence FOLDER")
    folder = Path(sys.argv[1])
    prompts = [*_read_prompts(_EXAMPLES / "nothing_fits.jsonl"), *_read_prompts(folder / "nothing-fits/prompts.jsonl")]
    print(f"{'set':<14} {'mode':<9} {'first hit':<10} {'n':>5} {'weak':>5} {'share':>7}")
    with tempfile.TemporaryDirectory(prefix="hub-index-confidence-") as temporary:
        for name, hub, queries in _list_sets(folder, Path(temporary)):
            index = _build(hub, Path(temporary, f"{name}.index"))
            for mode in _MODES:
                _print_labelled(name, mode, index, queries)
                for kind in sorted({prompt.kind for prompt in prompts}):
                    texts = [prompt.text for prompt in prompts if prompt.kind == kind]
                    _print_line(name, mode, kind, [hit.weak for text in texts for hit in index.search(text, 1, mode)])


def _read_prompts(file: Path) -> Iterator[_Prompt]:
    for line in file.read_text("utf-8").splitlines() if file.exists() else ():
        prompt = json.loads(line)
        yield _Prompt(prompt["kind"], prompt["text"])


def _list_sets(folder: Path, temporary: Path) -> Iterator[tuple[str, Path, Sequence[LabelledQuery]]]:
    """Name, checkout and labelled queries of each set."""
    yield "example", _EXAMPLES / "hub", _read_example()
    for each in sorted(folder.iterdir()):
        if (each / "hub.tar.xz").exists():
            yield each.name, unpack_hub(each / "hub.tar.xz", temporary / each.name), _read_set([each / "queries.jsonl"])


def _read_example() -> Sequence[LabelledQuery]:
    questions = sorted((_EXAMPLES / "questions").glob("example-??.jsonl"))
    return [*_read_set([_EXAMPLES / "queries.jsonl"]), *_read_set(questions, "example-qrels.tsv")]


def _read_set(files: Iterable[Path], labels: str = "qrels.tsv") -> Sequence[LabelledQuery]:
    files = list(files)
    text = "".join([file.read_text("utf-8").rstrip("\n") + "\n" for file in files])
    return parse_labelled(text, (files[0].parent / labels).read_text("utf-8"))


def _build(hub: Path, index: Path) -> Index:
    run([sys.executable, "-m", "hub_index", "build", str(hub), "--out", str(index)])
    return open_index(index, hub)


def _print_labelled(name: str, mode: str, index: Index, queries: Sequence[LabelledQuery]) -> None:
    weak: dict[bool, list[bool]] = {True: [], False: []}
    for query in queries:
        for hit in index.search(query.text, 1, mode):
            weak[query.grades.get(hit.id, 0) > 0].append(hit.weak)
    _print_line(name, mode, "right", weak[True])
    _print_line(name, mode, "wrong", weak[False])


def _print_line(name: str, mode: str, kind: str, weak: Sequence[bool]) -> None:
    share = sum(weak) / len(weak) if weak else 0.0
    print(f"{name:<14} {mode:<9} {kind:<10} {len(weak):>5} {sum(weak):>5} {share:>7.1%}", flush=True)


if __name__ == "__main__":
    main()
