"""`python -m benchmarks.scale [NAME …]`: the benchmarks of big hubs, each scale_*.py here; `make bench-scale` runs all.

They take an hour on two cores, most of it for the first build of 109,026 skills. HUB_INDEX_SCALE_FOLDER keeps what is
made (hubs, vectors, indexes) for the next run; without it everything is made anew and removed.
"""

import importlib
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.big_hub import make_big_hub

FOLDER_VARIABLE = "HUB_INDEX_SCALE_FOLDER"
BIG = 109_026  # distinct skills of 22 public hubs


def main() -> None:
    """Runs every scale_*.py here, or those that were named."""
    known = sorted(path.stem.removeprefix("scale_") for path in Path(__file__).parent.glob("scale_*.py"))
    for name in sys.argv[1:] or known:
        print(f"\n== {name}", flush=True)
        importlib.import_module(f"benchmarks.scale_{name}").main()


@contextmanager
def scale_folder() -> Iterator[Path]:
    """Where big things are made: the folder that the variable names, else one that goes afterwards."""
    if named := os.environ.get(FOLDER_VARIABLE):
        Path(named).mkdir(parents=True, exist_ok=True)
        yield Path(named)
        return
    with tempfile.TemporaryDirectory(prefix="hub-index-scale-") as folder:
        yield Path(folder)


def big_hub(folder: Path, count: int = BIG) -> Path:
    """A hub of so many skills below the folder, made where it is not there yet."""
    hub = folder / f"hub-{count}"
    return hub if (hub / ".git").is_dir() else make_big_hub(hub, count)


if __name__ == "__main__":
    main()
