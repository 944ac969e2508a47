"""The previous page's parts for the next one: rows, basis and axes; none of them if a digest does not fit."""

import gzip
import json
import zlib
from hashlib import sha256
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hub_index.base.safe_open import read_regular
from hub_index.page.data.data_file import PreviousData, decode_floats
from hub_index.page.page_folder import read_listing

KEPT_FILES = ("data/ids.bin", "data/basis.bin", "data/axes.bin")
_MAX_FILE_BYTES = 64 * 1024 * 1024
_DIM = 512


def read_previous(folder: Path) -> PreviousData:
    """The kept parts of the page in that folder; a damaged page leaves nothing, and the next is made from nothing."""
    ids = _read(folder, "data/ids.bin")
    rows = json.loads(ids) if ids else []
    if not isinstance(rows, list) or not all(isinstance(id_, str) for id_ in rows):
        return PreviousData()
    return PreviousData(tuple(rows), _matrix(folder, "basis"), _matrix(folder, "axes"))


def _matrix(folder: Path, name: str) -> NDArray[np.float32] | None:
    content = _read(folder, f"data/{name}.bin")
    if not content:
        return None
    floats = decode_floats(content, name)
    is_sound = floats is not None and floats.size % _DIM == 0 and bool(np.isfinite(floats).all())
    return floats.reshape(_DIM, -1) if floats is not None and is_sound else None


def _read(folder: Path, name: str) -> bytes:
    try:
        stored = read_regular(str(folder / name), _MAX_FILE_BYTES)
        if read_listing(folder).get(name) != sha256(stored).hexdigest():
            return b""
        return gzip.decompress(stored)
    except (OSError, EOFError, zlib.error):
        return b""
