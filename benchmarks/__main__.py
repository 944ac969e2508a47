"""`python -m benchmarks [NAME …]`: runs the benchmarks and prints their tables."""

import importlib
import sys
from pathlib import Path


def main() -> None:
    """Runs every bench_*.py here, or those that were named."""
    known = sorted(path.stem.removeprefix("bench_") for path in Path(__file__).parent.glob("bench_*.py"))
    for name in sys.argv[1:] or known:
        print(f"\n== {name}", flush=True)
        importlib.import_module(f"benchmarks.bench_{name}").main()


if __name__ == "__main__":
    main()
