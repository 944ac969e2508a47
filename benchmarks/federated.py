"""`python -m benchmarks.federated FOLDER [SET …]`: a labelled hub whole, and split at random into three that are
searched together: nDCG@10 of both, in each mode.

FOLDER holds a folder for each labelled set, as `benchmarks.confidence` reads them. The difference should be within half
a point: what is left is that each third has its own mean lengths of fields, and spells its own typing errors.
"""

import random
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks.hubs import git, unpack_hub
from benchmarks.measure import run
from hub_index.hub.labels.labels import LabelledQuery, parse_labelled
from hub_index.search.measure.evaluate import score_answer
from hub_index.service import open_service
from hub_index.service.hubs.open_hubs import HubPlace
from hub_index.service.requests import FindRequest
from hub_index.service.service import Service

_MODES = ("hybrid", "semantic", "keyword")
_PARTS = 3
_DEPTH = 10


def main() -> None:
    """Prints a line for each set and mode."""
    if len(sys.argv) < 2:
        sys.exit("usage: python -m benchmarks.federated FOLDER [SET …]")
    folder = Path(sys.argv[1])
    names = sys.argv[2:] or ["metatool", "clawhub-zh2en"]
    print(f"{'set':<16} {'mode':<9} {'queries':>7} {'one hub':>8} {'three':>8} {'change':>7}")
    for name in names:
        with tempfile.TemporaryDirectory(prefix="hub-index-split-") as temporary:
            _compare(folder / name, Path(temporary))


def _compare(labelled: Path, temporary: Path) -> None:
    queries = parse_labelled(
        (labelled / "queries.jsonl").read_text("utf-8"), (labelled / "qrels.tsv").read_text("utf-8")
    )
    whole = unpack_hub(labelled / "hub.tar.xz", temporary / "whole")
    parts = _split(whole, temporary)
    for hub in (whole, *parts):
        run([sys.executable, "-m", "hub_index", "build", str(hub)])
    with _open([whole]) as one, _open(parts) as three:
        for mode in _MODES:
            alone, together = _measure(one, queries, mode), _measure(three, queries, mode)
            change = together - alone
            print(f"{labelled.name:<16} {mode:<9} {len(queries):>7} {alone:>8.2f} {together:>8.2f} {change:>+7.2f}")


def _split(whole: Path, temporary: Path) -> list[Path]:
    """The hub's skills in three hubs, at random but always the same."""
    chance = random.Random(13)
    parts = [temporary / f"part-{number}" for number in range(_PARTS)]
    for skill in sorted((whole / "skills").iterdir()):
        shutil.copytree(skill, chance.choice(parts) / "skills" / skill.name)
    for part in parts:
        git(part, "init", "-q", "-b", "main")
        git(part, "add", "-A")
        git(part, "commit", "-q", "-m", "part")
    return parts


def _open(hubs: Sequence[Path]) -> Service:
    return open_service([HubPlace(hub.name, str(hub)) for hub in hubs])


def _measure(service: Service, queries: Sequence[LabelledQuery], mode: str) -> float:
    """nDCG@10 in points. The same skill in two parts is one hit: the better grade of its places counts."""
    total = 0.0
    for query in queries:
        ids = []
        for hit in service.find(FindRequest(query.text, _DEPTH, mode)):
            places = [hit.id, *[place.id for place in hit.also_in]]
            ids.append(max(places, key=lambda id_: query.grades.get(id_, 0)))
        total += score_answer(ids, query.grades)["ndcg10"]
    return 100 * total / len(queries)


if __name__ == "__main__":
    main()
