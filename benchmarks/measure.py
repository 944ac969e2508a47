"""Clock and memory for the benchmarks: medians of whole processes, and the sum of a process tree's memory."""

import os
import resource
import statistics
import subprocess
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Ratio:
    """One line of a table: what was measured, against what, and how much it may be."""

    what: str
    ours_s: float
    floor_s: float
    limit: float

    def line(self) -> str:
        """The line as people read it."""
        ratio = self.ours_s / self.floor_s
        verdict = "ok" if ratio <= self.limit else "MISSED"
        return (
            f"{self.what:<58} {self.ours_s:8.3f} s / {self.floor_s:7.3f} s = {ratio:5.2f} (≤ {self.limit:g}) {verdict}"
        )


def median_s(work: Callable[[], object], runs: int = 5) -> float:
    """The median time of some runs of the work."""
    times = []
    for _ in range(runs):
        started = time.perf_counter()
        work()
        times.append(time.perf_counter() - started)
    return statistics.median(times)


def processor_s(command: Sequence[str], runs: int = 3) -> float:
    """The median processor time of a command and its children: what a busy machine cannot spoil."""
    times = []
    for _ in range(runs):
        before = _children_s()
        run(command)
        times.append(_children_s() - before)
    return statistics.median(times)


def used_s(work: Callable[[], object]) -> float:
    """Processor time of all threads of this process: one build each is too few for a median on a shared machine."""
    started_s = time.process_time()
    work()
    return time.process_time() - started_s


def _children_s() -> float:
    """The processor time of all children that have ended, to the microsecond."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run(command: Sequence[str], cwd: Path | None = None) -> str:
    """A command's output; raises where it failed."""
    return subprocess.run(command, cwd=cwd, check=True, capture_output=True, text=True).stdout


def peak_memory_bytes(command: Sequence[str]) -> int:
    """The most memory that a command and its descendants had together, sampled every 20 ms; shared pages count once."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    peak = 0
    done = threading.Event()

    def watch() -> None:
        nonlocal peak
        while not done.is_set():
            peak = max(peak, _tree_memory(process.pid))
            done.wait(0.02)

    watcher = threading.Thread(target=watch)
    watcher.start()
    code = process.wait()
    done.set()
    watcher.join()
    if code:
        raise subprocess.CalledProcessError(code, list(command))
    return peak


def _tree_memory(root: int) -> int:
    """What a process and its descendants have; by residence a model that two workers map would count twice."""
    children: dict[int, list[int]] = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                stat = Path(f"/proc/{entry}/stat").read_text().rsplit(")", 1)[1].split()
            except OSError:  # it ended while we looked
                continue
            children.setdefault(int(stat[1]), []).append(int(entry))
    total, waiting = 0, [root]
    while waiting:
        pid = waiting.pop()
        total += _proportional_bytes(pid)
        waiting.extend(children.get(pid, []))
    return total


def _proportional_bytes(pid: int) -> int:
    """Its own pages, and its share of those that others have as well."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:"))
