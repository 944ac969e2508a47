"""The machine and the web page that a request names: its host, and its origin and site.

A web page in the user's browser can reach loopback: by a name that it points to 127.0.0.1 (DNS rebinding, so the Host
header is checked), by a form sent across origins (so the Origin header is), or by a plain GET, for an image or without
CORS, which has no Origin (so Sec-Fetch-Site is, which scripts cannot set). All are refused here.
"""

import re

from hub_index.doors.refusal import RequestRefused

_LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})
_HOST = re.compile(r"(?:\[([^\[\]]*)\]|([^:\[\]]*))(?::\d*)?", re.ASCII)
_OWN_SITES = (None, "same-origin", "none")  # a program, the page itself, an address that the user typed
_OTHER_SITE = "requests from web pages of other sites are refused"


def check_host(host: str | None, own_name: str) -> None:
    """Raises RequestRefused if a request to loopback names another machine as its host."""
    if host is not None and name_of(host) not in {own_name, *_LOOPBACK_NAMES}:  # every browser sends one
        raise RequestRefused(403, "the Host header names another machine; ask 127.0.0.1 or localhost")


def check_origin(origin: str | None, own_name: str) -> None:
    """Raises RequestRefused if the request comes from a web page of another site."""
    if origin is not None and name_of(origin.partition("://")[2]) not in {own_name, *_LOOPBACK_NAMES}:
        raise RequestRefused(403, _OTHER_SITE)


def check_fetch_site(site: str | None, *, is_link: bool) -> None:
    """Raises RequestRefused if a browser says that another site's page asks, except for a link to our page."""
    if site not in _OWN_SITES and not is_link:
        raise RequestRefused(403, _OTHER_SITE)


def name_of(host: str) -> str:
    """The host name without port, brackets and final dot; empty if it is malformed."""
    match = _HOST.fullmatch(host.strip().lower())
    return (match[1] or match[2] or "").rstrip(".") if match else ""
