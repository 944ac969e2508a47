"""A hub's row in the table of hubs: the names of its tables, and the source of their contents."""

from __future__ import annotations

from dataclasses import dataclass

from hub_index.index.format.manifest import encode_manifest
from hub_index.postgres.tables import CONTENT_VERSION, HubTables

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from hub_index.postgres.connection import Connection
    from hub_index.postgres.index_source import StoreSource


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
