"""The server, the model and the key of a request; and the protocol of the clients that send it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from hub_index.base.characters import quote_line
from hub_index.base.install_hint import install_hint
from hub_index.embedding.api.http_guard import check_base_url, is_loopback, server_place
from hub_index.errors import ConfigError
from hub_index.settings import BASE_URL_VARIABLE, KEY_VARIABLE, MODEL_VARIABLE, PROVIDER_VARIABLE, read_api_key

Kind = Literal["document", "query"]

_HOMES = {
    "openai": ("https://api.openai.com/v1",),
    "voyage": ("https://api.voyageai.com/v1", "https://ai.mongodb.com/v1"),  # the second for keys of MongoDB Atlas
    "azure-openai": (),  # the address differs from customer to customer
}


@dataclass(frozen=True, slots=True)
class Endpoint:
    """The server and the model; holds no key, so it can be pickled, printed and logged."""

    provider: str
    model: str
    dimensions: int | None
    base_url: str  # empty: the provider's own
    api_version: str
    allow_http: bool
    env_file: str  # holds the key unless the environment does
    name: str = ""  # the user's own for the server, instead of its address
    is_owners_choice: bool = False  # whether the key's owner named the provider, and not a hub or an index

    @property
    def url(self) -> str:
        """The address that requests go to."""
        return self.base_url or next(iter(_HOMES[self.provider]), "")

    @property
    def place(self) -> str:
        """The name of this server: the user's name for it, else host, port and path; empty for the provider's own."""
        if not self.url or server_place(self.url) in map(server_place, _HOMES[self.provider]):
            return ""
        return self.name or server_place(self.url)

    @property
    def is_own_server(self) -> bool:
        """Whether the server is not the provider's: then its price is unknown and it may need no key."""
        return self.provider != "azure-openai" and bool(self.place)


class ApiClient(Protocol):
    """A connection to a provider through its SDK: one request per call, no retries, our own errors."""

    def post(self, texts: Sequence[str], kind: Kind, timeout_s: float) -> object:
        """The answer's JSON value. Raises TransientError, ProviderError."""

    def close(self) -> None:
        """Closes the connections."""


def check_endpoint(endpoint: Endpoint) -> None:
    """Raises ConfigError if the address is missing or the key may not be sent to it."""
    if not endpoint.url:
        raise ConfigError(f"{endpoint.provider} needs {BASE_URL_VARIABLE}, such as https://NAME.openai.azure.com")
    check_base_url(endpoint.url, allow_http=endpoint.allow_http)


def check_key_owner(endpoint: Endpoint) -> None:
    """Raises ConfigError if there is a key, but a hub or an index chose the provider, not the key's owner."""
    if endpoint.is_owners_choice or not read_api_key(endpoint.env_file):
        return
    model = quote_line(f"{endpoint.provider}:{endpoint.model}")
    raise ConfigError(
        f"the hub names {model}, and {KEY_VARIABLE} is sent only to a provider that you name yourself: to allow it, "
        f"give --model {model}, or set {PROVIDER_VARIABLE} and {MODEL_VARIABLE}"
    )


def read_key(endpoint: Endpoint) -> str:
    """The key for this endpoint; a server of one's own may need none. Raises ConfigError."""
    check_key_owner(endpoint)
    key = read_api_key(endpoint.env_file)
    if key:
        return key
    if endpoint.is_own_server or (endpoint.base_url and is_loopback(endpoint.base_url)):
        return "none"  # the SDKs require a key
    named = "" if endpoint.is_owners_choice else f", and name the provider in {PROVIDER_VARIABLE} or with --model"
    raise ConfigError(f"{endpoint.provider} needs {KEY_VARIABLE}; set it, or write it into {endpoint.env_file}{named}")


def open_client(endpoint: Endpoint, key: str) -> ApiClient:
    """A client by the provider's SDK, which is imported now. Raises ConfigError if it is not installed."""
    if endpoint.provider == "voyage":
        from hub_index.embedding.api.voyage import VoyageClient

        return VoyageClient(endpoint, key)
    from hub_index.embedding.api.openai import OpenAIClient

    return OpenAIClient(endpoint, key)


def missing_sdk(extra: str, error: ModuleNotFoundError) -> ConfigError:
    """The error for a missing SDK, with the install command."""
    return ConfigError(f"{error.name} is not installed: {install_hint(extra)}")
