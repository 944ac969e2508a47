"""Searching big hubs: `python -m benchmarks.scale_search [COUNT …]`, ratios within one run (`make bench-scale`).

A hub of each COUNT (default 6,793, 25,000 and 109,026 skills) is made from the real one, with an index whose vectors
are ready (`ready_index`), and searched from nothing, again, by words and meaning, and after one edited skill. Ratios
are of processor time, which other load on the machine does not spoil.
"""

import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.big_hub import edit_skill
from benchmarks.lexical_floor import LexicalFloor, measure_floor, read_all
from benchmarks.measure import Ratio, processor_s, run
from benchmarks.ready_index import make_ready_index
from benchmarks.scale import BIG, big_hub, scale_folder

_QUERY = "how do I analyze database performance?"
_SMALL, _MIDDLE = 6_793, 25_000
_EDITS = 5
_FIRSTS = 3
_RUNS = 9
_ANON = (
    "import sys; from hub_index.cli.main import main; main(sys.argv[1:]); "
    "print([line for line in open('/proc/self/status') if line.startswith('RssAnon')][0].split()[1])"
)


def main() -> None:
    """Prints the table."""
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    counts = [int(text) for text in sys.argv[1:] if text.isdecimal()] or [_SMALL, _MIDDLE, BIG]
    cold: dict[int, tuple[float, float]] = {}
    with scale_folder() as folder:
        os.environ["HUB_INDEX_CACHE"] = str(folder / "cache")
        os.environ["PYTHONPYCACHEPREFIX"] = str(folder / "pyc")
        for count in counts:
            cold[count] = _measure_hub(folder, count)
    if _SMALL in cold and BIG in cold:
        for what, small, big in zip(("keyword", "hybrid"), cold[_SMALL], cold[BIG], strict=True):
            print(Ratio(f"cold {what} search, {BIG:,} / {_SMALL:,} skills", big, small, 1.5).line())


def _measure_hub(folder: Path, count: int) -> tuple[float, float]:
    """Prints one hub's lines; what a cold search by words takes, and one by both legs."""
    hub = big_hub(folder, count)
    make_ready_index(hub)
    search = [sys.executable, "-m", "hub_index", "search", "--hub", str(hub)]
    keyword, hybrid = [*search, "--keyword", _QUERY], [*search, "--hybrid", _QUERY]
    print(f"\n{count:,} skills")
    run([*search[:4], "--help"])  # compiles the modules
    if count == _MIDDLE:
        _measure_first(hub, keyword)
    run(keyword)  # indexes its words
    cached_s = processor_s(keyword, _RUNS)
    python_s = processor_s([sys.executable, "-c", "pass"], _RUNS)
    print(Ratio("cold keyword search, cached / python -c pass", cached_s, python_s, 3).line())
    run(hybrid)
    hybrid_s = processor_s(hybrid, _RUNS)
    anon = int(run([sys.executable, "-c", _ANON, *hybrid[3:]]).split()[-1]) * 1024
    print(f"cold hybrid search: {hybrid_s:.3f} s, memory besides mapped files {anon / 1e6:.0f} MB (≤ 250)")
    if count == _MIDDLE:
        _measure_edits(hub, keyword, cached_s)
    return cached_s, hybrid_s


def _measure_first(hub: Path, keyword: list[str]) -> None:
    """A search with an empty cache and its floor, in turns: the machine is not as fast in every minute."""
    documents = read_all(hub)
    used: list[float] = []
    clock: list[float] = []
    floors: list[LexicalFloor] = []
    for _ in range(_FIRSTS):
        with tempfile.TemporaryDirectory() as empty:
            started_s = time.perf_counter()
            used.append(processor_s(["env", f"HUB_INDEX_CACHE={empty}", *keyword], 1))
            clock.append(time.perf_counter() - started_s)
        floors.append(measure_floor(documents))
    first_s, floor = statistics.median(used), sorted(floors, key=lambda floor: floor.strict_s)[_FIRSTS // 2]
    print(Ratio("first search / (tantivy with ready tokens + regex)", first_s, floor.strict_s, 2).line())
    print(Ratio("the same, tantivy's documents to be made of tokens", first_s, floor.whole_s, 2).line())
    floor_s = floor.words_s / len(os.sched_getaffinity(0)) + floor.feed_s
    print(Ratio("the first by the clock, the regex on all cores", statistics.median(clock), floor_s, 2).line())


def _measure_edits(hub: Path, keyword: list[str], cached_s: float) -> None:
    first = int(time.time()) % 500  # other skills in every run of a hub that is kept
    edited = []
    for number in range(first, first + _EDITS):
        edit_skill(hub, number)
        edited.append(processor_s(keyword, 1))
    print(Ratio("first search after an edited skill / cached", sorted(edited)[_EDITS // 2], cached_s, 3).line())


if __name__ == "__main__":
    main()
