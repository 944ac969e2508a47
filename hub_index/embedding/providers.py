"""Which model embeds, and `provider:model` → its Encoder: the one place for both, for every command and the flow.

Nothing is imported, read or asked here that the first request would not need anyway.
"""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from hub_index.base.characters import quote_line
from hub_index.embedding.known_models import KnownModel, find_model
from hub_index.embedding.local import LocalEncoder
from hub_index.errors import ConfigError
from hub_index.settings import DIMENSIONS_VARIABLE, EMBEDDED_MODEL, MODEL_VARIABLE, PROVIDER_VARIABLE, Settings

if TYPE_CHECKING:
    from collections.abc import Callable

    from hub_index.embedding.encoder import Encoder
    from hub_index.embedding.onnx.model_folder import ModelFolder

PROVIDERS = ("local", "onnx", "openai", "azure-openai", "voyage")
_LISTED = ", ".join(PROVIDERS)

DEFAULT_BATCH_SIZE = 128  # 128 descriptions are about 8,000 tokens; a crash costs at most concurrency × that
DEFAULT_CONCURRENCY = 4
MAX_CONCURRENCY = 64


def choose_model(asked: str | None, hub_model: str | None, settings: Settings) -> str:
    """--model, then the hub's own choice, then the user's environment, then the embedded model.

    So a maintainer's personal environment never republishes a hub that names its model. A hub's file is a stranger's
    and cannot choose a folder of the user's: ONNX models are named by the user alone. Raises ConfigError.
    """
    if not asked and hub_model and hub_model.startswith("onnx:"):
        raise ConfigError(
            f"hub-index.toml names {quote_line(hub_model)}, and a model in a folder of yours is yours to choose: give "
            f"--model {quote_line(hub_model)}, and take the line out of the hub's file"
        )
    return asked or hub_model or model_from_settings(settings) or EMBEDDED_MODEL


def model_from_settings(settings: Settings) -> str | None:
    """The model that the environment or .env names; None if neither does. Raises ConfigError."""
    if not settings.provider and not settings.model:
        return None
    provider = settings.provider
    if not provider:
        named = settings.model.partition(":")[0]
        if named in PROVIDERS and ":" in settings.model:
            return settings.model
        raise ConfigError(f"{MODEL_VARIABLE} is set without {PROVIDER_VARIABLE}; set it to one of {_LISTED}")
    if provider == "local":
        return f"local:{settings.model.removeprefix('local:')}" if settings.model else EMBEDDED_MODEL
    if provider not in PROVIDERS:
        raise ConfigError(f"{PROVIDER_VARIABLE} is not a known provider; set it to one of {_LISTED}")
    if not settings.model:
        raise ConfigError(f"{PROVIDER_VARIABLE} is set without {MODEL_VARIABLE}; name a model of that provider")
    return f"{provider}:{settings.model.removeprefix(provider + ':')}"


def check_model(model: str) -> None:
    """Raises ConfigError unless this is `provider:model` with a known provider; `local` has one model only."""
    provider, colon, name = model.partition(":")
    if provider not in PROVIDERS or not colon or not name:
        raise ConfigError(
            f"{quote_line(model)} is not a model: write provider:model, where the provider is one of {_LISTED}"
        )
    if provider == "local" and model != EMBEDDED_MODEL:
        raise ConfigError(f"there is no embedded model {quote_line(name)}; the embedded one is {EMBEDDED_MODEL}")


def make_encoder(  # noqa: PLR0913 - all but the first two are optional and named
    model: str,
    settings: Settings,
    *,
    batch_size: int | None = None,
    concurrency: int | None = None,
    dimensions: int | None = None,
    asked: str | None = None,
) -> "Encoder":
    """The encoder of a `provider:model`; `asked` is what the user gave as --model.

    A key is sent only to a provider that its owner named: there, in the environment or in .env. A model that a hub's
    file or an index names alone gets none. Raises ConfigError.
    """
    check_model(model)
    provider, _, name = model.partition(":")
    _check_counts(batch_size, concurrency)
    if provider == "local":
        return LocalEncoder(cache_dir=None if settings.no_cache else settings.cache_dir, workers=concurrency)
    if provider == "onnx":
        from hub_index.embedding.onnx.onnx_encoder import OnnxEncoder

        return OnnxEncoder(find_onnx_folder(name, settings).path, settings.device, concurrency)
    from hub_index.embedding.api.api_encoder import ApiEncoder
    from hub_index.embedding.api.endpoint import Endpoint, check_endpoint, check_key_owner

    if settings.provider and settings.provider != provider:
        raise ConfigError(
            f"{PROVIDER_VARIABLE} names another provider than {quote_line(model)}, and a key is sent to its own "
            "provider only; set provider, model and key together"
        )
    model_facts = find_model(provider, name)
    if settings.max_input_tokens is not None:
        model_facts = replace(model_facts, max_input_tokens=settings.max_input_tokens)
    endpoint = Endpoint(
        provider=provider,
        model=name,
        dimensions=_check_dimensions(dimensions or settings.dimensions, model_facts),
        base_url=settings.base_url,
        api_version=settings.api_version,
        allow_http=settings.allow_http,
        env_file=settings.env_file,
        name=settings.endpoint_name,
        is_owners_choice=provider in (settings.provider, *(_provider_of(named) for named in (asked, settings.model))),
    )
    if endpoint.url:
        check_endpoint(endpoint)
    check_key_owner(endpoint)
    return ApiEncoder(
        endpoint,
        model_facts,
        batch_size=min(batch_size or DEFAULT_BATCH_SIZE, model_facts.max_batch_inputs),
        concurrency=concurrency or DEFAULT_CONCURRENCY,
    )


def find_onnx_folder(name: str, settings: Settings) -> "ModelFolder":
    """The folder of `onnx:NAME` or `onnx:DIR`. Raises ConfigError."""
    from hub_index.embedding.onnx.model_folder import find_folder  # a guest's room: opened for a guest alone

    return find_folder(name, Path(settings.models_folder))


def published_id(model: str, settings: Settings) -> str:
    """The model_id of a model that the user names: of `onnx:DIR` the name in its settings, never the path."""
    provider, _, name = model.partition(":")
    return f"onnx:{find_onnx_folder(name, settings).name}" if provider == "onnx" else model


def query_connection(settings: Settings, asked: str | None) -> "Callable[[str, int], Encoder]":
    """A function that opens a query's encoder for a model_id and a length of vectors.

    An index may name a model of the user's, but no folder: only the user's own `onnx:DIR` is one.
    """

    def connect(model_id: str, dim: int) -> "Encoder":
        if model_id.startswith("onnx:"):
            mine = asked or model_from_settings(settings) or ""
            if mine.startswith("onnx:") and published_id(mine, settings) == model_id:
                return make_encoder(mine, settings)
            _check_no_path(model_id)
        shortened = dim if settings.dimensions is not None else None  # only if the user asked for it
        return make_encoder(model_id, settings, dimensions=shortened, asked=asked)

    return connect


def _check_no_path(model_id: str) -> None:
    from hub_index.embedding.onnx.model_settings import is_model_name

    if not is_model_name(model_id.removeprefix("onnx:")):
        raise ConfigError(f"the index names {quote_line(model_id)}, which is not the name of a model")


def _provider_of(model: str | None) -> str:
    """The part before the colon; empty without one."""
    return model.partition(":")[0] if model and ":" in model else ""


def _check_counts(batch_size: int | None, concurrency: int | None) -> None:
    if batch_size is not None and batch_size < 1:
        raise ConfigError("--batch-size must be at least 1")
    if concurrency is not None and not 1 <= concurrency <= MAX_CONCURRENCY:
        raise ConfigError(f"--concurrency must be 1 to {MAX_CONCURRENCY}")


def _check_dimensions(asked: int | None, known: KnownModel) -> int | None:
    """The length to request; None if it is the model's own, so that naming it gives the same space."""
    if asked is None or asked == known.dim:
        return None
    lengths = known.dims or (known.dim,)  # without one the model is not known here, and its server decides
    if known.dim is not None and asked not in lengths and not (known.any_dim and asked < known.dim):
        possible = f"at most {known.dim}" if known.any_dim else "only " + ", ".join(map(str, lengths))
        raise ConfigError(
            f"{known.provider}:{known.name} cannot give {asked} dimensions, {possible}; change {DIMENSIONS_VARIABLE}"
        )
    return asked
