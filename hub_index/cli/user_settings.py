"""Arguments over the user's settings: what is given on the command line wins over the environment and .env."""

import argparse
import os

from hub_index.settings import DEVICE_VARIABLE, DEVICES, NO_CACHE_VARIABLE, Settings, read_settings


def add_device(parser: argparse.ArgumentParser) -> None:
    """--device, for what runs a model."""
    parser.add_argument(
        "--device",
        choices=DEVICES,
        help="where an onnx: model runs; auto takes a GPU if there is one (default: AXON_EMBEDDINGS_DEVICE, else auto)",
    )


def add_no_cache(parser: "argparse._ActionsContainer") -> None:
    """--no-cache."""
    parser.add_argument(
        "--no-cache",
        action="store_true",
        help="take nothing from the cache folder and keep nothing there (also AXON_NO_CACHE=1)",
    )


def settings_from(arguments: argparse.Namespace) -> Settings:
    """The settings of this command. Raises ConfigError."""
    settings = read_settings()
    asked = vars(arguments)
    changes: dict[str, object] = {}
    if asked.get("device"):
        changes["device"] = asked["device"]
    if asked.get("no_cache"):
        changes["no_cache"] = True
    return settings.replace(**changes) if changes else settings


def as_variables(arguments: argparse.Namespace) -> dict[str, str]:
    """The same as variables of the environment, for what runs in another process."""
    device = {DEVICE_VARIABLE: arguments.device} if arguments.device else {}
    return device | ({NO_CACHE_VARIABLE: "1"} if arguments.no_cache else {})


def with_whole_path(model: str | None) -> str | None:
    """The model; the folder of `onnx:./DIR` as a path that is the same from everywhere."""
    provider, _, name = (model or "").partition(":")
    if provider != "onnx":
        return model
    from hub_index.embedding.onnx.model_folder import is_folder_path

    return f"onnx:{os.path.abspath(os.path.expanduser(name))}" if is_folder_path(name) else model


def cache_folder_for(settings: Settings) -> str:
    """The cache folder; with --no-cache an empty one that goes when the command ends."""
    if not settings.no_cache:
        return settings.cache_folder
    import atexit
    import shutil
    import tempfile

    folder = tempfile.mkdtemp(prefix="hub-index-no-cache-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder
