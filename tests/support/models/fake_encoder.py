"""The one fake of the tests: an encoder whose vectors follow from the text alone, and which counts its calls."""

import hashlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hub_index.embedding.encoder import TokenCount


class FakeEncoder:
    """Unit vectors seeded by the text's hash; `noise` makes every call answer a little differently."""

    def __init__(self, model: str = "fake:one", dim: int = 8, *, noise: bool = False) -> None:
        self.model_id = model
        self.space = "sha256:" + hashlib.sha256(f"{model} {dim}".encode()).hexdigest()
        self.dim: int | None = dim
        self.batch_size = 4
        self.concurrency = 2
        self.texts: list[str] = []  # every text that was ever asked for
        self._width = dim
        self._noise = noise

    def vector(self, text: str) -> NDArray[np.float32]:
        """The vector of a text."""
        seed = int.from_bytes(hashlib.sha256(f"{self.model_id} {text}".encode()).digest()[:8], "little")
        if self._noise:
            seed += len(self.texts)
        row = np.random.default_rng(seed).normal(size=self._width)
        return (row / np.linalg.norm(row)).astype(np.float32)

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.texts.extend(texts)
        return np.stack([self.vector(text) for text in texts])

    def embed_query(self, text: str) -> NDArray[np.float32]:
        return self.vector(text)

    def count_tokens(self, texts: Sequence[str]) -> TokenCount:
        return TokenCount(sum(len(text.split()) for text in texts), exact=True)

    def as_read(self, text: str) -> str:
        return text

    def close(self) -> None:
        """Nothing to let go of."""
