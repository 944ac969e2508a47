"""The tables: one row a hub, and for each hub its skills, their lexemes and how many skills hold each word.

Every hub has separate tables, named by its number, since hubs differ in the length and the kind of their vectors; an
index over one of them is small, and a hub is removed by dropping its tables. A hub's row names its tables, so that a
transaction that reads the row and the tables reads one revision.

A hub's row in the table of hubs has the names of its tables, and the source of their contents.
"""

from __future__ import annotations

from dataclasses import dataclass

from hub_index.errors import IndexMissing, IndexTooNew, IndexUnusable
from hub_index.index.format.manifest import encode_manifest
from hub_index.search.lexical.build import LEXICAL_VERSION
from hub_index.search.words.tokens import TOKENS_VERSION

TYPE_CHECKING = False  # typing itself costs a search 5 ms
if TYPE_CHECKING:
    from collections.abc import Sequence

    from hub_index.postgres.connection import Connection, StoreAddress
    from hub_index.postgres.index_source import StoreSource


SCHEMA_VERSION = 1
# a row's tokens and lexemes are of these versions: others must be loaded again
CONTENT_VERSION = f"fields {LEXICAL_VERSION} tokens {TOKENS_VERSION}"
_INDEXES = 6  # that `make_indexes` and the key of the skills make, without HNSW
LOCK = 0x6875_6269  # of the whole database, while tables are made and hubs are named

_FRAME = f"""
CREATE SCHEMA IF NOT EXISTS hub_index;
CREATE TABLE IF NOT EXISTS hub_index.version (version int NOT NULL);
INSERT INTO hub_index.version SELECT {SCHEMA_VERSION} WHERE NOT EXISTS (SELECT FROM hub_index.version);
CREATE TABLE IF NOT EXISTS hub_index.hubs (
    name text PRIMARY KEY,
    tables int NOT NULL,
    generation bigint NOT NULL,
    revision text NOT NULL,
    manifest bytea NOT NULL,
    skills_digest text NOT NULL,
    content text NOT NULL,
    vectors text NOT NULL,
    dim int NOT NULL,
    hnsw boolean NOT NULL,
    skills int NOT NULL,
    lengths bigint[] NOT NULL,
    buckets bytea NOT NULL,
    loaded_at timestamptz NOT NULL
);
CREATE SEQUENCE IF NOT EXISTS hub_index.table_numbers;
"""


@dataclass(frozen=True, slots=True)
class HubTables:
    """The tables of one hub, by their number, and what its vectors are."""

    number: int
    vectors: str  # halfvec or vector
    dim: int
    hnsw: bool = False

    @property
    def skills(self) -> str:
        """Records, tokens and vectors; wide, and read only for candidates."""
        return f"hub_index.skills_{self.number}"

    @property
    def lexemes(self) -> str:
        """The words of each skill; its rows are short, since every word of a query visits many of them."""
        return f"hub_index.lexemes_{self.number}"

    @property
    def words(self) -> str:
        """The number of skills that hold a word in a field."""
        return f"hub_index.words_{self.number}"


def make_frame(connection: Connection) -> None:
    """The schema, the extension and the table of hubs, where they are not there. Raises psycopg's errors."""
    connection.execute("SELECT pg_advisory_xact_lock(%s)", (LOCK,))
    row = connection.execute(
        "SELECT to_regclass('hub_index.hubs') IS NOT NULL "
        "AND EXISTS (SELECT FROM pg_extension WHERE extname = 'vector')"
    ).fetchone()
    if row and row[0]:
        return
    connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
    for statement in filter(str.strip, _FRAME.split(";")):
        connection.execute(statement.encode())


def check_version(connection: Connection, address: StoreAddress) -> None:
    """Raises IndexMissing if nothing was ever loaded, IndexTooNew or IndexUnusable for tables of another version."""
    table = connection.execute("SELECT to_regclass('hub_index.version') IS NOT NULL").fetchone()
    if not (table and table[0]):
        raise IndexMissing(f"{address.shown}: no hub was loaded into it; run `hub-index export postgres`")
    row = connection.execute("SELECT max(version) FROM hub_index.version").fetchone()
    version = row[0] if row else None
    if not isinstance(version, int) or version < SCHEMA_VERSION:
        raise IndexUnusable(
            f"{address.shown}: its tables are of an older hub-index; drop the schema hub_index, then run "
            "`hub-index export postgres` again"
        )
    if version > SCHEMA_VERSION:
        raise IndexTooNew(
            f"{address.shown}: its tables have version {version}, this hub-index reads {SCHEMA_VERSION}; "
            "upgrade hub-index"
        )


def are_whole(connection: Connection, tables: HubTables) -> bool:
    """True if tables and indexes exist, with their vectors, which go with the extension if it is dropped."""
    row = connection.execute(
        "SELECT to_regclass(%s) IS NOT NULL AND to_regclass(%s) IS NOT NULL AND EXISTS (SELECT FROM pg_attribute "
        "WHERE attrelid = to_regclass(%s) AND attname = 'vector' AND NOT attisdropped) AND (SELECT count(*) "
        "FROM pg_index WHERE indrelid IN (to_regclass(%s), to_regclass(%s), to_regclass(%s))) >= %s",
        (
            *(tables.lexemes, tables.words, tables.skills),
            *(tables.lexemes, tables.words, tables.skills),
            _INDEXES + tables.hnsw,
        ),
    ).fetchone()
    return bool(row and row[0])


def are_full(connection: Connection, tables: HubTables, skills: int) -> bool:
    """Whether as many rows are there as were loaded; counting takes as long as reading the tables' indexes."""
    row = connection.execute(
        f"SELECT (SELECT count(*) FROM {tables.skills}), (SELECT count(*) FROM {tables.lexemes})".encode()
    ).fetchone()
    return row == (skills, skills)


def make_tables(connection: Connection, tables: HubTables) -> None:
    """Empty tables; indexes follow when the rows are in."""
    for statement in (
        f'CREATE TABLE {tables.skills} (number int PRIMARY KEY, id text COLLATE "C" NOT NULL, key bytea NOT NULL, '
        "bucket int NOT NULL, record bytea NOT NULL, tokens bytea NOT NULL, "
        f"vector {tables.vectors}({tables.dim}) NOT NULL, text bytea NOT NULL)",
        f"CREATE TABLE {tables.lexemes} (number int NOT NULL, day int NOT NULL, lexemes tsvector NOT NULL) "
        "WITH (toast_tuple_target = 128)",
        # with room on its pages for counts that change: on full ones its index follows, half as slow again
        f'CREATE TABLE {tables.words} (field "char" NOT NULL, word text COLLATE "C" NOT NULL, skills int NOT NULL) '
        "WITH (fillfactor = 70)",
    ):
        connection.execute(statement.encode())


def make_indexes(connection: Connection, tables: HubTables) -> None:
    """Their indexes, and what the planner should know."""
    statements = [
        f"CREATE UNIQUE INDEX ON {tables.skills} (id)",
        # all that an update compares: without the rest of it, every row of a changed bucket would be fetched for it
        f"CREATE INDEX ON {tables.skills} (bucket) INCLUDE (id, key, number)",
        f"ALTER TABLE {tables.lexemes} ADD PRIMARY KEY (number)",
        f"CREATE INDEX ON {tables.lexemes} USING gin (lexemes)",
        f"ALTER TABLE {tables.words} ADD PRIMARY KEY (field, word)",
    ]
    if tables.hnsw:
        statements.append(f"CREATE INDEX ON {tables.skills} USING hnsw (vector {tables.vectors}_ip_ops)")
    statements += [f"ANALYZE {name}" for name in (tables.skills, tables.lexemes, tables.words)]
    for statement in statements:
        connection.execute(statement.encode())


def drop_tables(connection: Connection, number: int) -> None:
    """Removes a hub's tables."""
    for name in ("skills", "lexemes", "words"):
        connection.execute(f"DROP TABLE IF EXISTS hub_index.{name}_{number}".encode())


@dataclass(frozen=True, slots=True)
class HubRow:
    """The present contents of the tables."""

    tables: HubTables
    skills_digest: str
    content: str
    lengths: list[int]
    buckets: bytes
    manifest: bytes


def read_hub_row(connection: Connection, name: str) -> HubRow | None:
    """The hub's row, locked until the transaction ends; None for an unknown name."""
    row = connection.execute(
        "SELECT tables, vectors, dim, hnsw, skills_digest, content, lengths, buckets, manifest "
        "FROM hub_index.hubs WHERE name = %s FOR UPDATE",
        (name,),
        binary=True,  # the sums are long
    ).fetchone()
    if row is None:
        return None
    number, vectors, dim, hnsw, digest, content, lengths, buckets, manifest = row
    tables = HubTables(int(str(number)), str(vectors), int(str(dim)), bool(hnsw))
    totals = [int(length) for length in lengths] if isinstance(lengths, list) else []
    return HubRow(tables, str(digest), str(content), totals, as_bytes(buckets), as_bytes(manifest))


def write_hub_row(
    connection: Connection, name: str, tables: HubTables, source: StoreSource, lengths: Sequence[int]
) -> None:
    """Writes the names of the tables and their contents; the generation differs for every state."""
    values = {
        "tables": tables.number,
        "revision": source.manifest.hub_revision,
        "manifest": encode_manifest(source.manifest),
        "skills_digest": source.skills_digest,
        "content": CONTENT_VERSION,
        "vectors": tables.vectors,
        "dim": tables.dim,
        "hnsw": tables.hnsw,
        "skills": len(source.ids),
        "lengths": lengths,
        "buckets": source.sums(),
    }
    columns, marks = ", ".join(values), ", ".join(["%s"] * len(values))
    updates = ", ".join(f"{column} = excluded.{column}" for column in values)
    connection.execute(
        f"INSERT INTO hub_index.hubs AS known (name, generation, loaded_at, {columns}) "
        f"VALUES (%s, 1, now(), {marks}) ON CONFLICT (name) DO UPDATE "
        f"SET generation = known.generation + 1, loaded_at = now(), {updates}".encode(),
        (name, *values.values()),
    )


def as_bytes(value: object) -> bytes:
    """A bytea as the driver gives it."""
    return bytes(value) if isinstance(value, bytes | bytearray | memoryview) else b""
