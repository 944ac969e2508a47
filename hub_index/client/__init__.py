"""A client of `hub-index serve` with the answers of `open_index`; needs the extra `client`.

from hub_index.client import HubClient

with HubClient("http://127.0.0.1:11435") as hubs:
    for hit in hubs.search("make slides", k=3):
        print(hit.uri, hit.score)
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hub_index.client.async_client import AsyncHubClient as AsyncHubClient
    from hub_index.client.sync_client import HubClient as HubClient

__all__ = ["AsyncHubClient", "HubClient"]
_MODULES = {"AsyncHubClient": "async_client", "HubClient": "sync_client"}


def __getattr__(name: str) -> object:
    """A public name, imported when it is first asked for."""
    if name not in _MODULES:
        raise AttributeError(f"module 'hub_index.client' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"hub_index.client.{_MODULES[name]}"), name)
