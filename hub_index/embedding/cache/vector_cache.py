"""The vector cache: a paid vector is never requested again.

A folder per space; in it a Parquet file per batch, put in place by a rename, and at the end of a build one merged file.
Nothing is locked: a file never changes once it has its name, a merge removes only files that it has read and written
again, and a reader that misses a file lists the folder again. A torn or foreign file is skipped. A full or read-only
disk does not stop a build: `problem` says what went wrong, and the build goes on.

Light to import: numpy and pyarrow are loaded by the first look-up.
"""

import os
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from hub_index.base.file_permissions import who_else_may_write
from hub_index.base.install_hint import install_hint
from hub_index.errors import ConfigError
from hub_index.settings import CACHE_VARIABLE, Settings

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from hub_index.embedding.cache.cache_files import VectorTable

OWN_BYTES = 16 * 1024 * 1024  # of our own batches that stay in memory for the merge
LOOKS = 5  # listings of one look-up: a merge under way makes a second one necessary, never a fifth


def open_cache(asked: Path | None, settings: Settings, *, write_only: bool) -> "VectorCache":
    """The cache that the user names (--cache, the environment), else the default one.

    Its vectors are published without being computed again. So if other users may write there, a named folder (one that
    is mounted into a container, say) is used with a notice, and the default one not at all.
    """
    cache = VectorCache(asked or settings.cache_dir, write_only=write_only)
    if settings.no_cache and asked is None:
        cache.is_shut = True
        return cache
    if reason := _who_else_may_write(cache.folder):
        cache.is_shut = asked is None and not settings.cache_is_named
        use = (
            f"is not used: {reason}; run `chmod -R go-w` on it if it is yours, or name it in {CACHE_VARIABLE}"
            if cache.is_shut
            else f"is used because you named it, although others may have changed its vectors: {reason}"
        )
        cache.notice = f"the vector cache {cache.folder} {use}"
    return cache


def _who_else_may_write(folder: Path) -> str:
    """Why others may have changed a vector of the cache; empty if only we can have."""
    if reason := who_else_may_write(folder):
        return reason
    for parent, folders, names in os.walk(folder / "vectors"):
        for path in (parent, *(os.path.join(parent, name) for name in folders + names)):
            if reason := who_else_may_write(path):
                return f"{os.path.relpath(path, folder)}: {reason}"
    return ""


class VectorCache:
    """Vectors by (space, text_hash) in a folder; `write_only` never looks anything up (build --force)."""

    def __init__(self, folder: Path, *, write_only: bool = False) -> None:
        self.folder = folder
        self.write_only = write_only
        self.is_shut = False  # neither read nor written
        self.notice = ""
        self.problem: str | None = None
        self._own: dict[Path, VectorTable] = {}  # written by us and still in memory, so that a merge need not read them

    def read_vectors(self, space: str, hashes: Iterable[str], dim: int | None) -> "dict[str, NDArray[np.float32]]":
        """The cached vectors of these texts, all of one length."""
        wanted = set(hashes)
        vectors: dict[str, NDArray[np.float32]] = {}
        read_matching = _import("cache_files").read_matching

        def take(path: Path) -> None:
            length = next((len(row) for row in vectors.values()), dim)
            vectors.update(read_matching(path, space, wanted - vectors.keys(), length))

        self._visit(space, take)
        return vectors

    def read_held(self, space: str, hashes: Iterable[str], dim: int | None) -> set[str]:
        """The hashes of those texts whose vectors are cached; quicker than reading the vectors."""
        held: set[str] = set()
        read_hashes = _import("cache_files").read_hashes
        self._visit(space, lambda path: held.update(read_hashes(path, space, dim)))
        return held.intersection(hashes)

    def _visit(self, space: str, take: Callable[[Path], None]) -> None:
        """Calls `take` with every file of a space, and lists again where a merge has removed one meanwhile."""
        if self.write_only or self.is_shut:
            return
        files = _import("cache_files")
        seen: set[Path] = set()
        for _ in range(LOOKS):
            vanished = False
            for path in files.list_files(files.space_folder(self.folder, space)):
                if path in seen:
                    continue
                seen.add(path)
                try:
                    take(path)
                except FileNotFoundError:
                    vanished = True  # its rows are now in a file that did not exist when we listed
            if not vanished:
                return

    def add(self, space: str, rows: "Mapping[str, NDArray[np.float32]]", model_id: str = "") -> int:
        """The number of vectors now kept of a batch, in a new file: all or none."""
        if self.problem is not None or self.is_shut or not rows:
            return 0
        files = _import("cache_files")
        try:
            table = files.VectorTable.of(rows, model_id)
            path = files.write_table(files.space_folder(self.folder, space), files.BATCH_PREFIX, space, table)
            if len(self._own) * table.rows.nbytes < OWN_BYTES:
                self._own[path] = table
        except OSError as error:
            self.problem = f"vectors are not kept: the cache {self.folder} cannot be written ({error.strerror})"
            return 0
        return len(rows)

    def forget(self, space: str, hashes: Iterable[str]) -> None:
        """Removes the vectors of these texts, also those written by other builds."""
        if self.is_shut:
            return
        try:
            _import("cache_care").forget_rows(self.folder, space, frozenset(hashes))
        except OSError as error:
            self.problem = f"wrong vectors stay in the cache {self.folder}, which cannot be written ({error.strerror})"

    def merge(self, space: str) -> None:
        """Makes one file of a space's small ones; a large one is left alone until they are half its size."""
        if self.problem is not None or self.is_shut:
            return
        try:
            _import("cache_care").merge_space(self.folder, space, self._own)
            self._own.clear()
            _import("cache_files").give_back_buffers()
        except OSError as error:
            self.problem = f"the vector cache {self.folder} cannot be merged ({error.strerror})"


def _import(name: str) -> ModuleType:
    try:
        return import_module(f"hub_index.embedding.cache.{name}")
    except ModuleNotFoundError as error:
        raise ConfigError(f"the vector cache needs pyarrow: {install_hint('build')}") from error
