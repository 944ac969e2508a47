"""A verified index and its checkout → the contents for a database: facts, a key for every row, documents on request.

A row's key is a digest of its record's line, its body's source (git's blob) and its vector: equal keys are equal rows,
and only others are sent. Ids fall into buckets, whose sums show which rows to compare.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from hashlib import sha256

import numpy as np
from numpy.typing import NDArray

from hub_index.base.safe_open import RootedPath, rooted
from hub_index.errors import IndexChanging
from hub_index.search.lexical.cache.documents import DocumentSource, prepare_rows
from hub_index.search.lexical.cache.entry import KIND
from hub_index.search.lexical.cache.reusable_documents import KnownDocuments, list_entries
from hub_index.search.lexical.preparing import KEY_BYTES as BODY_KEY_BYTES
from hub_index.search.lexical.preparing import task_content
from hub_index.search.places.document_sources import published_source
from hub_index.search.places.signed_manifest import read_signed
from hub_index.search.places.verified_records import read_published
from hub_index.search.places.verified_vectors import read_vectors
from hub_index.settings import find_allowed_signers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from hub_index.models import Manifest
    from hub_index.search.lexical.prepared import PreparedDocument
    from hub_index.search.places.skill_lines import SkillLines

KEY_BYTES = 16
BODY_KEY = slice(BODY_KEY_BYTES, None)  # of a document's key: what its body was made of
BUCKETS = 32_768  # at a million skills some 30 rows each: an update reads all rows of the buckets that it touches
_BATCH = 2_000
_TRIES = 3


@dataclass(frozen=True, slots=True)
class StoreRow:
    """One skill as a database holds it."""

    id: str
    key: bytes
    bucket: int
    document: PreparedDocument
    vector: NDArray[np.float32]
    text: bytes = b""  # the skill's own file, where there is a checkout


class StoreSource:
    """The rows of one verified set, by their place among the sorted ids."""

    def __init__(self, manifest: Manifest, skills_digest: str, lines: SkillLines, documents: DocumentSource) -> None:
        self.manifest = manifest
        self.skills_digest = skills_digest
        self.ids = lines.ids
        self._keys = bytearray()  # of all rows, one behind the other
        self.buckets = find_buckets(lines.ids)
        self.vectors: NDArray[np.float32] = np.zeros((0, 0), dtype=np.float32)
        self.differing: list[str] = []  # ids of rows whose own file was read and is not what git's index names
        self._documents = documents
        self._cache = ""
        self._sums = b""

    def hold(self, vectors: NDArray[np.float32], cache: str) -> StoreSource:
        """With its vectors, which the keys are also made of."""
        self.vectors, self._cache = vectors, cache
        pairs = zip(self._documents.keys, vectors, strict=True)
        self._keys = bytearray().join([_row_key(key, row) for key, row in pairs])
        return self

    def key(self, row: int) -> bytes:
        """The key of this row; equal only for equal rows."""
        return bytes(self._keys[KEY_BYTES * row : KEY_BYTES * (row + 1)])

    def set_key(self, row: int, key: bytes) -> None:
        """Another key for a row."""
        self._keys[KEY_BYTES * row : KEY_BYTES * (row + 1)] = key
        self._sums = b""

    def sums(self) -> bytes:
        """For each bucket one number that changes with any of its rows."""
        self._sums = self._sums or sum_buckets(self.buckets, self._keys)
        return self._sums

    def read(self, rows: Sequence[int]) -> Iterator[StoreRow]:
        """The rows with their documents: from the lexical cache where they are there, else tokenised now."""
        stored = KnownDocuments(self._documents, rows, list_entries(os.path.join(self._cache, KIND)))
        for start in range(0, len(rows), _BATCH):
            batch = rows[start : start + _BATCH]
            documents = stored.read(batch)
            missing = [row for row in batch if row not in documents]
            prepared = zip(missing, prepare_rows(self._documents, missing), strict=True)
            documents |= {row: document for row, document in prepared if document is not None}
            for row in batch:
                document = documents[row]
                key = _row_key(document.key, self.vectors[row])
                text = task_content(self._documents.task(row), document.key[BODY_KEY])
                if key != self.key(row):  # the file differs from git's blob: the key is that of the bytes read
                    self.set_key(row, key)
                    self.differing += [self.ids[row]] if text else []
                vector = self.vectors[row]
                yield StoreRow(self.ids[row], key, int(self.buckets[row]), document.prepared, vector, text)


def open_source(index_dir: str | RootedPath, hub: str, home: str, cache: str) -> StoreSource:
    """One verified set; where the user has allowed signers, a signed one. Raises IndexUnusable, ConfigError."""
    folder, signers = rooted(index_dir), find_allowed_signers(home)
    for _ in range(_TRIES):
        published = read_published(folder, cache)
        vectors = read_vectors(folder, cache, whole=True)
        if vectors.skills_sha256 != published.skills_sha256:
            continue
        if signers:
            read_signed(folder, published.skills_sha256, signers, cache)
        lines = published.read_lines(cache)
        documents = published_source(lines, hub if os.path.isdir(hub) else "", cache)
        source = StoreSource(vectors.manifest, published.skills_sha256, lines, documents)
        return source.hold(vectors.matrix, cache)
    raise IndexChanging(f"{folder}: the index is being changed right now; try again in a moment")


def _row_key(document: bytes, vector: NDArray[np.float32]) -> bytes:
    return sha256(document + vector.tobytes()).digest()[:KEY_BYTES]


def bucket_of(id_: str) -> int:
    """The bucket of an id."""
    return int.from_bytes(sha256(id_.encode("utf-8", "surrogateescape")).digest()[:2], "big") % BUCKETS


def find_buckets(ids: Sequence[str]) -> NDArray[np.int64]:
    """The buckets of all ids, as an array: every update looks through all of them."""
    return np.fromiter(map(bucket_of, ids), dtype=np.int64, count=len(ids))


def sum_buckets(buckets: NDArray[np.int64], keys: bytearray) -> bytes:
    """The keys of each bucket, joined so that their order does not matter."""
    sums = np.zeros(BUCKETS, dtype="<u8")
    numbers = np.frombuffer(keys, dtype="<u8")[:: KEY_BYTES // 8]  # the first 8 bytes of each key
    np.add.at(sums, buckets, numbers)
    return sums.tobytes()
