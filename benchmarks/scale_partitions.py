"""`python -m benchmarks.scale_partitions [ROWS]`: vectors in one PostgreSQL table and in four partitions of one.

Rows are made up around 2,000 centres. What partitions change is told for the two things that grow with a table: the
scan of all vectors, and an HNSW index over them (to build, and to ask). Times are of one run, for comparison.
"""

import struct
import sys
import time
from collections.abc import Callable, Iterator

import numpy as np
import psycopg
from numpy.typing import NDArray

from benchmarks.measure import median_s
from benchmarks.own_postgres import own_postgres
from hub_index.postgres.table_content import COPY_END, COPY_HEADER, vector_bytes

_ROWS = 200_000
_DIM = 512
_PARTITIONS = 4
_CENTRES = 2_000
_STEP = 10_000
_QUERIES = 20
Connection = psycopg.Connection[tuple[object, ...]]


def main() -> None:
    """Prints a line for each table."""
    rows = next((int(text) for text in sys.argv[1:] if text.isdecimal()), _ROWS)
    with own_postgres() as url, psycopg.connect(url, autocommit=True) as connection:
        connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
        connection.execute("SET jit = off")
        connection.execute("SET maintenance_work_mem = '2GB'")
        columns = f"(number integer, part integer, vector halfvec({_DIM}))"
        _run(connection, f"CREATE TABLE whole {columns}")
        _run(connection, f"CREATE TABLE divided {columns} PARTITION BY LIST (part)")
        for part in range(_PARTITIONS):
            _run(connection, f"CREATE TABLE divided_{part} PARTITION OF divided FOR VALUES IN ({part})")
        print(f"{rows:,} vectors of {_DIM} numbers, halfvec; {_PARTITIONS} partitions")
        for table in ("whole", "divided"):
            _measure(connection, table, rows)


def _measure(connection: Connection, table: str, rows: int) -> None:
    loaded_s = _timed(lambda: _load(connection, table, rows))
    _run(connection, f"ANALYZE {table}")
    queries = list(_vectors(_QUERIES, seed=99))
    exact = [_nearest(connection, table, query) for query in queries]
    scan_s = median_s(lambda: _nearest(connection, table, queries[0]), 5)
    one_scan_s = median_s(lambda: _nearest(connection, "divided_0", queries[0]), 5) if table == "divided" else scan_s
    tables = [table] if table == "whole" else [f"divided_{part}" for part in range(_PARTITIONS)]
    built = [_timed(lambda name=name: _index(connection, name)) for name in tables]  # type: ignore[misc]
    _run(connection, "SET hnsw.ef_search = 100")
    found = [_nearest(connection, table, query) for query in queries]
    asked_s = median_s(lambda: [_nearest(connection, table, query) for query in queries], 3) / len(queries)
    recall = sum(len(set(ours[:10]) & set(best[:10])) for ours, best in zip(found, exact, strict=True))
    print(
        f"{table:<8} loaded in {loaded_s:.0f} s; scan {1000 * scan_s:.0f} ms, of one table {1000 * one_scan_s:.0f} ms; "
        f"HNSW built in {sum(built):.0f} s, at most {max(built):.0f} s at once, asked in {1000 * asked_s:.1f} ms, "
        f"recall@10 {recall / (10 * len(queries)):.3f}",
        flush=True,
    )


def _index(connection: Connection, table: str) -> None:
    _run(connection, f"CREATE INDEX ON {table} USING hnsw (vector halfvec_ip_ops)")


def _load(connection: Connection, table: str, rows: int) -> None:
    with connection.cursor() as cursor, cursor.copy(f"COPY {table} FROM STDIN (FORMAT binary)".encode()) as copy:
        copy.write(COPY_HEADER)
        for number, vector in enumerate(_vectors(rows, seed=7)):
            data = vector_bytes(vector, "halfvec")
            copy.write(struct.pack("!hiiiii", 3, 4, number, 4, number % _PARTITIONS, len(data)) + data)
        copy.write(COPY_END)


def _vectors(count: int, seed: int) -> Iterator[NDArray[np.float32]]:
    centres = np.random.default_rng(1).standard_normal((_CENTRES, _DIM), dtype=np.float32)
    chance = np.random.default_rng(seed)
    for start in range(0, count, _STEP):
        size = min(_STEP, count - start)
        rows = centres[chance.integers(0, _CENTRES, size)] + chance.standard_normal((size, _DIM), dtype=np.float32)
        yield from rows / np.linalg.norm(rows, axis=1, keepdims=True)


def _nearest(connection: Connection, table: str, query: NDArray[np.float32]) -> list[object]:
    text = "[" + ",".join(map(str, query.tolist())) + "]"
    found = connection.execute(
        f"SELECT number FROM {table} ORDER BY vector <#> %s::halfvec({_DIM}) LIMIT 100".encode(), (text,)
    )
    return [row[0] for row in found.fetchall()]


def _run(connection: Connection, statement: str) -> None:
    connection.execute(statement.encode())


def _timed(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


if __name__ == "__main__":
    main()
