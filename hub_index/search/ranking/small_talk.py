"""Small talk: what people say to an agent between two tasks, and tiny edits of the file at hand. No skill is for that.

`small_talk.txt` holds some 500 such prompts, in English, Chinese and four other languages, and no subject that a skill
could have. `small_talk.tokens` holds their tokens and `small_talk.i8` their vectors by the embedded model, a row of 512
bytes each; `python -m benchmarks.small_talk` makes both. A query near to one of the prompts, or without a word beyond
theirs, asks for no skill.
"""

import os
from functools import cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from hub_index.search.semantic.semantic import Vectors

DIM = 512
PROMPTS = os.path.join(os.path.dirname(__file__), "small_talk.txt")
TOKENS = os.path.join(os.path.dirname(__file__), "small_talk.tokens")
VECTORS = os.path.join(os.path.dirname(__file__), "small_talk.i8")


@cache
def read_vocabulary() -> frozenset[str]:
    """The tokens of all prompts."""
    with open(TOKENS, encoding="utf-8") as file:
        return frozenset(file.read().split())


def count_beyond(tokens: "Iterable[str]") -> int:
    """The number of tokens that are not heard in small talk."""
    vocabulary = read_vocabulary()
    return sum([token not in vocabulary for token in tokens])


def measure_nearness(vector: "Vectors") -> float:
    """The cosine of a query's vector and the nearest prompt; 0 for a vector of another length."""
    return float((_read_vectors() @ vector).max()) if len(vector) == DIM else 0.0


@cache
def _read_vectors() -> "Vectors":
    import numpy as np

    matrix = np.fromfile(VECTORS, dtype=np.int8).reshape(-1, DIM).astype(np.float32)
    unit: Vectors = matrix / np.linalg.norm(matrix, axis=1, keepdims=True)
    return unit
