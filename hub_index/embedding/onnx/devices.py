"""The device of a model: the processor, or a GPU that the installed onnxruntime knows."""

from collections.abc import Sequence

from hub_index.errors import ConfigError
from hub_index.settings import DEVICE_VARIABLE

CPU = "CPUExecutionProvider"
GPUS = {"CUDAExecutionProvider": "CUDA", "CoreMLExecutionProvider": "CoreML", "DmlExecutionProvider": "DirectML"}
_INSTALL = "pip install onnxruntime-gpu for CUDA, onnxruntime-directml on Windows, onnxruntime on a Mac for CoreML"


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
