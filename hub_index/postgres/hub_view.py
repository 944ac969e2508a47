"""One hub in the database for a search: its facts, counts of words, and rows by their numbers.

All statements of one answer run in one transaction that sees one state (REPEATABLE READ), whatever is loaded meanwhile.
Counts are remembered until the hub's generation changes.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass

from hub_index.errors import HubIndexError, IndexChanging, IndexMissing, IndexUnusable
from hub_index.index.format.manifest import decode_manifest
from hub_index.postgres.connection import connect, failures
from hub_index.postgres.table_content import lexeme
from hub_index.postgres.tables import CONTENT_VERSION, HubTables, check_version
from hub_index.postgres.word_counts import COUNTED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from hub_index.models import Manifest
    from hub_index.postgres.connection import Connection, StoreAddress

    Counts = dict[tuple[str, str], int]

_MAX_KNOWN_WORDS = 200_000  # some 20 MB in a process that answers many queries
_MAX_EXACT = 20  # as in the lexical leg


@dataclass(frozen=True, slots=True)
class HubFacts:
    """A hub's row."""

    tables: HubTables
    generation: int
    manifest: Manifest
    lengths: tuple[int, ...]
    skills: int


@dataclass(frozen=True, slots=True)
class StoredSkill:
    """One row of the skills."""

    number: int
    id: str
    record: bytes
    tokens: bytes
    vector: bytes  # as pgvector sends it; empty if it was not asked for


class HubView:
    """One hub of one database; connected when first asked, and again where the connection was lost."""

    def __init__(self, address: StoreAddress, name: str) -> None:
        self.address = address
        self.name = name
        self._connection: Connection | None = None
        self._facts: HubFacts | None = None
        self._counts: Counts = {}
        self._depth = 0
        self._refusal: HubIndexError | None = None  # of the snapshot's first statement that failed
        self._uses_index = False

    @property
    def place(self) -> str:
        """The hub's name in messages: the database without its password, and the name."""
        return f"{self.address.shown}#{self.name}"

    @property
    def facts(self) -> HubFacts:
        """The hub's row as the last answer saw it. Raises IndexUnusable."""
        if self._facts is None:
            with self.snapshot():
                pass
        assert self._facts is not None  # noqa: S101 - a snapshot has read it
        return self._facts

    @contextmanager
    def snapshot(self) -> Iterator[HubFacts]:
        """One state of the database, for one answer. Raises IndexUnusable."""
        if self._depth:
            yield self.facts
            return
        with self._failures():
            connection = self._open_alive()
            with connection.transaction():
                connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
                connection.execute("SET LOCAL jit = off; SET LOCAL hnsw.ef_search = 200")
                self._uses_index = False
                facts = self._read_facts(connection)
                if facts != self._facts:
                    self._counts = {}
                self._facts = facts
                self._depth += 1
                self._refusal = None
                try:
                    yield facts
                finally:
                    self._depth -= 1
                    self._refusal = None

    def ask(
        self, statement: str, parameters: Sequence[object] = (), *, binary: bool = False
    ) -> list[tuple[object, ...]]:
        """The rows of a statement. Raises IndexUnusable; after a failure the same one, until the snapshot ends.

        A search by both legs goes on with words where the other leg fails, but PostgreSQL has ended the transaction.
        """
        if self._refusal is not None:
            raise self._refusal
        with self._failures():
            cursor = self._open().execute(statement.encode(), parameters, binary=binary)
            return cursor.fetchall()

    def use_index(self, *, wanted: bool) -> None:
        """Whether only indexes may be used: without one, all lexemes would be fetched to look for a word in them."""
        if self._depth and wanted != self._uses_index:
            with self._failures():
                self._open().execute(f"SET LOCAL enable_seqscan = {'off' if wanted else 'on'}".encode())
            self._uses_index = wanted

    def count(self, field: str, word: str) -> int:
        """The number of skills with a word in a field, or with `all` in any."""
        key = (COUNTED[field], word)
        if key not in self._counts:
            self.learn(field, [word])
        return self._counts[key]

    def learn(self, field: str, words: Iterable[str]) -> None:
        """Asks for the counts of many words at once."""
        mark = COUNTED[field]
        unknown = [word for word in set(words) if (mark, word) not in self._counts]
        if not unknown:
            return
        if len(self._counts) > _MAX_KNOWN_WORDS:
            self._counts = {}
        self._counts |= dict.fromkeys([(mark, word) for word in unknown], 0)
        statement = f'SELECT word, skills FROM {self.facts.tables.words} WHERE field = %s::"char" AND word = ANY(%s)'
        asked = [word.replace("\0", " ") for word in unknown]
        self._counts |= {(mark, str(word)): int(str(count)) for word, count in self.ask(statement, (mark, asked))}

    def words_with_prefix(self, field: str, prefix: str, limit: int) -> list[tuple[str, int]]:
        """The words of a field that begin so, by the alphabet, each with how many skills hold it."""
        statement = (
            f'SELECT word, skills FROM {self.facts.tables.words} WHERE field = %s::"char" AND word >= %s AND word < %s '
            "ORDER BY word LIMIT %s"
        )
        prefix = prefix.replace("\0", " ")
        rows = self.ask(statement, (COUNTED[field], prefix, prefix + "\U0010ffff", limit))
        return [(str(word), int(str(count))) for word, count in rows]

    def find_keys(self, keys: Iterable[str], limit: int = _MAX_EXACT) -> list[int]:
        """The numbers of skills whose id or name is one of these, as `exact_keys` spells them."""
        query = " | ".join(quote(lexeme("y", key)) for key in keys)
        if not query:
            return []
        tables = self.facts.tables
        # found first, then sorted: left to itself the planner goes through all ids of a big hub until it has enough
        statement = (
            f"WITH found AS MATERIALIZED (SELECT number FROM {tables.lexemes} WHERE lexemes @@ %s::tsquery) "
            f"SELECT number FROM found JOIN {tables.skills} USING (number) ORDER BY id LIMIT %s"
        )
        self.use_index(wanted=True)
        return [int(str(number)) for (number,) in self.ask(statement, (query, limit))]

    def fetch(self, numbers: Iterable[int], *, with_vectors: bool) -> list[StoredSkill]:
        """The skills of these numbers, by id."""
        vector = "vector" if with_vectors else "NULL"
        columns = f"number, id, record, tokens, {vector}"
        statement = f"SELECT {columns} FROM {self.facts.tables.skills} WHERE number = ANY(%s) ORDER BY id"
        rows = self.ask(statement, (sorted(set(numbers)),), binary=True)
        return [
            StoredSkill(int(str(number)), str(id_), _bytes(record), _bytes(tokens), _bytes(data))
            for number, id_, record, tokens, data in rows
        ]

    def read_text(self, id_: str) -> bytes:
        """A skill's own file; empty if the hub was loaded without a checkout."""
        rows = self.ask(f"SELECT text FROM {self.facts.tables.skills} WHERE id = %s", (id_,))
        return _bytes(rows[0][0]) if rows else b""

    def list_records(self) -> list[bytes]:
        """The records of all skills, by id."""
        rows = self.ask(f"SELECT record FROM {self.facts.tables.skills} ORDER BY id")
        return [_bytes(record) for (record,) in rows]

    def close(self) -> None:
        """Lets go of the connection."""
        if self._connection is not None:
            self._connection.close()
        self._connection = None

    def _open_alive(self) -> Connection:
        """A connection that answers: one that was lost since the last answer is made again, once."""
        from psycopg import OperationalError

        is_old = self._connection is not None and not self._connection.closed
        connection = self._open()
        if is_old:
            try:
                connection.execute("SELECT 1")
            except OperationalError:
                connection.close()
                connection = self._open()
        return connection

    def _open(self) -> Connection:
        if self._connection is None or self._connection.closed:
            self._connection = connect(self.address)
            check_version(self._connection, self.address)
            self._connection.execute("SELECT '[1]'::vector")  # pgvector's settings are known once it is loaded
        return self._connection

    @contextmanager
    def _failures(self) -> Iterator[None]:
        from psycopg import errors

        try:
            with failures(self.address):
                try:
                    yield
                except (errors.UndefinedTable, errors.SerializationFailure):
                    raise IndexChanging(
                        f"{self.place}: it was loaded anew just now; try again in a moment. Where that does not help, "
                        "somebody has removed a table: `hub-index export postgres` makes it again"
                    ) from None
        except HubIndexError as error:
            self._refusal = error if self._depth else None
            raise

    def _read_facts(self, connection: Connection) -> HubFacts:
        row = connection.execute(
            "SELECT tables, vectors, dim, hnsw, generation, manifest, lengths, skills, content "
            "FROM hub_index.hubs WHERE name = %s",
            (self.name,),
        ).fetchone()
        if row is None:
            raise IndexMissing(
                f"{self.address.shown}: there is no hub {self.name!a} in it; `hub-index export postgres` loads one"
            )
        number, vectors, dim, hnsw, generation, manifest, lengths, skills, content = row
        if content != CONTENT_VERSION:
            raise IndexUnusable(
                f"{self.place}: it was loaded by another version of hub-index; run `hub-index export postgres` again"
            )
        tables = HubTables(int(str(number)), str(vectors), int(str(dim)), bool(hnsw))
        totals = tuple([int(length) for length in lengths]) if isinstance(lengths, list) else ()
        decoded = decode_manifest(_bytes(manifest))
        return HubFacts(tables, int(str(generation)), decoded, totals, int(str(skills)))


def list_hubs(address: StoreAddress) -> list[str]:
    """The names of all hubs in a database. Raises IndexUnusable."""
    with failures(address), connect(address) as connection:
        check_version(connection, address)
        return [str(name) for (name,) in connection.execute("SELECT name FROM hub_index.hubs ORDER BY name")]


def quote(text: bytes) -> str:
    """A lexeme as a tsquery spells it."""
    return "'" + text.decode("utf-8", "replace").replace("\\", "\\\\").replace("'", "''") + "'"


def _bytes(value: object) -> bytes:
    return bytes(value) if isinstance(value, bytes | bytearray | memoryview) else b""
