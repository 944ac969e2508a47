"""The options of `hub-index serve --embeddings`, checked before a socket is opened."""

import ipaddress
import socket
from dataclasses import dataclass

from hub_index.embedding.constant_part import AXON_NAME
from hub_index.errors import ConfigError
from hub_index.limits import MAX_SERVED_NAME_CHARS, SERVED_REQUEST_S, SERVED_REQUESTS_PER_S


@dataclass(frozen=True, slots=True)
class ServeOptions:
    """Where to listen, under which model name, and the limits of a request."""

    host: str = "127.0.0.1"
    port: int = 11435
    model_name: str = "usem3"
    allow_remote: bool = False
    requests_per_s: float = SERVED_REQUESTS_PER_S
    request_s: float = SERVED_REQUEST_S


@dataclass(frozen=True, slots=True)
class Binding:
    """The kind of address that a host has."""

    family: socket.AddressFamily
    is_loopback: bool


def check_model_name(name: str) -> None:
    """Raises ConfigError for a name that a client could not send."""
    if name.startswith("openai:"):
        raise ConfigError(f"--model-name is the name alone: write {name.removeprefix('openai:')!a}")
    if name == AXON_NAME:
        raise ConfigError(f"--model-name {AXON_NAME} is served anyway, with a constant part; leave the option out")
    if not name or len(name) > MAX_SERVED_NAME_CHARS or not all("!" <= sign <= "~" for sign in name):
        raise ConfigError(f"--model-name takes 1 to {MAX_SERVED_NAME_CHARS} visible ASCII characters")


def find_binding(options: ServeOptions) -> Binding:
    """IPv4 (where the host has both) or IPv6. Raises ConfigError where the host is unknown or may not be used."""
    try:
        found = socket.getaddrinfo(options.host, options.port, type=socket.SOCK_STREAM)
        addresses = [ipaddress.ip_address(str(entry[4][0]).partition("%")[0]) for entry in found]
    except (OSError, ValueError) as error:  # UnicodeError is a ValueError
        raise ConfigError(f"--host {options.host!a} is not an address of this machine") from error
    is_loopback = bool(options.host) and all(address.is_loopback for address in addresses)
    if not is_loopback and not options.allow_remote:
        raise ConfigError(
            f"--host {options.host!a} would open the model to other machines, without a key; "
            "add --allow-remote if you want that"
        )
    families = [entry[0] for entry in found]
    return Binding(socket.AF_INET if socket.AF_INET in families else families[0], is_loopback)
