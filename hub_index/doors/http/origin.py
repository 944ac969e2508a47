"""Which machine and which web page a request says it is meant for and comes from.

A web page in the user's browser can reach loopback: by a name that it points to 127.0.0.1 (DNS rebinding, so the Host
header is checked) or by a form sent across origins (so the Origin header is). Both are refused here.
"""

from hub_index.doors.refusal import RequestRefused

_LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})


def check_host(host: str | None, own_name: str) -> None:
    """Raises RequestRefused where a request to loopback names another machine as its host."""
    if host is not None and name_of(host) not in {own_name, *_LOOPBACK_NAMES}:  # every browser sends one
        raise RequestRefused(403, "the Host header names another machine; ask 127.0.0.1 or localhost")


def check_origin(origin: str | None, own_name: str) -> None:
    """Raises RequestRefused where the request comes from a web page of another site."""
    if origin is not None and name_of(origin.partition("://")[2]) not in {own_name, *_LOOPBACK_NAMES}:
        raise RequestRefused(403, "requests from web pages of other sites are refused")


def name_of(host: str) -> str:
    """The host name without port, brackets and final dot."""
    host = host.strip().lower()
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.partition(":")[0].rstrip(".")
