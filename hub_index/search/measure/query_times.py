"""Queries → their times: p50, p95 and p99 of each mode in one open process, and of whole cold processes."""

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass

from hub_index.search.index import Index

MODES = ("keyword", "semantic", "hybrid")


@dataclass(frozen=True, slots=True)
class Times:
    """The times of some queries: percentiles in milliseconds."""

    n: int
    p50: float
    p95: float
    p99: float

    def encode(self) -> dict[str, float]:
        """The object that `bench --json` prints."""
        return {"n": self.n, "p50_ms": round(self.p50, 3), "p95_ms": round(self.p95, 3), "p99_ms": round(self.p99, 3)}


def measure_warm(index: Index, queries: Sequence[str], mode: str, k: int = 5) -> Times:
    """Times of queries in a process that has answered one before. Raises what a search raises."""
    index.search(queries[0], k, mode)
    spent = []
    for query in queries:
        start = time.perf_counter()
        index.search(query, k, mode)
        spent.append((time.perf_counter() - start) * 1000)
    return summarize_times(spent)


def measure_cold(arguments: Sequence[str], runs: int = 7) -> Times:
    """Times of whole processes `python -m hub_index <arguments>`; one more first process does not count."""
    command = [sys.executable, "-m", "hub_index", *arguments]
    spent = []
    for _ in range(runs + 1):
        start = time.perf_counter()
        subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False, env=dict(os.environ))
        spent.append((time.perf_counter() - start) * 1000)
    return summarize_times(spent[1:])


def summarize_times(spent: Sequence[float]) -> Times:
    """The percentiles of some times, each a time that occurred."""
    ordered = sorted(spent)
    p50, p95, p99 = (ordered[min(len(ordered) - 1, int(len(ordered) * share))] for share in (0.50, 0.95, 0.99))
    return Times(len(ordered), p50, p95, p99)
