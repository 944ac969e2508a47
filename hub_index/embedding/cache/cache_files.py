"""One Parquet file of the vector cache ↔ a table of hashes and vectors; pages carry checksums, rows are checked.

Measured on 20,000 × 512 (zstd, byte-stream split): see benchmarks/bench_providers.py.
"""

import os
import uuid
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from hub_index.base.file_permissions import make_private_folder, open_private_file
from hub_index.limits import MAX_DIM, NORM_TOLERANCE

Rows = NDArray[np.float32]

BATCH_PREFIX = "batch-"
MERGED_PREFIX = "merged-"
TEMP_PREFIX = ".tmp-"
SUFFIX = ".parquet"
# what pyarrow raises for a damaged Parquet file
UNSOUND = (pa.ArrowException, OSError, ValueError, TypeError)
ROWS_PER_GROUP = 4096  # a look-up decodes only the groups that hold a wanted row: 8 MB each at 512 dimensions


def give_back_buffers() -> None:
    """Hands to the system what pyarrow keeps of buffers that it no longer needs: some 100 MB after a large merge."""
    pa.default_memory_pool().release_unused()


@dataclass(frozen=True, slots=True)
class VectorTable:
    """Some vectors and the hashes of their texts."""

    hashes: Sequence[str]
    rows: Rows
    model_id: str = ""

    @staticmethod
    def of(rows: Mapping[str, Rows], model_id: str) -> "VectorTable":
        """The table of a batch."""
        return VectorTable(tuple(rows), np.stack(list(rows.values())), model_id)

    @staticmethod
    def joined(tables: "Sequence[VectorTable]", keep: Collection[str] | None) -> "VectorTable":
        """The rows of tables of one length: the first of each hash, and only those to keep."""
        hashes = [text_hash for table in tables for text_hash in table.hashes]
        first: dict[str, int] = {}
        for place, text_hash in enumerate(hashes):
            if keep is None or text_hash in keep:
                first.setdefault(text_hash, place)
        rows = np.concatenate([table.rows for table in tables])
        named = next((table.model_id for table in tables if table.model_id), "")
        return VectorTable(tuple(first), rows[list(first.values())], named)


def space_folder(folder: Path, space: str) -> Path:
    """The folder of a space's files, named after its digest."""
    return folder / "vectors" / space.removeprefix("sha256:")


def list_files(folder: Path) -> list[Path]:
    """The finished files of a space, by name."""
    try:
        names = os.listdir(folder)
    except (FileNotFoundError, NotADirectoryError):
        return []
    return [
        folder / name
        for name in sorted(names)
        if name.endswith(SUFFIX) and name.startswith((BATCH_PREFIX, MERGED_PREFIX))
    ]


def write_table(folder: Path, prefix: str, space: str, table: VectorTable) -> Path:
    """Writes a table to a new file, whole or not at all.

    A batch's file survives kill -9 as it is; waiting for the disk as well would cost a tenth of the throughput on a
    busy one. After a power cut it may be torn, which is noticed, and its batch is embedded again.
    """
    make_private_folder(folder)
    dim = table.rows.shape[1]
    digests = pa.array([bytes.fromhex(text_hash) for text_hash in table.hashes], pa.binary(32))
    vectors = pa.FixedSizeListArray.from_arrays(pa.array(table.rows.reshape(-1), pa.float32()), dim)
    names = {"hub_index.space": space, "hub_index.model_id": table.model_id}
    schema = pa.schema([("text_hash", pa.binary(32)), ("vector", pa.list_(pa.float32(), dim))], metadata=names)
    name = f"{prefix}{uuid.uuid4().hex}{SUFFIX}"
    temporary = folder / f"{TEMP_PREFIX}{name}"
    encoded = pa.BufferOutputStream()  # pyarrow would call a Python file for every few bytes
    pq.write_table(
        pa.table([digests, vectors], schema=schema),
        encoded,
        compression="zstd",
        compression_level=1,
        use_dictionary=False,
        write_statistics=False,
        column_encoding={"vector.list.element": "BYTE_STREAM_SPLIT", "text_hash": "PLAIN"},
        row_group_size=ROWS_PER_GROUP,
        write_page_checksum=True,
    )
    try:
        with open(temporary, "xb", opener=open_private_file) as file:
            file.write(encoded.getvalue())
            if prefix == MERGED_PREFIX:  # because the files that it replaces are removed next
                file.flush()
                os.fsync(file.fileno())
        os.rename(temporary, folder / name)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    return folder / name


def read_table(path: Path, space: str) -> VectorTable | None:
    """The whole file; None if it is torn or not of this space. Raises FileNotFoundError."""
    with _open_file(path, space) as parquet:
        if parquet is None:
            return None
        try:
            return _decode(parquet.read(use_threads=False), _model_id(parquet))
        except UNSOUND:
            return None


def read_matching(path: Path, space: str, wanted: Collection[str], dim: int | None) -> dict[str, Rows]:
    """The wanted rows of a file, as far as they are sound. Raises FileNotFoundError."""
    matching: dict[str, Rows] = {}
    with _open_file(path, space, dim) as parquet:
        if parquet is None or not wanted:
            return matching
        try:
            for group in range(parquet.num_row_groups):
                held = _hashes(parquet.read_row_group(group, ["text_hash"]))
                places = [place for place, text_hash in enumerate(held) if text_hash in wanted]
                if places:
                    rows = _decode(parquet.read_row_group(group), "").rows
                    norms = np.linalg.norm(rows[places].astype(np.float64), axis=1)
                    sound = np.abs(norms - 1.0) <= NORM_TOLERANCE
                    matching.update({held[p]: rows[p].copy() for p, good in zip(places, sound, strict=True) if good})
        except UNSOUND:
            return matching
    return matching


def read_hashes(path: Path, space: str, dim: int | None) -> set[str]:
    """The hashes whose vectors a file holds; none if it is torn. Raises FileNotFoundError."""
    with _open_file(path, space, dim) as parquet:
        try:
            return set() if parquet is None else set(_hashes(parquet.read(["text_hash"])))
        except UNSOUND:
            return set()


@dataclass(frozen=True, slots=True)
class FileFooter:
    """The footer of a file: facts about its vectors, known before it is read."""

    model_id: str
    dim: int
    count: int


def read_footer(path: Path, space: str) -> FileFooter | None:
    """The file's footer; None if it is torn. Raises FileNotFoundError."""
    with _open_file(path, space) as parquet:
        if parquet is None:
            return None
        dim = parquet.schema_arrow.field("vector").type.list_size
        return FileFooter(_model_id(parquet), dim, parquet.metadata.num_rows)


@contextmanager
def _open_file(path: Path, space: str, dim: int | None = None) -> Iterator[Any]:
    """The opened file, or None if it cannot be read or is not ours. Raises FileNotFoundError."""
    try:
        file = pa.OSFile(str(path), "rb")
    except FileNotFoundError:
        raise
    except OSError:
        yield None
        return
    with file:
        yield _open_parquet(file, space, dim)


def _open_parquet(file: Any, space: str, dim: int | None = None) -> Any:
    """The opened file, or None if it is not one of ours for this space and length."""
    try:
        parquet = pq.ParquetFile(file, page_checksum_verification=True)
        schema = parquet.schema_arrow
        length = schema.field("vector").type.list_size
        ours = schema.field("text_hash").type == pa.binary(32) and 0 < length <= MAX_DIM
        named = (schema.metadata or {}).get(b"hub_index.space", b"").decode("utf-8", "replace")
    except (*UNSOUND, KeyError, AttributeError):
        return None
    return parquet if ours and named == space and dim in (None, length) else None


def _decode(table: Any, model_id: str) -> VectorTable:
    hashes = _hashes(table)
    vectors = table.column("vector").combine_chunks()
    flat = np.asarray(vectors.flatten().to_numpy(zero_copy_only=False), dtype=np.float32)
    return VectorTable(hashes, flat.reshape(len(hashes), -1), model_id)


def _hashes(table: Any) -> list[str]:
    digests = table.column("text_hash").combine_chunks()
    packed = digests.buffers()[1].to_pybytes() if len(digests) else b""
    start = 32 * digests.offset
    return [packed[at : at + 32].hex() for at in range(start, start + 32 * len(digests), 32)]


def _model_id(parquet: Any) -> str:
    metadata = parquet.schema_arrow.metadata or {}
    named: str = metadata.get(b"hub_index.model_id", b"").decode("utf-8", "replace")
    return named
