"""Text → piece ids of the embedded model, exactly as sentencepiece cuts it, within a cap on time and memory.

Second step of the embedded model. Loading sentencepiece with 128,000 pieces takes 0.2 s, which is more than all the
rest of a cold query; short texts are therefore cut by `pure_tokenizer` on the mapped copy. Neither imports numpy.
"""

import threading
from pathlib import Path
from typing import Any

from hub_index.embedding.usem3.pure_tokenizer import PieceTable
from hub_index.errors import ConfigError
from hub_index.limits import MAX_MODEL_CHARS, MAX_MODEL_TOKENS

_UNKNOWN, _BEGIN, _END = 0, 1, 2
# Python cuts about 80 characters in a millisecond: from here on loading sentencepiece is faster.
_TABLE_CHARS = 6_000


class Tokenizer:
    """Cuts texts into pieces; several threads may share it."""

    def __init__(self, model: Path, table: PieceTable | None = None) -> None:
        self._model, self._table = model, table
        self._chars_left = _TABLE_CHARS
        self._lock = threading.Lock()
        self._processor: Any = None

    def encode_ids(self, text: str) -> list[int]:
        """The ids for the model: begin, at least one and at most MAX_MODEL_TOKENS pieces, end."""
        return [_BEGIN, *(self.encode_pieces(text) or [_UNKNOWN]), _END]

    def encode_pieces(self, text: str) -> list[int]:
        """The text's pieces, at most MAX_MODEL_TOKENS; none if the text is only white space."""
        text = clean_text(text)
        if self._table is not None and self._processor is None and len(text) <= self._chars_left:
            self._chars_left -= len(text)
            pieces = self._table.encode_pieces(text)
            if pieces is not None:
                return pieces[:MAX_MODEL_TOKENS]
        ids: list[int] = self.load().encode(text)
        return ids[:MAX_MODEL_TOKENS]

    def load(self) -> Any:
        """sentencepiece itself, loaded once."""
        with self._lock:
            if self._processor is None:
                self._processor = load_sentencepiece(self._model)
            return self._processor


def load_sentencepiece(model: Path) -> Any:
    """sentencepiece's own tokenizer on the wheel's vocabulary. Raises ConfigError."""
    try:
        from sentencepiece import SentencePieceProcessor
    except ImportError as error:
        raise ConfigError(f"sentencepiece cannot be imported ({error}): run `pip install sentencepiece`") from error
    try:
        return SentencePieceProcessor(model_file=str(model))
    except (OSError, RuntimeError) as error:
        raise ConfigError(f"sentencepiece refuses the embedded model's vocabulary: {error}") from error


def clean_text(text: str) -> str:
    """The text's first MAX_MODEL_CHARS characters, lone surrogates as U+FFFD: always UTF-8."""
    text = text[:MAX_MODEL_CHARS]
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text
