"""The checks of every request before its route: form, host, origin and site, token and rate, in this order."""

import math
import re
import time
from collections.abc import Callable

from hub_index.serve.http.request import HttpRequest
from hub_index.serve.http.serve_options import ServeOptions
from hub_index.serve.http.site import is_page_path
from hub_index.serve.http.tokens import TokenFile
from hub_index.serve.refusal import RequestRefused, too_many

ANYBODY = "anybody"  # the caller's name where no token is asked for

_LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})
_HOST = re.compile(r"(?:\[([^\[\]]*)\]|([^:\[\]]*))(?::\d*)?", re.ASCII)
_OWN_SITES = (None, "same-origin", "none")  # a program, the page itself, an address that the user typed
_OTHER_SITE = "requests from web pages of other sites are refused"


class Gate:
    """The checks of one server."""

    def __init__(self, options: ServeOptions, *, is_loopback: bool) -> None:
        self._own_name = options.host.lower()
        self._is_loopback = is_loopback
        self._tokens = TokenFile(options.token_file) if options.token_file else None
        self._rates = RateLimiter(options.requests_per_s)

    def check_request(self, request: HttpRequest) -> None:
        """Names the request's caller. Raises RequestRefused."""
        request.check_form()
        host = request.header("host")
        if self._is_loopback:
            check_host(host, self._own_name)
            check_origin(request.header("origin"), self._own_name)
        else:  # elsewhere the server has names that it does not know; its own page has the same one
            check_origin(request.header("origin"), name_of(host or "") or "-")
        check_fetch_site(request.header("sec-fetch-site"), is_link=_opens_page(request))
        request.caller = self._caller_of(request)

    def check_rate(self, request: HttpRequest) -> None:
        """Raises RequestRefused (429) where the caller asks too often."""
        self._rates.check_rate(request.caller)

    def _caller_of(self, request: HttpRequest) -> str:
        if self._tokens is None:
            return ANYBODY
        scheme, _, token = (request.header("authorization") or "").partition(" ")
        name = self._tokens.caller_of(token.strip()) if scheme.lower() == "bearer" else ""
        if not name:
            raise RequestRefused(401, "send a token of this server: Authorization: Bearer TOKEN", code="unauthorized")
        return name


def _opens_page(request: HttpRequest) -> bool:
    """Whether a browser's window opens the page, as after a click on a link in a chat; a frame is no window."""
    how = (request.header("sec-fetch-mode"), request.header("sec-fetch-dest"))
    return how == ("navigate", "document") and is_page_path(request.raw_path)


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


class RateLimiter:
    """A rate for each caller by name; callers are those of the token file, so they are few."""

    def __init__(self, per_s: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._per_s = per_s
        self._burst = max(1.0, per_s)
        self._clock = clock
        self._left: dict[str, tuple[float, float]] = {}  # what is left, and when that was

    def check_rate(self, caller: str) -> None:
        """Takes one request off the caller's account. Raises RequestRefused (429)."""
        now_s = self._clock()
        left, then_s = self._left.get(caller, (self._burst, now_s))
        left = min(self._burst, left + (now_s - then_s) * self._per_s)
        if left < 1:
            self._left[caller] = (left, now_s)
            raise too_many("too many requests", math.ceil((1 - left) / self._per_s))
        self._left[caller] = (left - 1, now_s)
