"""Searching big hubs: `python -m benchmarks.scale_search [COUNT …]`, ratios within one run (`make bench-scale`).

A hub of COUNT skills (default 25,000) is made from the real one, indexed without a model (random vectors stand for its
own), searched from nothing, again, and after one edited skill; then a million rows are scanned.
"""

import os
import re
import resource
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.big_hub import edit_skill, make_big_hub
from benchmarks.hubs import skill_files
from benchmarks.measure import Ratio, median_s, run
from hub_index.record import Record
from hub_index.search import semantic
from hub_index.search.checkout.preparing import body_of
from hub_index.search.lexical import build as lexical_build
from hub_index.search.lexical.prepared import PreparedDocument, prepare_document
from hub_index.search.semantic import VectorScan
from hub_index.search.sign_bits import open_sign_bits

_QUERY = "how do I analyze database performance?"
_EDITS = 5
_MILLION = 1_000_000


def main() -> None:
    """Prints the table."""
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    for count in [int(text) for text in sys.argv[1:]] or [25_000]:
        with tempfile.TemporaryDirectory(prefix="hub-index-bench-") as folder:
            _measure_hub(Path(folder), count)
    with tempfile.TemporaryDirectory(prefix="hub-index-bench-") as folder:
        _measure_million(folder)


def _measure_hub(place: Path, count: int) -> None:
    os.environ["PYTHONPYCACHEPREFIX"] = str(place / "pyc")
    os.environ["HUB_INDEX_CACHE"] = str(place / "cache")
    hub = make_big_hub(place / "hub", count)
    keyword = [sys.executable, "-m", "hub_index", "search", "--hub", str(hub), "--keyword", _QUERY]
    run([sys.executable, "-m", "hub_index", "search", "--help"])  # compiles the modules
    first_s = median_s(lambda: run(keyword), 1)
    print(f"\n{count:,} skills without an index of vectors")
    print(Ratio("first search / (tantivy with ready tokens + regex on all cores)", first_s, _floor_s(hub), 2).line())
    cached_s = median_s(lambda: run(keyword), 11)
    python_s = median_s(lambda: run([sys.executable, "-c", "pass"]), 11)
    print(Ratio("cold keyword search, cached / python -c pass", cached_s, python_s, 3).line())
    edited = []
    for number in range(_EDITS):
        edit_skill(hub, number)
        edited.append(median_s(lambda: run(keyword), 1))
    print(Ratio("first search after an edited skill / cached", sorted(edited)[_EDITS // 2], cached_s, 3).line())


def _floor_s(hub: Path) -> float:
    """tantivy fed with ready tokens, and one regular expression over the same texts on as many cores."""
    bodies = [body_of(path.read_bytes()) for path in skill_files(hub)]
    with ProcessPoolExecutor() as pool:
        list(pool.map(len, ["", ""]))
        cores = os.cpu_count() or 1
        shares = [bodies[at::cores] for at in range(cores)]
        words_s = median_s(lambda: list(pool.map(_find_words, shares)), 1)
    ready = [prepare_document(Record(str(row), "p", "name", "text"), body) for row, body in enumerate(bodies)]
    return words_s + _feed_s(ready)


def _find_words(bodies: list[str]) -> int:
    words = re.compile(r"\w+")
    return sum(len(words.findall(body)) for body in bodies)


def _feed_s(ready: list[PreparedDocument]) -> float:
    documents = [lexical_build.feed_document(row, document) for row, document in enumerate(ready)]
    with tempfile.TemporaryDirectory() as folder:
        import tantivy

        started_s = time.perf_counter()
        writer = tantivy.Index(lexical_build.make_schema(), path=folder).writer(256_000_000, 1)
        for document in documents:
            writer.add_document(document)
        writer.commit()
        writer.wait_merging_threads()
        return time.perf_counter() - started_s


def _measure_million(folder: str) -> None:
    rng = np.random.default_rng(1)
    centres = rng.normal(size=(20_000, 512)).astype(np.float32)
    path = Path(folder) / "rows"
    with path.open("wb") as file:
        for start in range(0, _MILLION, 20_000):
            rows = centres + (0.35 * rng.normal(size=centres.shape) if start else 0)
            file.write((rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype("<f4").tobytes())
    matrix = np.memmap(path, dtype="<f4", mode="r").reshape(_MILLION, 512)
    started_s = time.perf_counter()
    bits = open_sign_bits(folder, "rows", matrix)
    print(f"\na million rows of 512 numbers: their signs are made in {time.perf_counter() - started_s:.1f} s, once")
    queries = [row + 0.03 * rng.normal(size=512).astype(np.float32) for row in matrix[:: _MILLION // 40]]
    fast, exact = VectorScan(matrix, lambda: bits), VectorScan(matrix)
    ours = [median_s(lambda query=query: fast.nearest(query, 100), 3) for query in queries]  # type: ignore[misc]
    resident = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    floor = [median_s(lambda query=query: _plain(matrix, query), 1) for query in queries]  # type: ignore[misc]
    p95 = int(len(queries) * 0.95)
    print(Ratio("warm semantic p95 / numpy's exact scan", sorted(ours)[p95], sorted(floor)[p95], 0.35).line())
    shares = [len(set(exact.nearest(query, 10)) & set(fast.nearest(query, 10))) / 10 for query in queries]
    print(f"recall@10 {sum(shares) / len(shares):.4f} (≥ 0.99), rows from {semantic.MANY_ROWS:,} on have a first pass")
    print(f"memory at its highest before the exact scans: {resident / 1024:.0f} MB")


def _plain(matrix: NDArray[np.float32], query: NDArray[np.float32]) -> object:
    scores = matrix @ query
    return np.argpartition(scores, len(scores) - 100)[-100:]


if __name__ == "__main__":
    main()
