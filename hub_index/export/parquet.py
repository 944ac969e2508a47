"""An index → Parquet for other programs: a file for each part, records and vectors side by side, written whole.

The folder is made beside its place and put there in one step; an earlier export is replaced, a stranger's folder never.
One part is in memory at a time. pyarrow when called.
"""

import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING

from hub_index.base.install_hint import install_hint
from hub_index.errors import ConfigError, PublishError
from hub_index.hub.record_file import record_type
from hub_index.index.folder.disk import exchange_names
from hub_index.index.folder.open_folder import IndexFolder
from hub_index.index.folder.reading import read_files
from hub_index.index.format.manifest import decode_manifest
from hub_index.index.format.records import decode_records
from hub_index.index.format.sections import SectionContent, load, pair_sections
from hub_index.index.format.vectors import check_rows
from hub_index.models import Manifest
from hub_index.record import Record

if TYPE_CHECKING:
    import pyarrow as pa

_FILE = "skills.parquet"
_MARK = "_hub_index_export"  # an empty file by which the next export knows its own; readers skip names with _
_ROWS_PER_GROUP = 8_192
_TEXTS = ("id", "path", "name", "description", "lang", "text_hash", "updated_at")


@dataclass(frozen=True, slots=True)
class ParquetExport:
    """The result of an export."""

    folder: Path
    rows: int
    files: int


def export_parquet(index_dir: IndexFolder, folder: Path) -> ParquetExport:
    """Writes an index as `part=b<bits>/skills.parquet`, a folder for each part; format 1 as one file.

    Raises IndexUnusable, ConfigError for a folder that holds anything else, PublishError if it cannot be written.
    """
    check_target(folder)
    files = read_files(index_dir)
    manifest = decode_manifest(files.manifest)
    sections = pair_sections(manifest, files)
    folder = Path(os.path.abspath(folder))
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        staged = Path(mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
        try:
            rows = sum(_write_section(staged, section, manifest) for section in sections)
            (staged / _MARK).touch()
            staged.chmod(0o777 & ~_umask())
            _put(staged, folder)
        finally:
            shutil.rmtree(staged, ignore_errors=True)
    except OSError as error:
        raise PublishError(
            f"{folder}: cannot be written ({error.strerror or error}); free space or change rights, then run again"
        ) from error
    return ParquetExport(folder, rows, len(sections))


def check_target(folder: Path) -> None:
    """Raises ConfigError for a folder that an export must not replace."""
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise ConfigError(f"{folder} is not a separate folder: name a new one")
    if folder.is_dir() and os.listdir(folder) and not (folder / _MARK).is_file():
        raise ConfigError(f"{folder} holds files that are not an earlier export: name a new folder")


def _put(staged: Path, folder: Path) -> None:
    """Puts the new folder in its place; what was there is removed with the staged one."""
    if folder.exists() and exchange_names(staged, folder):
        return
    if folder.exists():  # a system without exchange
        shutil.rmtree(folder)
    staged.rename(folder)


def _write_section(staged: Path, section: SectionContent, manifest: Manifest) -> int:
    try:
        import pyarrow.parquet as pq
    except ModuleNotFoundError as error:
        raise ConfigError(f"Parquet needs pyarrow: {install_hint('build')}") from error
    facts = section.facts
    skills = load(section.skills)
    records = decode_records(skills, skills.count(b"\n"), facts)
    vectors = load(section.vectors)
    check_rows(vectors, manifest, facts.vector_file)
    place = staged / f"part=b{facts.number:0{facts.width}b}" if facts.width else staged  # part=010 is read as ten
    place.mkdir(exist_ok=True)
    table = _table(records, vectors, manifest)
    pq.write_table(table, place / _FILE, compression="zstd", row_group_size=_ROWS_PER_GROUP, store_schema=True)
    return len(records)


def _table(records: tuple[Record, ...], vectors: bytes, manifest: Manifest) -> "pa.Table":
    import numpy as np
    import pyarrow as pa

    columns = {name: pa.array([getattr(record, name) for record in records], pa.string()) for name in _TEXTS}
    types = [record_type(record.id, record.path) for record in records]
    columns["type"] = pa.array(types, pa.string())
    columns["keywords"] = pa.array([list(record.keywords) for record in records], pa.list_(pa.string()))
    numbers = pa.array(np.frombuffer(vectors, dtype="<f4"), pa.float32())
    columns["vector"] = pa.FixedSizeListArray.from_arrays(numbers, manifest.dim)
    facts = ("model_id", "space", "dim", "normalize", "hub_revision", "created_at", "constant_part")
    metadata = {
        f"hub_index.{name}": str(getattr(manifest, name)) for name in facts if getattr(manifest, name) is not None
    }
    return pa.table(columns).replace_schema_metadata(metadata)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
