"""The seam between our encoder and an SDK: one request, no retries, errors in our words."""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Literal, Protocol, cast

from hub_index.embedding.api.http_guard import check_base_url, is_loopback
from hub_index.errors import ConfigError
from hub_index.settings import BASE_URL_VARIABLE, KEY_VARIABLE, read_api_key

Kind = Literal["document", "query"]

_MODULES = {"openai": "openai", "azure-openai": "openai", "voyage": "voyage"}
_HOME = {"openai": "https://api.openai.com/v1", "voyage": "https://api.voyageai.com/v1"}


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Whom to ask for what; holds no key, so it can be pickled, printed and logged."""

    provider: str
    model: str
    dimensions: int | None
    base_url: str  # empty: the provider's own
    api_version: str
    allow_http: bool
    env_file: str  # where the key stands unless the environment has it

    @property
    def url(self) -> str:
        """The address that requests go to."""
        return self.base_url or _HOME.get(self.provider, "")

    @property
    def is_own_server(self) -> bool:
        """Whether somebody else than the provider answers: its prices and its need of a key are not the provider's."""
        return self.provider != "azure-openai" and bool(self.base_url) and self.base_url != _HOME.get(self.provider)


class Wire(Protocol):
    """An opened connection to a provider."""

    def post(self, texts: Sequence[str], kind: Kind, timeout_s: float) -> object:
        """The answer's JSON value. Raises TransientError, ProviderError."""

    def close(self) -> None:
        """Lets go of sockets."""


def check_endpoint(endpoint: Endpoint) -> None:
    """Raises ConfigError where the key may not be sent to the endpoint's address."""
    if not endpoint.url:
        raise ConfigError(f"{endpoint.provider} needs {BASE_URL_VARIABLE}, such as https://NAME.openai.azure.com")
    check_base_url(endpoint.url, allow_http=endpoint.allow_http)


def read_key(endpoint: Endpoint) -> str:
    """The key for this endpoint; a server of one's own may need none. Raises ConfigError."""
    key = read_api_key(endpoint.env_file)
    if key:
        return key
    if endpoint.is_own_server or (endpoint.base_url and is_loopback(endpoint.base_url)):
        return "none"  # the SDKs insist on one
    raise ConfigError(f"{endpoint.provider} needs {KEY_VARIABLE}; set it, or write it into {endpoint.env_file}")


def open_wire(endpoint: Endpoint, key: str) -> Wire:
    """A wire by the provider's SDK, imported now. Raises ConfigError where it is not installed."""
    module = import_module(f"hub_index.embedding.api.{_MODULES[endpoint.provider]}")
    return cast(Wire, module.open_wire(endpoint, key))


def missing_sdk(extra: str, error: ModuleNotFoundError) -> ConfigError:
    """What to tell a user whose installation lacks an SDK."""
    return ConfigError(f"{error.name} is not installed: pip install 'hub-index[{extra}]'")
