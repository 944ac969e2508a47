"""A million vectors on one machine: real questions among real and perturbed rows, against numpy's exact scan.

The rows are those that the embedded model gives for the skills of every labelled set beside the project (see `hubs`),
then copies of them with noise, until there are a million; the questions are the sets' own. Indexes of the sets are kept
where HUB_INDEX_SCALE_FOLDER says. `python -m benchmarks.scale_vectors 300000` takes so many rows.
"""

import json
import resource
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO

import numpy as np
from numpy.typing import NDArray

from benchmarks.hubs import real_archive, unpack_hub
from benchmarks.measure import Ratio, median_s, run
from benchmarks.scale import scale_folder
from benchmarks.scale_million import NOISE
from hub_index.embedding.local import LocalEncoder
from hub_index.index.folder.reading import read_files
from hub_index.index.format.verify import decode_index
from hub_index.search.semantic.semantic import MANY_ROWS, VectorScan
from hub_index.search.semantic.sign_prefilter import open_sign_bits
from hub_index.search.semantic.vector_copy import VectorCopy, give_back, keep_copy, open_copy

_MILLION = 1_000_000
_QUESTIONS = 50  # of each set
Matrix = NDArray[np.float32]


def main() -> None:
    """Prints recall for each set, then time and memory."""
    count = next((int(text) for text in sys.argv[1:] if text.isdecimal()), _MILLION)
    sets = sorted(found.parent for found in real_archive().parents[1].glob("*/hub.tar.xz"))
    if not sets:
        print("no labelled sets beside the project: nothing is measured")
        return
    with scale_folder() as folder, tempfile.TemporaryDirectory(prefix="hub-index-bench-") as temporary:
        base = np.concatenate([_real_rows(labelled, folder / "sets" / labelled.name) for labelled in sets])
        questions = {labelled.name: _questions(labelled) for labelled in sets}
        _measure(_blown_up(base, count, temporary), questions, temporary)


def _real_rows(labelled: Path, folder: Path) -> Matrix:
    index = folder / "index"
    if not index.is_dir():
        hub = unpack_hub(labelled / "hub.tar.xz", folder / "hub")
        run([sys.executable, "-m", "hub_index", "build", str(hub), "--out", str(index)])
    found = decode_index(read_files(index))
    return found.rows.take(range(len(found.records)))


def _questions(labelled: Path) -> list[Matrix]:
    texts = [json.loads(line)["text"] for line in (labelled / "queries.jsonl").read_text("utf-8").splitlines()]
    encoder = LocalEncoder()
    return [encoder.embed_query(text) for text in texts[:: max(1, len(texts) // _QUESTIONS)][:_QUESTIONS]]


def _blown_up(base: Matrix, count: int, cache: str) -> VectorCopy:
    """So many rows, mapped as a search maps them: the real ones, then copies with noise."""

    def write(file: IO[bytes]) -> None:
        for copy, start in enumerate(range(0, count, len(base))):
            file.write(_perturbed(base, copy)[: count - start].astype("<f4").tobytes())

    if not keep_copy(cache, "rows", count, base.shape[1], write):
        sys.exit("there is no room for a mapped copy")
    copied = open_copy(cache, "rows", count, base.shape[1])
    assert copied is not None
    print(f"{count:,} rows of {base.shape[1]} numbers, {len(base):,} of them real", flush=True)
    return copied


def _perturbed(base: Matrix, copy: int) -> Matrix:
    if not copy:
        return base
    rows = base + np.float32(NOISE) * np.random.default_rng(copy).standard_normal(base.shape, dtype=np.float32)
    normal: Matrix = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return normal


def _measure(copied: VectorCopy, questions: Mapping[str, Sequence[Matrix]], cache: str) -> None:
    matrix = copied.matrix
    signs_s = median_s(lambda: open_sign_bits(cache, "rows", matrix), 1)
    print(f"their signs are made in {signs_s:.1f} s, once; from {MANY_ROWS:,} rows on there is such a first pass")
    fast = VectorScan(matrix, lambda: open_sign_bits(cache, "rows", matrix), copied)
    exact = VectorScan(matrix)
    queries = [query for asked in questions.values() for query in asked]
    give_back(matrix)
    ours = sorted(median_s(lambda query=query: fast.nearest(query, 100), 3) for query in queries)  # type: ignore[misc]
    peak_kb, after_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, _resident_kb()
    floor = sorted(median_s(lambda query=query: _plain(matrix, query), 1) for query in queries)  # type: ignore[misc]
    p95 = int(len(queries) * 0.95)
    print(Ratio("warm semantic p95 / numpy's exact scan", ours[p95], floor[p95], 0.35).line())
    print(f"resident, mapped pages counted, before the exact scans: {peak_kb / 1024:.0f} MB at most, ", end="")
    print(f"{after_kb / 1024:.0f} MB after the queries (≤ 1200)")
    shares = {name: _recall(fast, exact, asked) for name, asked in questions.items()}
    for name, share in shares.items():
        print(f"recall@10 of {len(questions[name])} questions of {name}: {share:.4f} (≥ 0.99)")
    is_same = all(fast.nearest(query, 10) == fast.nearest(query, 10) for query in queries)
    print(f"the same answer twice: {'yes' if is_same else 'NO'}")


def _recall(fast: VectorScan, exact: VectorScan, queries: Sequence[Matrix]) -> float:
    found = [len(set(fast.nearest(query, 10)) & set(exact.nearest(query, 10))) for query in queries]
    return sum(found) / (10 * len(queries))


def _plain(matrix: Matrix, query: Matrix) -> object:
    scores = matrix @ query
    return np.argpartition(scores, len(scores) - 100)[-100:]


def _resident_kb() -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS"))


if __name__ == "__main__":
    main()
