"""One loaded model: text → tokens → the model's output. One text per run, one thread per run: the same bits always.

onnxruntime and tokenizers are imported when a model is loaded: they take 0.3 s.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from hub_index.base.characters import short_line
from hub_index.embedding.onnx.model_folder import MODEL_FILE, TOKENIZER_FILE, CheckedFolder, ModelFolder
from hub_index.errors import ConfigError, ProviderBrokePromise
from hub_index.limits import MAX_MODEL_CHARS
from hub_index.settings import DEVICE_VARIABLE

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_FATAL_ONLY = 4  # onnxruntime writes to stderr by itself; what matters is raised
_REASON_CHARS = 160
_INPUTS = ("input_ids", "attention_mask", "token_type_ids", "position_ids")

CPU = "CPUExecutionProvider"
GPUS = {"CUDAExecutionProvider": "CUDA", "CoreMLExecutionProvider": "CoreML", "DmlExecutionProvider": "DirectML"}
_INSTALL = "pip install onnxruntime-gpu for CUDA, onnxruntime-directml on Windows, onnxruntime on a Mac for CoreML"


class OnnxSession:
    """A model and its tokenizer, loaded from checked files. Threads may share it. Raises ConfigError."""

    def __init__(self, checked: CheckedFolder, device: str) -> None:
        folder = checked.folder
        self.folder = folder
        self.tokenizer = load_tokenizer(folder)
        self._session = _open_session(folder, device)
        self.note = describe_fallback(device, self._session.get_providers())
        self._inputs = {entry.name: entry.type for entry in self._session.get_inputs()}
        unknown = sorted(set(self._inputs) - set(_INPUTS))
        if "input_ids" not in self._inputs or unknown:
            asks = ", ".join(unknown) or "no input_ids"
            raise ConfigError(f"{folder.path / MODEL_FILE} is not a text model: it asks for {asks}")
        self.outputs: list[tuple[str, int, int | None]] = [_describe(output) for output in self._session.get_outputs()]
        self._check_tokenizer()
        checked.check_unchanged()

    def encode(self, text: str, pair: str | None = None) -> Any:
        """The tokens of a text, or of two that are read together, cut to what the model takes."""
        texts = [readable(part) for part in ((text,) if pair is None else (text, pair))]
        return self.tokenizer.encode(*texts)

    def run(self, encoded: Any, output: str) -> "NDArray[np.float64]":
        """One output of the model for one text. Raises ProviderBrokePromise."""
        return self._run(encoded.ids, encoded.type_ids, output)

    def _run(self, ids: Sequence[int], types: Sequence[int], output: str) -> "NDArray[np.float64]":
        import numpy as np

        values = {
            "input_ids": ids,
            "attention_mask": [1] * len(ids),
            "token_type_ids": types,
            "position_ids": range(len(ids)),
        }
        feed = {
            name: np.array([values[name]], dtype=np.int32 if kind == "tensor(int32)" else np.int64)
            for name, kind in self._inputs.items()
        }
        try:
            (answer,) = self._session.run([output], feed)
        except Exception as error:  # onnxruntime's errors have no common base class
            reason = short_line(str(error), _REASON_CHARS)
            raise ProviderBrokePromise(
                f"onnx:{self.folder.name} cannot read its tokens ({reason}); is {TOKENIZER_FILE} the model's own?"
            ) from None
        return np.asarray(answer, dtype=np.float64)

    def _check_tokenizer(self) -> None:
        """Raises ConfigError if the tokenizer knows more pieces than the model."""
        last = self.tokenizer.get_vocab_size(with_added_tokens=True) - 1
        try:
            self._run([max(0, last)], [0], self.outputs[0][0])
        except ProviderBrokePromise as error:
            raise ConfigError(f"{self.folder.path}: {error}") from None


def load_tokenizer(folder: ModelFolder) -> Any:
    """The folder's tokenizer, which cuts texts to the model's length and never pads. Raises ConfigError."""
    try:
        import tokenizers
    except ModuleNotFoundError as error:
        raise _missing(error) from error
    path = folder.path / TOKENIZER_FILE
    try:
        tokenizer: Any = tokenizers.Tokenizer.from_str(path.read_text("utf-8"))
        tokenizer.no_padding()
        tokenizer.enable_truncation(folder.settings.max_tokens)
    except Exception as error:  # the library raises plain Exception
        raise ConfigError(f"{path} is not a tokenizer: {short_line(str(error), _REASON_CHARS)}") from None
    return tokenizer


def readable(text: str) -> str:
    """The text for a model: cut at the cap, half characters replaced."""
    return text[:MAX_MODEL_CHARS].encode("utf-8", "replace").decode()


def _open_session(folder: ModelFolder, device: str) -> Any:
    try:
        import onnxruntime
    except ModuleNotFoundError as error:
        raise _missing(error) from error
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1  # texts run side by side instead
    options.log_severity_level = _FATAL_ONLY
    providers = plan_providers(device, onnxruntime.get_available_providers())
    path = folder.path / MODEL_FILE
    try:
        session: Any = onnxruntime.InferenceSession(str(path), options, providers=providers)
    except Exception as error:  # see above
        raise ConfigError(
            f"{path} cannot be loaded: {short_line(str(error), _REASON_CHARS)}; is it a whole ONNX model?"
        ) from None
    if device == "gpu" and not any(name in GPUS for name in session.get_providers()):
        raise no_gpu(f"onnxruntime could not start {GPUS[providers[0]]}")  # it then takes the processor silently
    return session


def _describe(output: Any) -> tuple[str, int, int | None]:
    """An output's name, how many axes it has (0: not known), and its last length where that is fixed."""
    shape = output.shape or []
    last = shape[-1] if shape else None
    return output.name, len(shape), last if isinstance(last, int) else None


def _missing(error: ModuleNotFoundError) -> ConfigError:
    return ConfigError(f"{error.name} is not installed: pip install 'hub-index[onnx]'")


def plan_providers(device: str, offered: Sequence[str]) -> list[str]:
    """The providers of a session, best first. Raises ConfigError if `gpu` is asked for and there is none."""
    gpus = [name for name in GPUS if name in offered]
    if device == "cpu" or (device == "auto" and not gpus):
        return [CPU]
    if not gpus:
        raise no_gpu("the installed onnxruntime knows none")
    return [gpus[0], CPU]


def no_gpu(reason: str) -> ConfigError:
    """The error for a GPU that cannot be used."""
    return ConfigError(
        f"there is no GPU for the model: {reason}. {_INSTALL}; or run it on the processor with --device cpu "
        f"({DEVICE_VARIABLE})"
    )


def describe_fallback(device: str, used: Sequence[str]) -> str:
    """A notice that `auto` chose the processor; empty otherwise."""
    if device != "auto" or any(name in GPUS for name in used):
        return ""
    return "runs on the processor, because onnxruntime found no GPU; to silence this, pass --device cpu"
