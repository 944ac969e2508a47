"""Care of the vector cache: merges small files, describes the contents, removes vectors that no index needs."""

import shutil
import time
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from hub_index.embedding.cache.cache_files import (
    BATCH_PREFIX,
    MERGED_PREFIX,
    TEMP_PREFIX,
    VectorTable,
    list_files,
    read_footer,
    read_hashes,
    read_table,
    space_folder,
    write_table,
)

MERGE_BYTES = 32 * 1000 * 1000  # of files that are merged in one go: it takes four times as much memory
SPARED_S = 3600.0  # a file of the last hour may belong to a build that is under way


@dataclass(frozen=True, slots=True)
class SpaceInfo:
    """One embedding space's share of the cache; a vector that two files hold is counted twice until they merge."""

    space: str
    model_id: str
    dim: int
    vectors: int
    files: int
    size_bytes: int
    newest: float  # seconds since the epoch


@dataclass(frozen=True, slots=True)
class CacheInfo:
    """The contents of a cache folder."""

    folder: Path
    size_bytes: int
    torn_files: int
    spaces: tuple[SpaceInfo, ...]


@dataclass(frozen=True, slots=True)
class PruneOutcome:
    """The bytes that pruning has freed and left."""

    freed_bytes: int
    left_bytes: int


def merge_space(folder: Path, space: str, in_memory: Mapping[Path, VectorTable]) -> None:
    """Merges a space's small files, a few at a time; those that are in memory are not read."""
    home = space_folder(folder, space)
    for group in _groups(plan_merge(home)):
        merge_files(home, space, group, in_memory=in_memory)


def _groups(paths: Iterable[Path]) -> Iterator[list[Path]]:
    """The files in groups that are worth merging and small enough for it."""
    group: list[Path] = []
    weight = 0
    for path in paths:
        size = _size(path)
        if len(group) > 1 and weight + size > MERGE_BYTES:
            yield group
            group, weight = [], 0
        group.append(path)
        weight += size
    if len(group) > 1:
        yield group


def plan_merge(home: Path) -> list[Path]:
    """The files worth merging, smallest first: all batches, and each merged file up to twice what is chosen so far.

    So a vector is written again once per doubling of the cache, and a space has few files.
    """
    sizes = sorted((_size(path), path) for path in list_files(home))
    batches = [path for _, path in sizes if path.name.startswith(BATCH_PREFIX)]
    chosen = batches
    weight = sum(size for size, path in sizes if path in set(batches))
    for size, path in sizes:
        if path.name.startswith(MERGED_PREFIX) and size <= 2 * weight:
            chosen.append(path)
            weight += size
    return chosen if len(chosen) > 1 else []


def merge_files(
    home: Path,
    space: str,
    paths: Iterable[Path],
    *,
    keep: Collection[str] | None = None,
    in_memory: Mapping[Path, VectorTable] | None = None,
) -> None:
    """Writes the files' rows (or those to keep) into one new file per length, then removes the old ones.

    Torn files are removed once no build can be writing them any more.
    """
    tables: dict[Path, VectorTable | None] = {}
    for path in paths:
        try:
            tables[path] = (in_memory or {}).get(path) or read_table(path, space)
        except FileNotFoundError:
            continue  # another builder has merged it
    sound = [table for table in tables.values() if table is not None]
    for dim in sorted({table.rows.shape[1] for table in sound}):
        merged = VectorTable.joined([table for table in sound if table.rows.shape[1] == dim], keep)
        if merged.hashes:
            write_table(home, MERGED_PREFIX, space, merged)
    for path, table in tables.items():
        if path.is_file() and (table is not None or not _is_recent(path)):
            path.unlink(missing_ok=True)


def forget_rows(folder: Path, space: str, hashes: frozenset[str]) -> None:
    """Writes every file that holds one of these texts' vectors again without them."""
    home = space_folder(folder, space)
    held: dict[Path, set[str]] = {}
    for path in list_files(home):
        with suppress(FileNotFoundError):  # another builder has merged it
            held[path] = read_hashes(path, space, None)
    touched = [path for path, held_hashes in held.items() if not hashes.isdisjoint(held_hashes)]
    merge_files(home, space, touched, keep=frozenset().union(*held.values()) - hashes)


def read_info(folder: Path) -> CacheInfo:
    """The contents of the folder, by the files' footers."""
    torn = 0
    spaces: list[SpaceInfo] = []
    for home in _homes(folder):
        space = f"sha256:{home.name}"
        footers = {path: read_footer(path, space) for path in list_files(home)}
        sound = [footer for footer in footers.values() if footer is not None]
        torn += len(footers) - len(sound)
        spaces.append(
            SpaceInfo(
                space=space,
                model_id=next((footer.model_id for footer in sound if footer.model_id), ""),
                dim=sound[0].dim if sound else 0,
                vectors=sum(footer.count for footer in sound),
                files=len(footers),
                size_bytes=_folder_size(home),
                newest=max((_changed(path) for path in footers), default=0.0),
            )
        )
    return CacheInfo(folder, sum(space.size_bytes for space in spaces), torn, tuple(spaces))


def prune_cache(folder: Path, keep: Mapping[str, Collection[str]]) -> PruneOutcome:
    """Removes every vector but those of `keep` ({space: text hashes}); batches of the last hour stay."""
    before = sum(_folder_size(home) for home in _homes(folder))
    for home in _homes(folder):
        space = f"sha256:{home.name}"
        for path in home.glob(f"{TEMP_PREFIX}*"):
            if not _is_recent(path):
                path.unlink(missing_ok=True)
        paths = [path for path in list_files(home) if not (path.name.startswith(BATCH_PREFIX) and _is_recent(path))]
        merge_files(home, space, paths, keep=frozenset(keep.get(space, ())))
        if not any(home.iterdir()):
            shutil.rmtree(home, ignore_errors=True)
    left = sum(_folder_size(home) for home in _homes(folder))
    return PruneOutcome(freed_bytes=max(0, before - left), left_bytes=left)


def _homes(folder: Path) -> Iterator[Path]:
    root = folder / "vectors"
    if root.is_dir():
        yield from sorted(home for home in root.iterdir() if home.is_dir() and len(home.name) == 64)


def _folder_size(home: Path) -> int:
    return sum(_size(path) for path in home.iterdir())


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def _changed(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except FileNotFoundError:
        return 0.0


def _is_recent(path: Path) -> bool:
    return time.time() - _changed(path) < SPARED_S
