"""The checks of every request before its route: form, host, origin and site, token and rate, in this order."""

from hub_index.doors.http.options import ServeOptions
from hub_index.doors.http.origin import check_fetch_site, check_host, check_origin, name_of
from hub_index.doors.http.rate import RateLimiter
from hub_index.doors.http.request import HttpRequest
from hub_index.doors.http.site import is_page_path
from hub_index.doors.http.tokens import TokenFile
from hub_index.doors.refusal import RequestRefused

ANYBODY = "anybody"  # the caller's name where no token is asked for


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
