"""A verified index → its tables, in one transaction: only changed rows are sent, and readers see all or nothing.

A killed run has changed nothing: PostgreSQL rolls back, and the next run starts from the same state.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import chain, islice

import numpy as np

from hub_index.errors import ConfigError
from hub_index.index.format.manifest import encode_manifest
from hub_index.postgres.connection import connect, failures
from hub_index.postgres.index_source import BUCKETS
from hub_index.postgres.table_content import (
    COPY_END,
    COPY_HEADER,
    lexeme_tuple,
    read_content,
    skill_tuple,
)
from hub_index.postgres.tables import (
    CONTENT_VERSION,
    HubRow,
    HubTables,
    are_full,
    are_whole,
    as_bytes,
    check_version,
    drop_tables,
    make_frame,
    make_indexes,
    make_tables,
    read_hub_row,
    write_hub_row,
)
from hub_index.postgres.word_counts import Totals, count_words
from hub_index.search.lexical.prepared import PreparedDocument

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from hub_index.postgres.connection import Connection, StoreAddress
    from hub_index.postgres.index_source import StoreSource
    from hub_index.postgres.table_content import Content

    Progress = Callable[[int, int], None]

VECTOR_KINDS = ("halfvec", "vector")
# pgvector's own limits: numbers that a column may have, and that an HNSW index takes
_MAX_DIM = {"halfvec": 16_000, "vector": 16_000}
_BATCH = 2_000
_PIECE = 20  # rows that are sent at once: some 100 kB, half of what a socket takes without waiting
_MAX_HNSW_DIM = {"halfvec": 4_000, "vector": 2_000}


@dataclass(frozen=True, slots=True)
class LoadOptions:
    """The options for keeping a hub; None leaves an existing hub's option as it is."""

    vectors: str | None = None  # halfvec unless the hub is there already
    hnsw: bool | None = None


@dataclass(frozen=True, slots=True)
class Loaded:
    """The result of an export."""

    hub: str
    revision: str
    skills: int
    sent: int  # rows that are new or other than before
    removed: int
    differing: tuple[str, ...] = ()  # ids whose own file was loaded as it stands, which is not what git's index names


def load_hub(
    address: StoreAddress,
    name: str,
    source: StoreSource,
    options: LoadOptions | None = None,
    progress: Progress | None = None,
) -> Loaded:
    """Brings a hub's tables to the state of the source. Raises PublishError, ConfigError, IndexUnusable."""
    with failures(address, is_export=True), connect(address, is_export=True) as connection, connection.transaction():
        make_frame(connection)
        check_version(connection, address)
        return _Load(connection, name, source, options or LoadOptions(), progress).run()


def remove_hub(address: StoreAddress, name: str) -> bool:
    """Removes a hub and its tables; False for an unknown name. Raises PublishError, IndexUnusable."""
    with failures(address, is_export=True), connect(address, is_export=True) as connection, connection.transaction():
        check_version(connection, address)
        row = connection.execute("DELETE FROM hub_index.hubs WHERE name = %s RETURNING tables", (name,)).fetchone()
        if row is not None:
            drop_tables(connection, int(str(row[0])))
        return row is not None


class _Load:
    """One hub, inside of one transaction."""

    def __init__(
        self, connection: Connection, name: str, source: StoreSource, options: LoadOptions, progress: Progress | None
    ) -> None:
        self._connection = connection
        self._name = name
        self._source = source
        self._progress = progress
        self._before = before = read_hub_row(connection, name)
        kind = options.vectors or (before.tables.vectors if before else VECTOR_KINDS[0])
        hnsw = options.hnsw if options.hnsw is not None else bool(before and before.tables.hnsw)
        self._wanted = HubTables(0, kind, source.vectors.shape[1], hnsw)
        _check_dim(self._wanted)

    def run(self) -> Loaded:
        """The change, as small as it can be."""
        before = self._before
        if before is None or before.content != CONTENT_VERSION or replace(before.tables, number=0) != self._wanted:
            return self._load_anew()
        is_older = len(before.buckets) != len(self._source.sums())  # an earlier version had fewer of them
        if is_older or not are_whole(self._connection, before.tables):
            return self._load_anew()
        return self._update(before)

    def _load_anew(self) -> Loaded:
        row = self._connection.execute("SELECT nextval('hub_index.table_numbers')").fetchone()
        tables = replace(self._wanted, number=int(str(row[0])) if row else 0)
        make_tables(self._connection, tables)
        totals = Totals()
        rows = range(len(self._source.ids))
        self._send(tables, rows, {}, totals)
        self._copy(tables.words, [totals.encode_words()])
        make_indexes(self._connection, tables)
        if self._before is not None:
            drop_tables(self._connection, self._before.tables.number)
        write_hub_row(self._connection, self._name, tables, self._source, totals.lengths)
        return self._loaded(len(rows), 0)

    def _update(self, before: HubRow) -> Loaded:
        tables = before.tables
        is_same = before.buckets == self._source.sums() and before.skills_digest == self._source.skills_digest
        if is_same and before.manifest == encode_manifest(self._source.manifest):
            # an export without changes may follow the advice of a search that found rows missing
            is_full = are_full(self._connection, tables, len(self._source.ids))
            return self._loaded(0, 0) if is_full else self._load_anew()
        rows, gone = self._compare(tables, _other_buckets(before.buckets, self._source.sums()))
        totals = Totals(before.lengths)
        removed = list(gone.keys() - {self._source.ids[row] for row in rows})
        self._remove(tables, [gone[id_] for id_ in removed], totals)
        self._send(tables, rows, gone, totals)
        count_words(self._connection, tables, totals)
        write_hub_row(self._connection, self._name, tables, self._source, totals.lengths)
        return self._loaded(len(rows), len(removed))

    def _compare(self, tables: HubTables, buckets: NDArray[np.int64]) -> tuple[list[int], dict[str, int]]:
        """The rows of these buckets that must be sent, and the numbers of those that are gone or other, by id."""
        cursor = self._connection.execute(
            f"SELECT id, key, number FROM {tables.skills} WHERE bucket = ANY(%s)".encode(),
            (buckets.tolist(),),
            binary=True,
        ).fetchall()
        stored = {str(id_): (as_bytes(key), int(str(number))) for id_, key, number in cursor}
        source = self._source
        is_other = np.zeros(BUCKETS, dtype=bool)
        is_other[buckets] = True
        near = np.flatnonzero(is_other[source.buckets]).tolist()
        rows = [row for row in near if stored.get(source.ids[row], (b"", 0))[0] != source.key(row)]
        same = {source.ids[row] for row in near} - {source.ids[row] for row in rows}
        return rows, {id_: number for id_, (_, number) in stored.items() if id_ not in same}

    def _remove(self, tables: HubTables, numbers: Sequence[int], totals: Totals) -> None:
        """Removes skills that nothing replaces."""
        for start in range(0, len(numbers), _BATCH):
            for _, record, tokens in self._take(tables, numbers[start : start + _BATCH]):
                totals.remove(_read_stored(record, tokens))

    def _take(self, tables: HubTables, numbers: Sequence[int]) -> Iterable[tuple[object, ...]]:
        """Removes rows from both tables; their ids, records and tokens, whose words do not count any more."""
        if not numbers:
            return ()
        self._connection.execute(f"DELETE FROM {tables.lexemes} WHERE number = ANY(%s)".encode(), (numbers,))
        statement = f"DELETE FROM {tables.skills} WHERE number = ANY(%s) RETURNING id, record, tokens"
        return self._connection.execute(statement.encode(), (numbers,), binary=True)

    def _send(self, tables: HubTables, rows: Sequence[int], gone: dict[str, int], totals: Totals) -> None:
        """Sends rows in the place of those that are gone, some thousands at a time: a connection copies into one table.

        Whatever can be worked out while the server is busy is: a third of an update's time is our own.
        """
        first = self._next_number(tables)
        numbered = enumerate(self._source.read(rows), start=first)
        while batch := list(islice(numbered, _BATCH)):
            with self._connection.pipeline():  # in which statements are not waited for
                taken = self._take(tables, [gone[row.id] for _, row in batch if row.id in gone])
                skills = [skill_tuple(number, row, tables.vectors) for number, row in batch]
                contents = {row.id: read_content(row.document) for _, row in batch}
                lexemes = [lexeme_tuple(number, contents[row.id]) for number, row in batch]
                before = list(taken)
            self._copy(tables.skills, _exchanging(skills, before, contents, totals))
            self._copy(tables.lexemes, [b"".join(lexemes)])
            if self._progress is not None:
                self._progress(batch[-1][0] - first + 1, len(rows))

    def _next_number(self, tables: HubTables) -> int:
        row = self._connection.execute(f"SELECT coalesce(max(number), 0) FROM {tables.skills}".encode()).fetchone()
        return int(str(row[0])) + 1 if row else 1

    def _copy(self, table: str, pieces: Iterable[bytes]) -> None:
        """Rows into a table, piece by piece: the server takes one in while the next is made."""
        statement = f"COPY {table} FROM STDIN (FORMAT binary)".encode()
        with self._connection.cursor() as cursor, cursor.copy(statement) as copy:
            for data in chain([COPY_HEADER], pieces, [COPY_END]):
                copy.write(data)

    def _loaded(self, sent: int, removed: int) -> Loaded:
        source = self._source
        differing = tuple(source.differing)
        return Loaded(self._name, source.manifest.hub_revision, len(source.ids), sent, removed, differing)


def _exchanging(
    tuples: Sequence[bytes], before: Sequence[tuple[object, ...]], contents: dict[str, Content], totals: Totals
) -> Iterator[bytes]:
    """The tuples, some at a time; after these, as many rows that were there before are counted out for new ones."""
    for start in range(0, max(len(tuples), len(before)), _PIECE):
        yield b"".join(tuples[start : start + _PIECE])
        for id_, record, tokens in before[start : start + _PIECE]:
            totals.exchange(_read_stored(record, tokens), contents.pop(str(id_)))
    for content in contents.values():
        totals.add(content)


def _read_stored(record: object, tokens: object) -> Content:
    return read_content(PreparedDocument(as_bytes(record), as_bytes(tokens)))


def _other_buckets(before: bytes, now: bytes) -> NDArray[np.int64]:
    sums = [np.frombuffer(data, dtype="<u8") for data in (before, now)]
    return np.flatnonzero(sums[0] != sums[1])


def _check_dim(tables: HubTables) -> None:
    if tables.vectors not in VECTOR_KINDS:
        raise ConfigError(f"vectors are kept as {' or '.join(VECTOR_KINDS)}")
    limit = (_MAX_HNSW_DIM if tables.hnsw else _MAX_DIM)[tables.vectors]
    if tables.dim > limit:
        what = f"{tables.vectors} with HNSW" if tables.hnsw else tables.vectors
        raise ConfigError(f"the index's vectors have {tables.dim} numbers, and {what} takes up to {limit}")
