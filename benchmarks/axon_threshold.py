"""`python -m benchmarks.axon_threshold FOLDER [CACHE]`: which constant part lets the Axon client find what is right?

FOLDER holds a folder per labelled set: queries.jsonl, qrels.tsv (as `hub-index eval` reads them) and hub.tar.xz. Each
query is embedded as the Axon client sends it and compared with all skills of its set; where the first hit is a right
one, its cosine counts. The smallest constant part of two decimals that brings 95 % of them to the client's default
threshold is the one that `hub_index/embedding/constant_part.py` fixes. CACHE keeps vectors for the next run.
"""

import subprocess
import sys
import tarfile
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.measure import run
from hub_index.embedding.local import LocalEncoder
from hub_index.index.folder.store import read_files
from hub_index.index.format.vectors import view_vectors
from hub_index.index.format.verify import decode_index
from hub_index.search.evaluate import LabelledQuery, parse_labelled

_THRESHOLD = 0.30  # what the Axon client takes for a match unless it is told otherwise
_SHARE = 0.95
_AT_ONCE = 64

Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class FirstHits:
    """The cosines of a set's right first hits."""

    name: str
    queries: int
    cosines: Numbers

    def share(self, part: float) -> float:
        """How many of them reach the threshold with this constant part."""
        return float(np.mean((1 - part) * self.cosines + part >= _THRESHOLD))

    def smallest_part(self) -> float:
        """The smallest constant part of two decimals that is enough for this set."""
        return next(part / 100 for part in range(100) if self.share(part / 100) >= _SHARE)


def main() -> None:
    """Prints a line per set and one for all of them together."""
    folder = Path(sys.argv[1])
    with tempfile.TemporaryDirectory(prefix="hub-index-bench-") as temporary:
        cache = Path(sys.argv[2] if len(sys.argv) > 2 else temporary) / "cache"
        sets = [
            measure_set(path.parent, Path(temporary) / path.parent.name, cache)
            for path in sorted(folder.glob("*/qrels.tsv"))
        ]
    together = FirstHits("all", sum(one.queries for one in sets), np.concatenate([one.cosines for one in sets]))
    part = together.smallest_part()
    print(f"| set | queries | right first hits | ≥ {_THRESHOLD} before | with {part} | enough for this set alone |")
    print("|---|---|---|---|---|---|")
    for hits in (*sets, together):
        print(
            f"| {hits.name} | {hits.queries:,} | {len(hits.cosines):,} | {hits.share(0):.1%} | {hits.share(part):.1%} "
            f"| {hits.smallest_part():.2f} |"
        )


def measure_set(source: Path, work: Path, cache: Path) -> FirstHits:
    """Builds the set's hub with the embedded model and asks all its queries."""
    labelled = parse_labelled((source / "queries.jsonl").read_text("utf-8"), (source / "qrels.tsv").read_text("utf-8"))
    build_hub(source / "hub.tar.xz", work, cache)
    index = decode_index(read_files(work / "search"))
    scores = embed_queries(labelled, cache) @ view_vectors(index.vectors, index.manifest).T
    best = scores.argmax(axis=1)
    right = [query.grades.get(index.records[row].id, 0) > 0 for query, row in zip(labelled, best, strict=True)]
    return FirstHits(source.name, len(labelled), scores.max(axis=1)[right].astype(np.float64))


def build_hub(archive: Path, work: Path, cache: Path) -> None:
    """A committed hub with its index."""
    with tarfile.open(archive) as packed:
        packed.extractall(work, filter="data")
    git = ["git", "-C", str(work), "-c", "user.name=bench", "-c", "user.email=bench@localhost"]
    run([*git, "init", "--quiet"])
    run([*git, "add", "--all"])
    run([*git, "commit", "--quiet", "--message", "skills"])
    command = [sys.executable, "-m", "hub_index", "build", str(work), "--cache", str(cache)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def embed_queries(queries: list[LabelledQuery], cache: Path) -> NDArray[np.float32]:
    """A row per query."""
    encoder = LocalEncoder(cache_dir=cache)
    texts = [query.text for query in queries]
    parts = [encoder.embed_documents(texts[start : start + _AT_ONCE]) for start in range(0, len(texts), _AT_ONCE)]
    encoder.close()
    return np.concatenate(parts)


if __name__ == "__main__":
    main()
