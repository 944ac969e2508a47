"""`python -m benchmarks.scale_postgres [COUNT]`: a hub of so many skills (200,000) in PostgreSQL, as ratios in one run.

The skills are those of a real hub, copied with some words and numbers of others: documents and vectors are perturbed
ready tokens and ready vectors, so that nothing is tokenised or embedded by the million. A search is compared with the
database's own two queries for the same words and the same vector; an update of 100 skills with COPY of the same rows
into the same tables, each from its connection to its commit.
"""

import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import psycopg

from benchmarks.hubs import make_hub, real_archive, unpack_hub
from benchmarks.measure import run
from benchmarks.own_postgres import own_postgres
from hub_index.postgres.connection import parse_address
from hub_index.postgres.hub_view import quote
from hub_index.postgres.index_source import StoreRow, StoreSource, find_buckets, open_source
from hub_index.postgres.loading import LoadOptions, load_hub
from hub_index.postgres.postgres_index import open_store
from hub_index.postgres.table_content import COPY_END, COPY_HEADER, lexeme, lexeme_tuple, read_content, skill_tuple
from hub_index.postgres.tables import HubTables
from hub_index.search.index import Index
from hub_index.search.lexical.prepared import SEPARATOR, PreparedDocument, decode_record, encode_record
from hub_index.search.places.query_model import Models
from hub_index.search.words.tokens import tokenize
from hub_index.settings import read_settings

_CHANGED = 100
_ROUNDS = 3
_UPDATES = 9
_FIRST_COPY = 1_000_000_000  # numbers that no row of a hub has
_QUERIES = (
    "how do I analyze slow database queries",
    "make slides from an outline",
    "extract tables from a pdf",
    "review a pull request for security problems",
    "write unit tests for a python service",
    "translate a document into chinese",
    "deploy a container to kubernetes",
    "我想制作一个ppt",
    "如何备份数据库",
    "summarize a meeting and send an email",
    "draw a diagram of an architecture",
    "monitor prices of a product",
)


class _Copies(StoreSource):
    """A real hub's rows, again and again, each copy a little different; `edited` rows are different once more."""

    def __init__(self, real: Sequence[StoreRow], source: StoreSource, count: int) -> None:
        self.manifest = source.manifest
        self.skills_digest = source.skills_digest
        self._real = real
        self.ids = sorted(f"copy-{number // len(real):03}/{real[number % len(real)].id}" for number in range(count))
        self._by_id = {row.id: row for row in real}
        self.buckets = find_buckets(self.ids)
        self.edited: frozenset[int] = frozenset()
        self._sums = b""
        self.ready: dict[int, StoreRow] = {}
        self._noise = np.random.default_rng(13)
        self.vectors = np.zeros((0, source.vectors.shape[1]), dtype=np.float32)
        self._words = [word for row in real[:500] for word in row.document.body.split()]
        self._keys = bytearray().join([self._make_key(row) for row in range(count)])

    def edit(self, rows: frozenset[int]) -> None:
        """Other texts for these rows."""
        changed, self.edited = self.edited ^ rows, rows
        for row in changed:
            self.set_key(row, self._make_key(row))
        self.skills_digest = f"{len(rows)} edited"

    def read(self, rows: Sequence[int]) -> Iterator[StoreRow]:
        for row in rows:
            yield self.ready.get(row) or self._row(row)

    def _make_key(self, row: int) -> bytes:
        chance = random.Random(f"{self.ids[row]} {row in self.edited}")
        return chance.randbytes(16)

    def _row(self, row: int) -> StoreRow:
        id_ = self.ids[row]
        copy, _, real_id = id_.partition("/")
        real = self._by_id[real_id]
        chance = random.Random(f"{id_} {row in self.edited}")
        name, description, keywords, path, words, joined = real.document.tokens.decode().split(SEPARATOR)
        body = joined.split()
        for place in range(0, len(body), 10):
            body[place] = chance.choice(self._words)
        described = f"{description} {chance.choice(self._words)} {copy}"
        tokens = SEPARATOR.join((name, described, keywords, path, words, " ".join(body))).encode()
        record = decode_record(real.document.record).replace(id=id_, path=f"skills/{id_}")
        document = PreparedDocument(encode_record(record), tokens)
        vector = real.vector + np.float32(0.02) * self._noise.standard_normal(len(real.vector), dtype=np.float32)
        vector /= np.linalg.norm(vector)
        return StoreRow(id_, self.key(row), int(self.buckets[row]), document, vector)


def main() -> None:
    """Prints times and ratios, without an HNSW index and with one."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 200_000
    with tempfile.TemporaryDirectory(prefix="hub-index-pg-") as temporary, own_postgres() as url:
        copies = _make_copies(Path(temporary), count)
        for hnsw in (False, True):
            _measure(copies, url, hnsw=hnsw)
            copies.edit(frozenset())


def _make_copies(temporary: Path, count: int) -> _Copies:
    archive = real_archive()
    hub = unpack_hub(archive, temporary / "hub") if archive.exists() else make_hub(temporary / "hub")
    run([sys.executable, "-m", "hub_index", "build", str(hub)])
    settings = read_settings()
    source = open_source(str(hub / "search"), str(hub), settings.axon_home, settings.cache_folder)
    rows = list(source.read(range(len(source.ids))))
    return _Copies(rows, source, count)


def _measure(copies: _Copies, url: str, *, hnsw: bool) -> None:
    name, address = ("hnsw" if hnsw else "exact"), parse_address(url)
    print(f"\n{len(copies.ids):,} skills, halfvec, {'HNSW' if hnsw else 'no index over the vectors'}", flush=True)
    started = time.perf_counter()
    load_hub(address, name, copies, LoadOptions(hnsw=hnsw))
    print(f"  loaded in {time.perf_counter() - started:.1f} s", flush=True)
    settings = read_settings()
    with open_store(address, name, Models("", None, settings.cache_folder), settings.cache_folder) as index:
        _measure_search(index, url)
    _measure_update(copies, url, name)


def _measure_search(index: Index, url: str) -> None:
    ours: list[float] = []
    words: list[float] = []
    vectors: list[float] = []
    with index.reader.view.snapshot() as facts:  # type: ignore[attr-defined]
        tables = facts.tables
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("SET jit = off")
        for _ in range(_ROUNDS):
            for query in _QUERIES:
                started = time.perf_counter()
                vector = index.search(query, 10).query_vector
                ours.append((time.perf_counter() - started) * 1000)
                assert vector is not None
                text = "[" + ",".join(map(str, np.frombuffer(vector.values, "<f4").tolist())) + "]"
                vectors.append(_timed(partial(_nearest, connection, tables, text)))
                words.append(_timed(partial(_ranked, connection, tables, query)))
    bound = 2 * (_p95(vectors) + _p95(words)) + 10
    print(
        f"  search p50 {_ms(ours)} ms, p95 {_p95(ours):.0f} ms; vector query p95 {_p95(vectors):.0f} ms, tsquery p95",
        end=" ",
    )
    print(f"{_p95(words):.0f} ms; limit {bound:.0f} ms, ratio to the limit {_p95(ours) / bound:.2f}", flush=True)


def _nearest(connection: "psycopg.Connection[tuple[object, ...]]", tables: HubTables, text: str) -> object:
    kind = f"{tables.vectors}({tables.dim})"
    return connection.execute(
        f"SELECT number FROM {tables.skills} ORDER BY vector <#> %s::{kind} LIMIT 100".encode(), (text,)
    ).fetchall()


def _ranked(connection: "psycopg.Connection[tuple[object, ...]]", tables: HubTables, query: str) -> object:
    """The best hundred by PostgreSQL's own rank, for the same words in any field."""
    names = [quote(lexeme(mark, token)) for token in tokenize(query) for mark in "ndkb"]
    return connection.execute(
        f"SELECT number FROM {tables.lexemes} WHERE lexemes @@ %s::tsquery "
        "ORDER BY ts_rank(lexemes, %s::tsquery) DESC LIMIT 100".encode(),
        (" | ".join(names), " | ".join(names)),
    ).fetchall()


def _measure_update(copies: _Copies, url: str, name: str) -> None:
    """Several updates of 100 skills, and COPY of as many rows into full tables with the same indexes, in turns."""
    address, chance = parse_address(url), random.Random(7)
    updates: list[float] = []
    copied: list[float] = []
    for _ in range(_UPDATES):
        changed = frozenset(chance.sample(range(len(copies.ids)), _CHANGED))
        copies.edit(copies.edited | changed)
        copies.ready = {row: copies._row(row) for row in changed}
        updates.append(_timed(lambda: load_hub(address, name, copies)))
        copied.append(_copy_once(url, name, list(copies.ready.values())))
    ratio = statistics.median(updates) / statistics.median(copied)
    print(
        f"  update of {_CHANGED} {_ms(updates)} ms, COPY of the same rows {_ms(copied)} ms, ratio {ratio:.1f}",
        flush=True,
    )


def _copy_once(url: str, name: str, rows: Sequence[StoreRow]) -> float:
    """How long COPY of ready rows into the hub's own tables takes, from the connection to the commit."""
    with psycopg.connect(url) as connection:
        found = connection.execute(
            "SELECT tables, vectors, dim FROM hub_index.hubs WHERE name = %s", (name,)
        ).fetchone()
    assert found is not None
    tables = HubTables(int(found[0]), str(found[1]), int(found[2]))
    ids = [replace(row, id=f"{row.id}+") for row in rows]
    skills = b"".join(skill_tuple(number, row, tables.vectors) for number, row in enumerate(ids, _FIRST_COPY))
    lexemes = b"".join(lexeme_tuple(number, read_content(row.document)) for number, row in enumerate(ids, _FIRST_COPY))

    def copy() -> None:
        with psycopg.connect(url) as connection:
            for table, data in ((tables.skills, skills), (tables.lexemes, lexemes)):
                with (
                    connection.cursor() as cursor,
                    cursor.copy(f"COPY {table} FROM STDIN (FORMAT binary)".encode()) as to,
                ):
                    to.write(COPY_HEADER + data + COPY_END)

    spent = _timed(copy)
    with psycopg.connect(url) as connection:
        for table in (tables.skills, tables.lexemes):
            connection.execute(f"DELETE FROM {table} WHERE number >= {_FIRST_COPY}".encode())
    return spent


def _timed(work: Callable[[], object]) -> float:
    """Milliseconds."""
    started = time.perf_counter()
    work()
    return (time.perf_counter() - started) * 1000


def _p95(values: Sequence[float]) -> float:
    return statistics.quantiles(values, n=20)[-1]


def _ms(values: Sequence[float]) -> str:
    return f"{statistics.median(values):.0f}"


if __name__ == "__main__":
    main()
