"""`provider:model` → its Reranker: the one place. Only the user names one; a key goes to the provider named with it."""

from typing import TYPE_CHECKING

from hub_index.embedding.api.http_guard import check_base_url, is_loopback
from hub_index.embedding.providers import find_onnx_folder
from hub_index.embedding.rerank.onnx_reranker import OnnxReranker
from hub_index.errors import ConfigError
from hub_index.settings import (
    RERANK_KEY_VARIABLE,
    RERANK_URL_VARIABLE,
    RERANK_VARIABLE,
    Settings,
    read_api_key,
)

if TYPE_CHECKING:
    from hub_index.embedding.rerank.reranker import Reranker

RERANKERS = ("voyage", "cohere", "jina", "tei", "onnx")
_LISTED = ", ".join(RERANKERS)
_HOMES = {
    "cohere": "https://api.cohere.com/v2",
    "jina": "https://api.jina.ai/v1",
    "voyage": "https://api.voyageai.com/v1",
    "tei": "",  # always a server of one's own
}


def make_reranker(asked: str, settings: Settings) -> "Reranker":
    """The reranker that the user names. Raises ConfigError."""
    provider, colon, model = asked.partition(":")
    if provider not in RERANKERS or not colon or not model:
        raise ConfigError(f"{asked!a} is not a reranker: write provider:model, where the provider is one of {_LISTED}")
    if provider == "onnx":
        return OnnxReranker(find_onnx_folder(model, settings).path, settings.device)
    key = read_api_key(settings.env_file, variable=RERANK_KEY_VARIABLE)
    _check_owner(provider, settings, has_key=bool(key))
    url = settings.rerank_url or _HOMES[provider]
    if not url:
        raise ConfigError(f"{provider} needs {RERANK_URL_VARIABLE}, such as http://127.0.0.1:8080")
    check_base_url(url, allow_http=settings.allow_http, variable=RERANK_URL_VARIABLE, key_variable=RERANK_KEY_VARIABLE)
    is_own_server = bool(settings.rerank_url) and settings.rerank_url != _HOMES[provider]
    if not key and not is_own_server and not is_loopback(url):
        raise ConfigError(f"{provider} needs {RERANK_KEY_VARIABLE}; set it, or write it into {settings.env_file}")
    return _open(provider, model, settings.rerank_url, url, key, is_own_server=is_own_server)


def _check_owner(provider: str, settings: Settings, *, has_key: bool) -> None:
    """Raises ConfigError if key and address were set for another provider than the one that is asked now."""
    mine = settings.rerank.partition(":")[0]
    if mine and mine != provider and (has_key or settings.rerank_url):
        raise ConfigError(
            f"{RERANK_VARIABLE} names another provider than {provider}, and its key and address are its own: set "
            f"{RERANK_VARIABLE}, {RERANK_KEY_VARIABLE} and {RERANK_URL_VARIABLE} together"
        )


def _open(provider: str, model: str, own_url: str, url: str, key: str, *, is_own_server: bool) -> "Reranker":  # noqa: PLR0913
    from hub_index.embedding.rerank.api_reranker import (
        ApiReranker,
        CohereClient,
        RerankClient,
        TeiClient,
        VoyageRerankClient,
    )

    client: RerankClient
    if provider == "voyage":
        client = VoyageRerankClient(own_url, model, key or "none")
    elif provider == "tei":
        client = TeiClient(url, key)
    else:
        client = CohereClient(url, model, key)
    return ApiReranker(provider, model, client, key, is_own_server)
