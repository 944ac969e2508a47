"""Searching big hubs: `python -m benchmarks.scale_search [COUNT …]`, ratios within one run (`make bench-scale`).

A hub of each COUNT (default 6,793, 25,000 and 109,026 skills) is made from the real one, with an index whose vectors
are ready (`ready_index`), and searched from nothing, again, by words and meaning, and after one edited skill. Ratios
are of processor time, which other load on the machine does not spoil; the first search of a kept hub, whose words are
indexed, is not measured again.
"""

import os
import re
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.big_hub import edit_skill
from benchmarks.hubs import skill_files
from benchmarks.measure import Ratio, processor_s, run
from benchmarks.ready_index import make_ready_index
from benchmarks.scale import BIG, big_hub, scale_folder
from hub_index.record import Record
from hub_index.search.checkout.preparing import body_of
from hub_index.search.lexical import build as lexical_build
from hub_index.search.lexical.prepared import PreparedDocument, prepare_document

_QUERY = "how do I analyze database performance?"
_SMALL, _MIDDLE = 6_793, 25_000
_EDITS = 5
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
    first_s = processor_s(keyword, 1)
    if first_s > 1 + count / 25_000:  # else its words were indexed by an earlier run
        floor_s = _floor_s(hub)
        print(Ratio("first search / (tantivy with ready tokens + regex)", first_s, floor_s, 2).line())
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


def _measure_edits(hub: Path, keyword: list[str], cached_s: float) -> None:
    first = int(time.time()) % 500  # other skills in every run of a hub that is kept
    edited = []
    for number in range(first, first + _EDITS):
        edit_skill(hub, number)
        edited.append(processor_s(keyword, 1))
    print(Ratio("first search after an edited skill / cached", sorted(edited)[_EDITS // 2], cached_s, 3).line())


def _floor_s(hub: Path) -> float:
    """tantivy fed with ready tokens, and one regular expression over the same texts, in processor time."""
    bodies = [body_of(path.read_bytes()) for path in skill_files(hub)]
    started_s = time.process_time()
    _find_words(bodies)
    words_s = time.process_time() - started_s
    ready = [prepare_document(Record(str(row), "p", "name", "text"), body) for row, body in enumerate(bodies)]
    return words_s + _feed_s(ready)


def _find_words(bodies: list[str]) -> int:
    words = re.compile(r"\w+")
    return sum(len(words.findall(body)) for body in bodies)


def _feed_s(ready: list[PreparedDocument]) -> float:
    documents = [lexical_build.feed_document(row, document) for row, document in enumerate(ready)]
    with tempfile.TemporaryDirectory() as folder:
        import tantivy

        started_s = time.process_time()  # of all threads
        writer = tantivy.Index(lexical_build.make_schema(), path=folder).writer(256_000_000, 1)
        for document in documents:
            writer.add_document(document)
        writer.commit()
        writer.wait_merging_threads()
        return time.process_time() - started_s


if __name__ == "__main__":
    main()
