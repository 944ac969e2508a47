"""`OnnxEncoder`: a model in a folder behind the Encoder protocol. Loads when a first text comes."""

import hashlib
import json
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hub_index.embedding.encoder import TokenCount
from hub_index.embedding.onnx.model_folder import CheckedFolder, ModelFolder, check_folder, open_folder
from hub_index.embedding.onnx.session import OnnxSession, load_tokenizer, readable
from hub_index.embedding.threads import usable_cores
from hub_index.embedding.vector_checks import check_dim, describe_text
from hub_index.errors import ConfigError, ProviderBrokePromise
from hub_index.limits import MAX_MODEL_CHARS

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_BATCH_TEXTS = 32
_MIN_NORM = 1e-12  # a shorter vector's direction is rounding noise


_TOKENS, _SENTENCE = ("last_hidden_state", "token_embeddings"), ("sentence_embedding", "dense_vecs")


@dataclass(frozen=True, slots=True)
class _Loaded:
    session: OnnxSession
    output: str
    dim: int | None


class OnnxEncoder:
    """The model of a folder; `device` is auto, cpu or gpu. Threads may share it, and each runs one text at a time."""

    def __init__(self, path: Path, device: str = "auto", workers: int | None = None) -> None:
        self._folder: ModelFolder = open_folder(path)
        self._device = device
        self._workers = workers or usable_cores()
        self._lock = threading.Lock()
        self._loaded: _Loaded | None = None
        self._dim: int | None = None
        self.problem = ""  # what a maintainer should know about the device

    def __reduce__(self) -> tuple[type["OnnxEncoder"], tuple[Path, str, int]]:
        """A pickle holds where the folder is; a machine of a cluster needs it at the same place."""
        return OnnxEncoder, (self._folder.path, self._device, self._workers)

    @property
    def model_id(self) -> str:
        return f"onnx:{self._folder.name}"

    @property
    def dim(self) -> int | None:
        return self._dim

    @property
    def batch_size(self) -> int:
        return _BATCH_TEXTS

    @property
    def concurrency(self) -> int:
        return self._workers

    @cached_property
    def space(self) -> str:
        """Digest of the files and settings that decide a vector: not the folder, its name or the device.

        Raises ConfigError if a file is not the recorded one.
        """
        settings = self._folder.settings
        decides = {
            "kind": "onnx",
            "files": self._checked.digests,
            "pooling": settings.pooling or "mean",
            "prefixes": {"document": settings.passage_prefix, "query": settings.query_prefix},
            "cut": {"characters": MAX_MODEL_CHARS, "tokens": settings.max_tokens},
            "normalize": "l2",
        }
        canonical = json.dumps(decides, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
        return "sha256:" + hashlib.sha256(canonical.encode()).hexdigest()

    def embed_documents(self, texts: Sequence[str]) -> "NDArray[np.float32]":
        """A unit row per text, in order. Raises ConfigError, ProviderBrokePromise."""
        import numpy as np

        return np.stack([self._embed(self._folder.settings.passage_prefix + text, text) for text in texts])

    def embed_query(self, text: str) -> "NDArray[np.float32]":
        """The query's unit vector. Raises as above."""
        return self._embed(self._folder.settings.query_prefix + text, text)

    def count_tokens(self, texts: Sequence[str]) -> TokenCount:
        """Exactly the tokens that the model would read."""
        return TokenCount(sum(len(self.as_read(text)) for text in texts), exact=True)

    def as_read(self, text: str) -> tuple[int, ...]:
        """The text's tokens after the cut."""
        return tuple(self._tokenizer.encode(readable(self._folder.settings.passage_prefix + text)).ids)

    def close(self) -> None:
        """Lets go of the model; the next text loads it again."""
        with self._lock:
            self._loaded = None

    @cached_property
    def _checked(self) -> CheckedFolder:
        return check_folder(self._folder)

    @cached_property
    def _tokenizer(self) -> Any:
        return load_tokenizer(self._folder)

    def _load(self) -> _Loaded:
        with self._lock:
            if self._loaded is None:
                self._checked.check_unchanged()
                session = OnnxSession(self._checked, self._device)
                name, _, length = choose_output(session.outputs, self._folder.settings.pooling, str(self._folder.path))
                self._loaded = _Loaded(session, name, length)
                self.problem = f"{self.model_id} {session.note}" if session.note else ""
            return self._loaded

    def _embed(self, sent: str, text: str) -> "NDArray[np.float32]":
        import numpy as np

        loaded = self._load()
        answer = loaded.session.run(loaded.session.encode(sent), loaded.output)
        vector = pool(answer, self._folder.settings.pooling)
        norm = float(np.sqrt((vector * vector).sum()))
        if not (np.isfinite(norm) and norm > _MIN_NORM):
            raise ProviderBrokePromise(
                f"{self.model_id} gave a zero or not finite vector for {describe_text(text)}; nothing was stored"
            )
        check_dim(len(vector), self._dim or loaded.dim, self.model_id)
        self._dim = len(vector)
        row: NDArray[np.float32] = (vector / norm).astype(np.float32)
        return row


Output = tuple[str, int, "int | None"]  # name, axes, last length


def choose_output(outputs: Sequence[Output], pooling: str, where: str) -> Output:
    """The output that a pooling needs; without one the tokens', else the sentence's. Raises ConfigError."""
    tokens = _first(outputs, _TOKENS, axes=3)
    sentence = _first(outputs, _SENTENCE, axes=2)
    chosen = sentence if pooling == "none" else tokens
    if chosen is None and not pooling:
        chosen = sentence
    if chosen is None:
        kind = "a vector per text" if pooling == "none" else "vectors per token"
        given = ", ".join(name for name, _, _ in outputs)
        raise ConfigError(
            f"{where}: pooling {pooling or 'mean'} needs an output with {kind}, and there is only {given}"
        )
    return chosen


def pool(answer: "NDArray[np.float64]", pooling: str) -> "NDArray[np.float64]":
    """The vector of one text. Raises ProviderBrokePromise for an output of another form."""
    if answer.ndim == 2 and answer.shape[0] == 1:
        return answer[0]  # type: ignore[no-any-return]
    if answer.ndim != 3 or answer.shape[0] != 1 or not answer.shape[1]:
        raise ProviderBrokePromise(f"the model gave numbers in the form {answer.shape}, not vectors of one text")
    tokens = answer[0]
    if pooling == "cls":
        return tokens[0]  # type: ignore[no-any-return]
    if pooling == "last":
        return tokens[-1]  # type: ignore[no-any-return]
    return tokens.mean(axis=0)  # type: ignore[no-any-return]  # nothing is padded, so every token counts


def _first(outputs: Sequence[Output], names: Sequence[str], axes: int) -> Output | None:
    named = [output for name in names for output in outputs if output[0] == name and output[1] in (0, axes)]
    return next(iter([*named, *(output for output in outputs if output[1] == axes)]), None)
