"""`python -m benchmarks.weak_label FOLDER`: how many right and wrong first hits are called weak, per language pair.

FOLDER holds a folder for each labelled set: `hub.tar.xz`, `queries.jsonl` and `qrels.tsv`, as `hub-index eval` reads
them. This table chose the limits in hub_index/search/ranking/weak_label.py, once for all sets. For queries that fit
nothing, each hub is asked what people asked of the other hubs (some of it fits by chance), and the example hub is
asked what is off topic there.
"""

import json
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.hubs import unpack_hub
from benchmarks.measure import run
from hub_index.hub.labels.labels import LabelledQuery, parse_labelled
from hub_index.search import open_index
from hub_index.search.index import Index
from hub_index.search.words.tokens import has_cjk

_MODES = ("hybrid", "semantic", "keyword")
_EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
_EVERY = 10  # of other sets' queries, each tenth is asked


@dataclass(frozen=True, slots=True)
class _FirstHit:
    """What became of one query: between which languages, whether the first hit was right, and whether it was weak."""

    mode: str
    kind: str  # right, wrong, other hub's, off topic
    pair: str
    weak: bool


def main() -> None:
    """Prints a line for each mode and language pair."""
    if len(sys.argv) != 2:
        sys.exit("usage: python -m benchmarks.weak_label FOLDER")
    sets = {folder.name: folder for folder in sorted(Path(sys.argv[1]).iterdir()) if (folder / "hub.tar.xz").exists()}
    labelled = {name: _read_labelled(folder) for name, folder in sets.items()}
    found: list[_FirstHit] = []
    with tempfile.TemporaryDirectory(prefix="hub-index-weak-") as temporary:
        for name, folder in sets.items():
            index = _build(unpack_hub(folder / "hub.tar.xz", Path(temporary, name)), Path(temporary, f"{name}.index"))
            found += _ask(index, labelled[name])
            for other in sets.keys() - {name}:
                found += _ask_others(index, labelled[other][::_EVERY], "other hub's")
        off_topic = map(json.loads, (_EXAMPLES / "off_topic.jsonl").read_text("utf-8").splitlines())
        queries = [LabelledQuery("", query["text"], query["lang"], {}) for query in off_topic]
        found += _ask_others(_build(_EXAMPLES / "hub", Path(temporary, "example.index")), queries, "off topic")
    _print_table(found)


def _read_labelled(folder: Path) -> Sequence[LabelledQuery]:
    return parse_labelled((folder / "queries.jsonl").read_text("utf-8"), (folder / "qrels.tsv").read_text("utf-8"))


def _build(hub: Path, index: Path) -> Index:
    run([sys.executable, "-m", "hub_index", "build", str(hub), "--out", str(index)])
    return open_index(index, hub)


def _ask(index: Index, queries: Iterable[LabelledQuery]) -> Iterator[_FirstHit]:
    for query in queries:
        for mode in _MODES:
            for hit in index.search(query.text, 1, mode):
                kind = "right" if query.grades.get(hit.id, 0) > 0 else "wrong"
                target = "zh" if has_cjk(hit.name + hit.description) else "en"
                yield _FirstHit(mode, kind, f"{_language(query)}→{target}", hit.weak)


def _ask_others(index: Index, queries: Sequence[LabelledQuery], kind: str) -> Iterator[_FirstHit]:
    for query in queries:
        for mode in _MODES:
            for hit in index.search(query.text, 1, mode):
                yield _FirstHit(mode, kind, f"{_language(query)}→any", hit.weak)


def _language(query: LabelledQuery) -> str:
    language = query.lang.partition("-")[0]
    return language if language in ("en", "zh") else "other"


def _print_table(found: Sequence[_FirstHit]) -> None:
    cells: dict[tuple[str, str, str], list[bool]] = defaultdict(list)
    for hit in found:
        cells[hit.mode, hit.pair, hit.kind].append(hit.weak)
    print(f"{'mode':<9} {'pair':<10} {'first hit':<12} {'n':>6} {'weak':>6} {'share':>7}")
    for mode in _MODES:
        for (_, pair, kind), weak in sorted(cell for cell in cells.items() if cell[0][0] == mode):
            print(f"{mode:<9} {pair:<10} {kind:<12} {len(weak):>6} {sum(weak):>6} {sum(weak) / len(weak):>7.1%}")


if __name__ == "__main__":
    main()
