"""How much git grows in format 2: 50 single-skill updates of 1,000 skills, each published, then packed."""

import tempfile
from pathlib import Path

from benchmarks.bench_growth import DIM, UPDATES, edit, make_world, publish, stored_bytes
from benchmarks.hubs import git

_LIMIT = 1.5


def main() -> None:
    """Prints one table."""
    with tempfile.TemporaryDirectory(prefix="hub-index-bench-") as folder:
        root = Path(folder)
        clone, remote = make_world(root, settings="format = 2\n")
        publish(clone, root / "cache")
        one_thread = ("-c", "pack.threads=1", "repack", "-a", "-d", "-f", "-q")
        git(remote, *one_thread)
        before = _stored(remote)
        for number in range(UPDATES):
            edit(clone, number)
            publish(clone, root / "cache")
        git(remote, *one_thread)
        after = _stored(remote)
        for kind in after:
            grown = (after[kind] - before[kind]) / UPDATES
            limit = f" (≤ {_LIMIT}) {'ok' if grown <= _LIMIT * DIM * 4 else 'MISSED'}" if kind == "vectors" else ""
            print(f"{kind:<10} grew by {grown:7,.0f} bytes an update = {grown / DIM / 4:.2f} × dim × 4{limit}")


def _stored(remote: Path) -> dict[str, int]:
    ends = {"vectors": ".f32", "records": ".jsonl", "manifest": "search/index_manifest.json"}
    return {kind: stored_bytes(remote, end) for kind, end in ends.items()}


if __name__ == "__main__":
    main()
