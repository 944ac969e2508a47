"""Builds of 109,026 skills in format 2: in full, unchanged, with one edited skill; memory; `verify`.

Ratios are of processor time, which other load on the machine does not spoil.
"""

import json
import subprocess
import sys
import time
from pathlib import Path

from benchmarks.big_hub import edit_skill
from benchmarks.measure import Ratio, peak_memory_bytes, processor_s
from benchmarks.scale import big_hub, scale_folder

_MODEL = (
    "from hub_index.embedding.local import LocalEncoder; from hub_index.settings import read_settings; "
    "LocalEncoder(cache_dir=read_settings().cache_dir).embed_query('one text')"
)


def main() -> None:
    """Prints one table."""
    with scale_folder() as folder:
        hub = big_hub(folder)
        build = [sys.executable, "-m", "hub_index", "build", str(hub), "--cache", str(folder / "cache"), "--json"]
        _full(hub, build)
        vectors = sum(path.stat().st_size for path in (hub / "search").glob("vectors-*.f32"))
        floor_s = processor_s([sys.executable, "-c", "import numpy"])
        floor_s += processor_s(["git", "-C", str(hub), "ls-tree", "-r", "HEAD"])
        unchanged_s = processor_s(build)
        print(Ratio("nothing changed / (import numpy + git ls-tree)", unchanged_s, floor_s, 3).line())
        _one_edit(hub, build, unchanged_s, vectors)
        verify = [sys.executable, "-m", "hub_index", "verify", str(hub / "search")]
        started = time.perf_counter()
        peak = peak_memory_bytes(verify)
        took_s = time.perf_counter() - started
        print(f"verify: {took_s:.1f} s, peak memory {peak / 1e6:.0f} MB for {vectors / 1e6:.0f} MB of vectors")


def _full(hub: Path, build: list[str]) -> None:
    if (hub / "search").is_dir():
        return
    started = time.perf_counter()
    peak = peak_memory_bytes(build)
    took_s = time.perf_counter() - started
    manifest = json.loads((hub / "search" / "index_manifest.json").read_bytes())
    count, vectors = manifest["count"], manifest["count"] * manifest["dim"] * 4
    limit = 2 * vectors + 300e6
    print(
        f"full build: {count} skills in {took_s:.0f} s, {count / took_s:.0f} a second; `bench embedding` has the bare"
    )
    print(f"  model's rate; peak memory {peak / 1e6:.0f} MB (≤ {limit / 1e6:.0f} MB), {len(manifest['parts'])} parts")


def _one_edit(hub: Path, build: list[str], unchanged_s: float, vectors: int) -> None:
    model_s = processor_s([sys.executable, "-c", _MODEL]) - processor_s([sys.executable, "-c", "pass"])
    first = int(time.time()) % 2_000  # another skill in every run of a hub that is kept
    times = []
    for number in range(first, first + 3):
        edit_skill(hub, number)
        times.append(processor_s(build, runs=1))
    line = Ratio(
        "one text changed / (3 × unchanged + model and one text)", sorted(times)[1], 3 * unchanged_s + model_s, 1
    )
    print(line.line())
    edit_skill(hub, first + 3)
    peak, limit = peak_memory_bytes(build), 1.3 * vectors + 200e6
    print(f"  peak memory {peak / 1e6:.0f} MB (≤ {limit / 1e6:.0f} MB)")
    changed = subprocess.run(
        ["git", "-C", str(hub), "status", "--porcelain", "search"], capture_output=True, text=True, check=True
    )
    print(f"  {len(changed.stdout.splitlines())} line(s) of git status for the index folder")


if __name__ == "__main__":
    main()
