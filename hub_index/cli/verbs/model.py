"""`hub-index model pull|list|remove`: models of one's own, fetched with their settings and kept by their digests."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from hub_index.cli.arguments import VerbParser, add_json, not_empty
from hub_index.cli.terminal import format_table, print_json, printable, terminal_width
from hub_index.settings import read_settings

if TYPE_CHECKING:
    from hub_index.embedding.onnx.model_folder import ModelFolder

_EXAMPLES = """\
  hub-index model pull intfloat/multilingual-e5-small      then: hub-index build HUB --model onnx:multilingual-e5-small
  hub-index model pull BAAI/bge-m3@5617a9f                  at a commit, a tag or a branch
  hub-index model list
  hub-index model remove bge-m3

Models come from https://huggingface.co, or from HF_ENDPOINT; HF_TOKEN opens private ones. They are kept in
~/.local/share/hub-index/models (HUB_INDEX_MODELS names another folder). Needs the extra onnx."""


def parse(arguments: list[str]) -> argparse.Namespace:
    """The verb's arguments; the first word says pull, list or remove."""
    action = arguments[0] if arguments else ""
    if action == "pull":
        parser = VerbParser("model pull", "Fetch a model from a Hugging Face endpoint.", _EXAMPLES)
        parser.add_argument("repo", metavar="REPO[@REVISION]", type=not_empty, help="such as BAAI/bge-m3")
        parser.add_argument(
            "--name", type=not_empty, metavar="NAME", help="the model's name (default: the repository's)"
        )
        parser.add_argument(
            "--file", type=not_empty, metavar="FILE", help="the .onnx file to take (default: onnx/model.onnx)"
        )
    elif action == "remove":
        parser = VerbParser("model remove", "Remove a model that was fetched.", _EXAMPLES)
        parser.add_argument("name", metavar="NAME", type=not_empty, help="as `hub-index model list` shows it")
    elif action == "list":
        parser = VerbParser("model list", "List the models that are here, and known good ones.", _EXAMPLES)
    else:
        parser = VerbParser("model", "Fetch, list or remove models that embed here.", _EXAMPLES)
        parser.add_argument("action", choices=("pull", "list", "remove"))
        parser.parse_args(arguments[:1])  # prints help or a usage error, and ends
    add_json(parser)
    parser.set_defaults(action=action)
    return parser.parse_args(arguments[1:])


def run(arguments: argparse.Namespace) -> int:
    """Does what the first word says."""
    models = Path(read_settings().models_folder)
    return {"pull": _pull, "list": _list, "remove": _remove}[arguments.action](arguments, models)


def _pull(arguments: argparse.Namespace, models: Path) -> int:
    from hub_index.cli.progress import ProgressBar
    from hub_index.embedding.onnx.pull import PullRequest, pull_model

    repo, _, revision = arguments.repo.partition("@")
    request = PullRequest(repo, revision, arguments.name or "", arguments.file)
    with ProgressBar() as bar:
        outcome = pull_model(request, models, bar)
    folder = outcome.folder
    if arguments.json:
        print_json(_as_object(folder) | {"is_new": outcome.is_new})
        return 0
    state = "is in" if outcome.is_new else "was there already, whole, in"
    print(f"{folder.name} ({_source(folder)}) {state} {printable(str(folder.path))}")
    print(f"use it with: hub-index build HUB --model onnx:{folder.name}")
    return 0


def _list(arguments: argparse.Namespace, models: Path) -> int:
    from hub_index.embedding.onnx.pull import KNOWN_REPOS, list_models

    installed = list_models(models)
    if arguments.json:
        print_json({"folder": str(models), "models": [_as_object(folder) for folder in installed]})
        return 0
    rows = [(f"onnx:{folder.name}", _size(folder), _source(folder), _how(folder)) for folder in installed]
    here = {folder.settings.repo for folder in installed}
    rows += [("-", "not here", repo.repo, repo.about) for repo in KNOWN_REPOS if repo.repo not in here]
    print(format_table(("model", "size", "from", "how"), rows, terminal_width()))
    return 0


def _remove(arguments: argparse.Namespace, models: Path) -> int:
    from hub_index.embedding.onnx.pull import remove_model

    freed = remove_model(arguments.name, models)
    if arguments.json:
        print_json({"removed": arguments.name, "freed_bytes": freed})
    else:
        print(f"{arguments.name} is removed: {freed / 1e6:.1f} MB freed")
    return 0


def _source(folder: "ModelFolder") -> str:
    settings = folder.settings
    return f"{settings.repo}@{settings.revision[:12]}" if settings.repo else "a folder of yours"


def _size(folder: "ModelFolder") -> str:
    from hub_index.embedding.onnx.pull import folder_bytes

    return f"{folder_bytes(folder.path) / 1e6:.1f} MB"


def _how(folder: "ModelFolder") -> str:
    settings = folder.settings
    prefixes = f", prefixes {settings.query_prefix!r} and {settings.passage_prefix!r}"
    has_prefix = settings.query_prefix or settings.passage_prefix
    return f"pooling {settings.pooling or 'mean'}, {settings.max_tokens} tokens{prefixes if has_prefix else ''}"


def _as_object(folder: "ModelFolder") -> dict[str, object]:
    from dataclasses import asdict

    from hub_index.embedding.onnx.pull import folder_bytes

    about = asdict(folder.settings) | {"name": folder.name}
    return about | {"model_id": f"onnx:{folder.name}", "folder": str(folder.path), "bytes": folder_bytes(folder.path)}
