"""A repository's list of files → the files of a model, and its settings.

Pure: names and small JSON texts in, names and ModelSettings out.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hub_index.embedding.onnx.folder import MODEL_FILE, TOKENIZER_FILE
from hub_index.embedding.onnx.known_repos import find_known
from hub_index.embedding.onnx.model_settings import DEFAULT_MAX_TOKENS, ModelSettings, is_plain_file_name
from hub_index.errors import ConfigError
from hub_index.limits import MAX_MODEL_PREFIX_CHARS, MAX_ONNX_TOKENS

_MODEL_PLACES = (f"onnx/{MODEL_FILE}", MODEL_FILE)
POOLING_FILE, LENGTH_FILE, PROMPTS_FILE = (
    "1_Pooling/config.json",
    "sentence_bert_config.json",
    "config_sentence_transformers.json",
)
ReadJson = Callable[[str], Mapping[str, Any]]  # the object in a small file of the repository, empty if it has none


def choose_model_file(names: Sequence[str], asked: str | None, repo: str) -> str:
    """The ONNX file to fetch. Raises ConfigError if it is missing, and lists the others."""
    wanted = (asked,) if asked else _MODEL_PLACES
    chosen = next((name for name in wanted if name in names), None)
    if chosen is None:
        others = sorted(name for name in names if name.endswith(".onnx"))[:5]
        offer = f"name one with --file: {', '.join(others)}" if others else "it holds no .onnx file at all"
        raise ConfigError(f"{repo} has no {wanted[0]}; {offer}")
    return chosen


def beside(model_file: str, name: str) -> str:
    """The path of a file in the model's own folder of the repository. Raises ConfigError for one elsewhere."""
    if not is_plain_file_name(name):
        raise ConfigError(f"{model_file} keeps weights in {name!a}, outside of its folder; choose another file")
    folder, slash, _ = model_file.rpartition("/")
    return f"{folder}{slash}{name}"


def choose_tokenizer(names: Sequence[str], model_file: str, repo: str) -> str:
    """The tokenizer beside the model, else the repository's. Raises ConfigError."""
    chosen = next((name for name in (beside(model_file, TOKENIZER_FILE), TOKENIZER_FILE) if name in names), None)
    if chosen is None:
        raise ConfigError(f"{repo} has no {TOKENIZER_FILE}, which is needed to cut texts; choose another repository")
    return chosen


def read_repo_settings(repo: str, read_json: ReadJson) -> ModelSettings:
    """The settings of a model: from our own table, else from the repository's files, else the usual ones."""
    entry = find_known(repo)
    if entry is not None:
        return ModelSettings(
            pooling=entry.pooling,
            query_prefix=entry.query_prefix,
            passage_prefix=entry.passage_prefix,
            max_tokens=entry.max_tokens,
        )
    prompts = read_json(PROMPTS_FILE).get("prompts")
    by_kind = prompts if isinstance(prompts, Mapping) else {}
    return ModelSettings(
        pooling=_pooling(read_json(POOLING_FILE)),
        query_prefix=_prefix(by_kind, "query"),
        passage_prefix=_prefix(by_kind, "passage", "document"),
        max_tokens=_length(read_json(LENGTH_FILE).get("max_seq_length")),
    )


def parse_object(content: bytes) -> Mapping[str, Any]:
    """The JSON object in a small file of a repository; empty if it is something else."""
    try:
        value = json.loads(content)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _pooling(config: Mapping[str, Any]) -> str:
    kinds = {"cls": "pooling_mode_cls_token", "last": "pooling_mode_lasttoken", "mean": "pooling_mode_mean_tokens"}
    return next((kind for kind, key in kinds.items() if config.get(key) is True), "")


def _prefix(prompts: Mapping[str, Any], *kinds: str) -> str:
    prefix = next((prompts[kind] for kind in kinds if isinstance(prompts.get(kind), str)), "")
    return prefix if len(prefix) <= MAX_MODEL_PREFIX_CHARS else ""


def _length(found: object) -> int:
    return found if type(found) is int and 1 <= found <= MAX_ONNX_TOKENS else DEFAULT_MAX_TOKENS
