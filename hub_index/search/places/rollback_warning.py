"""The newest accepted signed index of each folder: an older one in its place may be a replay.

Kept in the user's cache, by the folder's real path; if others may write the cache, nothing is remembered.
"""

import os
import time
from datetime import UTC, datetime
from hashlib import sha256

from hub_index.base.cache_notes import is_private, read_note, write_note
from hub_index.base.characters import quote_line

_KIND = "newest"
_DAY_S = 24 * 60 * 60  # how far a clock may be wrong: a time from the far future would make all others old for ever


def note_newest(cache: str, index_dir: str, created_at: str) -> tuple[str, ...]:
    """A notice where an index of a later time was accepted before, else none; the newest is remembered."""
    key, now = _key(index_dir), as_utc(created_at)
    if not is_private(cache, _KIND, key):
        return ()
    newest = (read_note(cache, _KIND, key, ("created_at",)) or {}).get("created_at", "")
    if now < newest:
        return (
            f"this index, built {now}, is older than one that was accepted here before, built {newest}: somebody may "
            f"have put an old one back; `hub-index verify --allow-older` of {quote_line(index_dir)} accepts it",
        )
    if newest < now:
        accept_as_newest(cache, index_dir, created_at)
    return ()


def accept_as_newest(cache: str, index_dir: str, created_at: str) -> None:
    """Remembers this time, be it older than the last, unless it lies in the future."""
    now = as_utc(created_at)
    if not is_in_future(now):
        write_note(cache, _KIND, _key(index_dir), {"created_at": now})


def is_in_future(utc: str) -> bool:
    """True if this time is more than a day ahead of our clock."""
    return utc > time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + _DAY_S))


def as_utc(created_at: str) -> str:
    """A manifest's time in the form that we write ourselves, in which texts sort as times do."""
    if len(created_at) == len("2026-01-01T00:00:00Z") and created_at[10] + created_at[-1] == "TZ":
        return created_at
    try:
        moment = datetime.fromisoformat(created_at.upper()).astimezone(UTC)
    except (ValueError, OverflowError):  # the first and the last day that there is, in another time zone
        return f"{created_at[:10]}T{created_at[11:19]}Z"
    return f"{moment.replace(microsecond=0, tzinfo=None).isoformat()}Z"


def _key(index_dir: str) -> str:
    return sha256(os.fsencode(os.path.realpath(index_dir))).hexdigest()
