"""A note if --device has no effect."""

import argparse

from hub_index.cli.terminal import notice


def say_device(arguments: argparse.Namespace, model: str) -> None:
    """Prints a note if --device gpu has no effect; the variable prints none, because it may be for other models."""
    if vars(arguments).get("device") == "gpu" and not model.startswith("onnx:"):
        notice(f"note: --device gpu is for onnx: models; {model} does not run on it")
