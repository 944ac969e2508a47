"""A million rows from ready vectors: an index in format 2, assembled, written, verified, searched; time, memory, disk.

Rows are those of the big hub's index and copies of them with noise, so that neighbourhoods stay those of real skills.
"""

import os
import resource
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.measure import median_s, peak_memory_bytes, run
from benchmarks.scale import big_hub, scale_folder
from hub_index.index.assemble import assemble_index
from hub_index.index.draft import Draft
from hub_index.index.folder.reading import read_files
from hub_index.index.folder.writing import lock_folder, write_files
from hub_index.index.format.verify import VerifiedIndex, decode_index
from hub_index.index.plan import Plan
from hub_index.index.reporting.report import BuildReport
from hub_index.record import Record

ROWS = 1_000_000
_QUESTION = "how do I analyze database performance?"
NOISE = 0.02  # of each number; a number of a unit vector of 512 is about 0.044


class ReadyVectors(Mapping[str, NDArray[np.float32]]):
    """{text_hash: vector} of the copies; each is made when it is asked for, the same every time."""

    def __init__(self, base: NDArray[np.float32], places: dict[str, tuple[int, int]]) -> None:
        self._base, self._places = base, places

    def __getitem__(self, text_hash: str) -> NDArray[np.float32]:
        row, copy = self._places[text_hash]
        if copy == 0:
            return np.asarray(self._base[row])
        noise = np.random.default_rng((row, copy)).standard_normal(self._base.shape[1], dtype=np.float32)
        vector = self._base[row] + np.float32(NOISE) * noise
        return np.asarray(vector / np.linalg.norm(vector), dtype=np.float32)

    def __iter__(self) -> Iterator[str]:
        yield next(iter(self._places))  # they are all of one length, which is all that is asked of them together

    def __len__(self) -> int:
        return len(self._places)


def main() -> None:
    """Prints one table."""
    with scale_folder() as folder:
        target = folder / "million"
        if not target.is_dir():
            make_million(folder / f"{big_hub(folder).name}" / "search", target)
        size = sum(path.stat().st_size for path in target.iterdir())
        print(f"on disk: {size / 1e9:.2f} GB in {len(list(target.iterdir()))} files")
        started = time.perf_counter()
        peak = peak_memory_bytes([sys.executable, "-m", "hub_index", "verify", str(target)])
        print(f"verify: {time.perf_counter() - started:.0f} s, peak memory {peak / 1e6:.0f} MB")
        os.environ["HUB_INDEX_CACHE"] = str(folder / "cache-million")
        for mode in ("--semantic", "--keyword", "--hybrid"):
            _search(target, mode)
        kept = sum(path.stat().st_size for path in (folder / "cache-million").rglob("*") if path.is_file())
        print(f"the cache of those searches: {kept / 1e9:.2f} GB")


def _search(index: Path, mode: str) -> None:
    """Prints what a new process takes for a question, the first time (which fills the cache) and again."""
    command = [sys.executable, "-m", "hub_index", "search", "--index-dir", str(index), mode, _QUESTION]
    started = time.perf_counter()
    peak = peak_memory_bytes(command)
    first_s = time.perf_counter() - started
    again_s = median_s(lambda: run(command), 5)
    print(f"search {mode}: at first {first_s:.1f} s and {peak / 1e6:.0f} MB, again {again_s:.2f} s ", end="")
    print(f"and {peak_memory_bytes(command) / 1e6:.0f} MB, mapped files counted", flush=True)


def make_million(source: Path, target: Path, rows: int = ROWS) -> None:
    """Writes an index of so many rows from those of another; prints what each step took."""
    old = decode_index(read_files(source))
    records, vectors = _copies(old, rows)
    plan = Plan((None,) * rows, (), (), (), ())
    manifest = replace(old.manifest, index_version=1, parts=None, source_digest="sha256:" + "0" * 64)
    report = BuildReport(revision=manifest.hub_revision, model_id=manifest.model_id, skills=rows)
    draft = Draft(manifest, None, False, records, (), plan, report)
    started = time.perf_counter()
    files = assemble_index(draft, vectors, datetime(2026, 1, 1, tzinfo=UTC))
    assembled = time.perf_counter()
    with lock_folder(target):
        write_files(target, files)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(
        f"{rows:,} rows, {len(files.parts)} parts: assembled and checked in {assembled - started:.0f} s, written in "
        f"{time.perf_counter() - assembled:.0f} s, peak memory {peak / 1e9:.1f} GB",
        flush=True,
    )


def _copies(old: VerifiedIndex, rows: int) -> tuple[tuple[Record, ...], ReadyVectors]:
    places: dict[str, tuple[int, int]] = {}
    records = []
    for number in range(rows):
        copy, row = divmod(number, len(old.records))
        record = old.records[row]
        if copy:
            id_ = f"more-{copy:03}/{record.id}"
            digest = sha256(f"{copy} {record.id}".encode()).hexdigest()
            record = record.replace(id=id_, path=f"skills/{id_}", text_hash=digest)
        places[record.text_hash] = (row, copy)
        records.append(record)
    records.sort(key=lambda record: record.id)
    return tuple(records), ReadyVectors(old.rows.take(range(len(old.records))), places)


if __name__ == "__main__":
    main()
