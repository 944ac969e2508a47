"""`python -m benchmarks.store_quality FOLDER [SET …]`: nDCG@10 of labelled sets from the files and from PostgreSQL.

FOLDER holds a folder for each labelled set, as `benchmarks.confidence` reads them. The database keeps `halfvec`, with
and without an HNSW index; the difference should be within 0.3 points. At most so many queries of a set are asked.
"""

import os
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks.hubs import unpack_hub
from benchmarks.measure import run
from benchmarks.own_postgres import own_postgres
from hub_index.hub.labels.labels import LabelledQuery, parse_labelled
from hub_index.postgres.connection import parse_address
from hub_index.postgres.postgres_index import open_store
from hub_index.search import open_index
from hub_index.search.index import Index
from hub_index.search.measure.evaluate import Answer, ask, evaluate
from hub_index.search.places.query_model import Models
from hub_index.settings import read_settings

_MODES = ("hybrid", "semantic", "keyword")
_MAX_QUERIES = 300


def main() -> None:
    """Prints a line for each set and mode."""
    if len(sys.argv) < 2:
        sys.exit("usage: python -m benchmarks.store_quality FOLDER [SET …]")
    folder = Path(sys.argv[1])
    names = sys.argv[2:] or sorted(found.name for found in folder.iterdir() if (found / "hub.tar.xz").exists())
    print(f"{'set':<16} {'mode':<9} {'queries':>7} {'files':>7} {'exact':>7} {'change':>7} {'hnsw':>7} {'change':>7}")
    with own_postgres() as url:
        for name in names:
            with tempfile.TemporaryDirectory(prefix="hub-index-quality-") as temporary:
                _compare(folder / name, Path(temporary), url)


def _compare(labelled: Path, temporary: Path, url: str) -> None:
    texts = [(labelled / name).read_text("utf-8") for name in ("queries.jsonl", "qrels.tsv")]
    queries = parse_labelled(texts[0], texts[1])
    queries = queries[:: max(1, len(queries) // _MAX_QUERIES)]
    hub = unpack_hub(labelled / "hub.tar.xz", temporary / labelled.name)
    run([sys.executable, "-m", "hub_index", "build", str(hub)])
    for name, options in (("exact", []), ("hnsw", ["--hnsw"])):
        command = [sys.executable, "-m", "hub_index", "export", "postgres", "--hub", str(hub), "--name", name, *options]
        os.environ["HUB_INDEX_STORE"] = url
        run(command)
        del os.environ["HUB_INDEX_STORE"]
    cache = read_settings().cache_folder
    models = Models("", None, cache)
    address = parse_address(url)
    stored = [open_store(address, name, models, cache) for name in ("exact", "hnsw")]
    with open_index(hub=hub) as files:
        for mode in _MODES:
            first, *others = [_measure(index, queries, mode) for index in (files, *stored)]
            shown = " ".join(f"{value:>7.2f} {value - first:>+7.2f}" for value in others)
            print(f"{labelled.name:<16} {mode:<9} {len(queries):>7} {first:>7.2f} {shown}", flush=True)


def _measure(index: Index, queries: Sequence[LabelledQuery], mode: str) -> float:
    search: Callable[[str], Answer] = lambda text: ask(index, text, mode)  # noqa: E731
    return 100 * evaluate(queries, search).all.means["ndcg10"]


if __name__ == "__main__":
    main()
