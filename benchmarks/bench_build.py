"""How long a build takes, compared with what every build needs: Python with numpy, git, the YAML library, the model."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import yaml

from benchmarks.hubs import commit, git, make_hub, skill_files
from benchmarks.measure import Ratio, median_s, peak_memory_bytes, run

_MODEL = (
    "from hub_index.embedding.local import LocalEncoder; from hub_index.settings import read_settings; "
    "LocalEncoder(cache_dir=read_settings().cache_dir).embed_query('one text')"
)


def main() -> None:
    """Prints one table."""
    with tempfile.TemporaryDirectory(prefix="hub-index-bench-") as folder:
        hub = make_hub(Path(folder) / "hub")
        cache = Path(folder) / "cache"
        build = [sys.executable, "-m", "hub_index", "build", str(hub), "--cache", str(cache), "--json"]
        peak = peak_memory_bytes(build)
        vectors = (hub / "search/vectors.f32").stat().st_size
        limit = 500e6 + 3 * vectors
        print(f"{len(skill_files(hub))} skills; full build: peak memory {peak / 1e6:.0f} MB (≤ {limit / 1e6:.0f} MB)")
        floor_s = _floor_s(hub)
        print(Ratio("nothing changed / (import numpy + git ls-tree)", median_s(lambda: run(build)), floor_s, 3).line())
        _one_change(hub, build, floor_s)
        _bodies_only(hub, build)


def _floor_s(hub: Path) -> float:
    numpy_s = median_s(lambda: run([sys.executable, "-c", "import numpy"]))
    return numpy_s + median_s(lambda: git(hub, "ls-tree", "-r", "HEAD"))


def _one_change(hub: Path, build: list[str], floor_s: float) -> None:
    model_s = median_s(lambda: run([sys.executable, "-c", _MODEL])) - median_s(
        lambda: run([sys.executable, "-c", "pass"])
    )
    target = skill_files(hub)[1000]
    rounds = iter(range(1, 100))

    def edit_and_build() -> None:
        number = next(rounds)
        target.write_text(f"---\nname: edited\ndescription: An edited description number {number}.\n---\n")
        commit(hub, "edit")

    times = []
    for _ in range(3):
        edit_and_build()
        times.append(median_s(lambda: _expect_embedded(build, 1), runs=1))
    # the allowance is 8 floors plus the model: shown as ours over that sum, so the limit is 1
    print(
        Ratio("one text changed / (8 × floor + model and one text)", sorted(times)[1], 8 * floor_s + model_s, 1).line()
    )


def _bodies_only(hub: Path, build: list[str]) -> None:
    for path in skill_files(hub):
        with path.open("ab") as file:
            file.write(b"\n\nOne more line of body.\n")
    commit(hub, "bodies")
    floor_s = median_s(lambda: _cat_file(hub), runs=3) + median_s(lambda: _yaml_alone(hub), runs=3)
    print(
        Ratio(
            "every body edited / (cat-file + YAML alone)",
            median_s(lambda: _expect_embedded(build, 0), runs=1),
            floor_s,
            3,
        ).line()
    )


def _expect_embedded(build: list[str], number: int) -> None:
    embedded = json.loads(run(build))["embedded"]
    if embedded != number:
        raise SystemExit(f"expected {number} embedded texts, got {embedded}")


def _cat_file(hub: Path) -> None:
    blobs = "".join(
        line.split()[2] + "\n" for line in git(hub, "ls-tree", "-r", "HEAD").splitlines() if "skills/" in line
    )
    subprocess.run(
        ["git", "-C", str(hub), "cat-file", "--batch"], input=blobs.encode(), check=True, stdout=subprocess.DEVNULL
    )


def _yaml_alone(hub: Path) -> None:
    for path in skill_files(hub):
        parts = path.read_text("utf-8", "replace").split("\n---", 2)
        try:
            yaml.load(parts[0].removeprefix("---"), Loader=yaml.CSafeLoader)
        except yaml.YAMLError:
            continue


if __name__ == "__main__":
    main()
