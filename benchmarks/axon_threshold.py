"""`python -m benchmarks.axon_threshold FOLDER [WORK]`: which constant part lets the Axon client find what is right?

FOLDER holds a folder per labelled set: queries.jsonl, qrels.tsv (as `hub-index eval` reads them) and hub.tar.xz. Each
query is embedded as the Axon client sends it and compared with all skills of its set; where the first hit is a right
one, its cosine counts. The smallest constant part of two decimals that brings 95 % of them to the client's default
threshold is the one that `hub_index/embedding/axon_lift.py` fixes. Then our own search answers from the plain and
from the lifted index, and must not tell them apart. WORK keeps the vectors for the next run.
"""

import sys
import tarfile
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.hubs import commit, git
from benchmarks.measure import run
from hub_index.embedding.axon_lift import AXON_MODEL
from hub_index.embedding.local import LocalEncoder
from hub_index.hub.labels.labels import LabelledQuery, parse_labelled
from hub_index.index.folder.reading import read_files
from hub_index.index.format.vectors import base_vectors
from hub_index.index.format.verify import decode_index
from hub_index.search import open_index
from hub_index.search.index import Index
from hub_index.search.results import Hit, Results

_THRESHOLD = 0.30  # what the Axon client takes for a match unless it is told otherwise
_SHARE = 0.95
_AT_ONCE = 64
_COMPARED = 100  # queries of each set that both indexes answer in every way


@dataclass(frozen=True, slots=True)
class FirstHits:
    """The cosines of a set's right first hits."""

    name: str
    queries: int
    cosines: NDArray[np.float64]

    def share(self, part: float) -> float:
        """How many of them reach the threshold with this constant part."""
        return float(np.mean((1 - part) * self.cosines + part >= _THRESHOLD))

    def smallest_part(self) -> float:
        """The smallest constant part of two decimals that is enough for this set."""
        return next(part / 100 for part in range(100) if self.share(part / 100) >= _SHARE)


def main() -> None:
    """Prints a line per set and one for all of them together, then how far the two indexes' answers differ."""
    with tempfile.TemporaryDirectory(prefix="hub-index-bench-") as temporary:
        work = Path(temporary)
        cache = (Path(sys.argv[2]) if len(sys.argv) > 2 else work) / "cache"
        sources = [path.parent for path in sorted(Path(sys.argv[1]).glob("*/qrels.tsv"))]
        sets = [_measure_set(source, work / source.name, cache) for source in sources]
    together = FirstHits("all", sum(hits.queries for hits in sets), np.concatenate([hits.cosines for hits in sets]))
    part = together.smallest_part()
    print(f"\n| set | queries | right first hits | ≥ {_THRESHOLD} before | with {part} | alone it would need |")
    print("|---|---|---|---|---|---|")
    for hits in (*sets, together):
        shares = f"{hits.share(0):.1%} | {hits.share(part):.1%} | {hits.smallest_part():.2f}"
        print(f"| {hits.name} | {hits.queries:,} | {len(hits.cosines):,} | {shares} |")


def _measure_set(source: Path, work: Path, cache: Path) -> FirstHits:
    labelled = parse_labelled((source / "queries.jsonl").read_text("utf-8"), (source / "qrels.tsv").read_text("utf-8"))
    hub = work / "hub"
    with tarfile.open(source / "hub.tar.xz") as packed:
        packed.extractall(hub, filter="data")
    git(hub, "init", "-q", "-b", "main")
    commit(hub, "skills")
    build = [sys.executable, "-m", "hub_index", "build", str(hub), "--cache", str(cache), "--out"]
    run([*build, str(work / "plain")])
    run([*build, str(work / "lifted"), "--model-alias", AXON_MODEL])
    _compare(source.name, work, labelled[:: max(1, len(labelled) // _COMPARED)], cache)
    return _first_hits(source.name, work / "plain", labelled, cache)


def _first_hits(name: str, folder: Path, labelled: Sequence[LabelledQuery], cache: Path) -> FirstHits:
    index = decode_index(read_files(folder))
    scores = _embed([query.text for query in labelled], cache) @ base_vectors(index.vectors, index.manifest).T
    best = scores.argmax(axis=1)
    right = [query.grades.get(index.records[row].id, 0) > 0 for query, row in zip(labelled, best, strict=True)]
    return FirstHits(name, len(labelled), scores.max(axis=1)[right].astype(np.float64))


def _embed(texts: list[str], cache: Path) -> NDArray[np.float32]:
    encoder = LocalEncoder(cache_dir=cache)
    parts = [encoder.embed_documents(texts[start : start + _AT_ONCE]) for start in range(0, len(texts), _AT_ONCE)]
    encoder.close()
    return np.concatenate(parts)


def _compare(name: str, work: Path, labelled: Sequence[LabelledQuery], cache: Path) -> None:
    """Prints how far our own search's answers from the two indexes differ."""
    pairs: list[tuple[Hit, Hit]] = []
    answers = lists = 0
    with (
        open_index(work / "plain", hub=work / "hub", cache_dir=cache) as plain,
        open_index(work / "lifted", hub=work / "hub", cache_dir=cache) as lifted,
    ):
        for query in labelled:
            for mine, other in zip(_answers(lifted, query), _answers(plain, query), strict=True):
                by_id = {hit.id: hit for hit in other}
                pairs += [(hit, by_id[hit.id]) for hit in mine if hit.id in by_id]
                answers += 1
                lists += [hit.id for hit in mine] == [hit.id for hit in other]
    furthest = max(abs(hit.score - other.score) for hit, other in pairs)
    labels = sum(hit.weak != other.weak for hit, other in pairs)
    print(
        f"{name}: {answers:,} answers, {lists:,} with the same hits in the same order; "
        f"{len(pairs):,} scores differ by at most {furthest:.1e}, {labels} weak labels differ",
        flush=True,
    )


def _answers(index: Index, query: LabelledQuery) -> list[Results]:
    return [
        index.search(query.text, k=10, mode="hybrid"),
        index.search(query.text, k=10, mode="semantic"),
        index.search(query.text, k=10, mode="hybrid", diverse=True),
        index.related(next(iter(query.grades)), k=10),
    ]


if __name__ == "__main__":
    main()
