"""Where the next page begins: a short text that only fits the request that it was made for."""

from hashlib import sha256

from hub_index.errors import ConfigError
from hub_index.search.index import MAX_K

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hub_index.service.requests import FindRequest, ListRequest


def encode_cursor(request: "FindRequest | ListRequest", offset: int) -> str:
    """The cursor of the page that begins after so many."""
    return f"{offset}-{_digest(request)}"


def decode_cursor(request: "FindRequest | ListRequest", most: int = MAX_K) -> int:
    """How many come before this page. Raises ConfigError for a cursor that was not made for this request."""
    if not request.cursor:
        return 0
    number, _, digest = request.cursor.partition("-")
    is_number = number.isascii() and number.isdigit() and len(number) < 10
    if digest != _digest(request) or not is_number or not 0 < int(number) < most:
        raise ConfigError("this cursor is not of the same request; leave it out to begin at the first page")
    return int(number)


def _digest(request: "FindRequest | ListRequest") -> str:
    """What must not change between two pages: everything but their size."""
    same = request.replace(cursor="", **{name: 0 for name in ("k", "limit", "max_tokens") if hasattr(request, name)})
    return sha256(repr(same).encode("utf-8", "replace")).hexdigest()[:12]
