"""The beginning of the next page: the last hit or skill before it. A short text that only fits its own request.

Hubs may be synced between two pages, so a number alone would show some skills twice and others never: a cursor also
knows the last one of its page. A list goes on after it; hits are refused where it no longer stands at its rank.
"""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from hashlib import sha256

from hub_index.errors import ConfigError
from hub_index.frozen import FrozenValue
from hub_index.search.options import MAX_K

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from hub_index.search.results import Hit
    from hub_index.service.requests import FindRequest, ListRequest


class HitCursor(FrozenValue):
    """The last hit that was shown: how many stood up to it, and its mark."""

    rank: int
    mark: str

    def check(self, hits: "Sequence[Hit]") -> None:
        """Raises ConfigError unless the hit still stands where it stood."""
        if len(hits) < self.rank or _mark(hits[self.rank - 1]) != self.mark:
            reason = "the hits stand in another order than when this cursor was made"
            raise ConfigError(f"{reason}; ask again without it, for as many hits as you need")


def encode_hit_cursor(request: "FindRequest", last: "Hit") -> str:
    """The cursor of the page after this hit."""
    return f"{last.rank}-{_digest(request)}-{_mark(last)}"


def decode_hit_cursor(request: "FindRequest") -> HitCursor | None:
    """After which hit this page begins; None for the first page. Raises ConfigError for another request's cursor."""
    if not request.cursor:
        return None
    number, _, rest = request.cursor.partition("-")
    digest, _, mark = rest.partition("-")
    is_number = number.isascii() and number.isdigit() and len(number) < 10
    if digest != _digest(request) or not is_number or not 0 < int(number) < MAX_K:
        raise _other_request()
    return HitCursor(int(number), mark)


def encode_list_cursor(request: "ListRequest", hub: str, id_: str) -> str:
    """The cursor of the page after this skill: lists are in the order of hubs and ids, so its name is enough."""
    name = urlsafe_b64encode(f"{hub}:{id_}".encode()).decode("ascii").rstrip("=")
    return f"{_digest(request)}-{name}"


def decode_list_cursor(request: "ListRequest") -> tuple[str, str] | None:
    """The hub and the id after which this page begins; None for the first. Raises ConfigError as above."""
    if not request.cursor:
        return None

    digest, _, name = request.cursor.partition("-")
    try:
        hub, colon, id_ = urlsafe_b64decode(name + "=" * (-len(name) % 4)).decode("utf-8").partition(":")
    except ValueError as error:
        raise _other_request() from error
    if digest != _digest(request) or not colon:
        raise _other_request()
    return hub, id_


def _other_request() -> ConfigError:
    return ConfigError("this cursor is not of the same request; leave it out to begin at the first page")


def _mark(hit: "Hit") -> str:
    return _number(f"{hit.hub}:{hit.id}", 6)


def _digest(request: "FindRequest | ListRequest") -> str:
    """A digest of all fields that must not change between two pages: all but their size."""
    same = request.replace(cursor="", **{name: 0 for name in ("k", "limit", "max_tokens") if hasattr(request, name)})
    return _number(repr(same), 9)


def _number(text: str, digits: int) -> str:
    """A digest in decimal digits: a model reads three of them as one token, but each hexadecimal digit as about one."""
    return str(int.from_bytes(sha256(text.encode("utf-8", "replace")).digest()[:8]) % 10**digits).zfill(digits)
