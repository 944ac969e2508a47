"""The skills of a checkout by git's index; if only contents changed, the files are not judged again.

Names and modes of all entries and hub-index.toml decide which files count. The result is kept in the user's cache with
a digest of these, so that after an edit only blobs are put in, which takes a tenth of the time.
"""

import os
from bisect import bisect_left
from dataclasses import dataclass
from hashlib import sha256

from hub_index import __version__
from hub_index.base.checksummed_file import read_sealed, write_sealed
from hub_index.base.safe_open import read_below
from hub_index.hub.tree.listing import select_files
from hub_index.limits import MAX_HUB_CONFIG_BYTES, MAX_OPEN_HUBS
from hub_index.search.checkout.config import read_config
from hub_index.search.checkout.git_index import GitEntries, blob_id, read_git_entries
from hub_index.search.checkout.state import CONFIG, CheckoutState, read_state

TYPE_CHECKING = False
if TYPE_CHECKING:
    from array import array

_KIND = "chosen"
_VERSION = f"1 {__version__}"  # of the rules by which files are chosen
_KEPT = MAX_OPEN_HUBS  # a note for each; 25,000 skills take 1 MB


@dataclass(frozen=True, slots=True)
class GitListing:
    """The files to index, column by column, sorted by id."""

    ids: list[str]
    paths: list[bytes]  # of the files, from the hub's root
    blobs: list[bytes]
    heads: list[bytes]  # what else git's index says of the file in the checkout
    hash_name: str  # by which blobs are named
    is_tracked: bool  # whether git's index knows any file of the hub

    def file(self, place: int) -> str:
        """A file by its place in the listing."""
        return self.paths[place].decode("utf-8", "surrogateescape")

    def source_digest(self) -> str:
        """The manifest's `source_digest` of these files."""
        ids = b"".join(self.blobs).hex("\n", -len(self.blobs[0])).encode().split(b"\n") if self.blobs else []
        lines = sorted(map(b"\0".join, zip(self.paths, ids, strict=True)))
        joined = b"\n".join([*lines, b""])  # a line feed after each line
        return f"sha256:{sha256(joined).hexdigest()}"


_last: "dict[str, tuple[CheckoutState, GitListing | None]]" = {}  # the hubs asked for last: one search asks twice
_MOST_LAST = 8  # 7 MB for 25,000 skills, which take 50 ms to list again


def read_listing(hub: str, cache: str = "") -> GitListing | None:
    """The files to index as git's index has them; None if it cannot be read."""
    state = read_state(hub)
    remembered = _last.get(hub)
    if remembered is not None and remembered[0] == state and not state.is_moving:
        return remembered[1]
    listing = _read_now(hub, cache)
    for other in (hub, *list(_last)[: 1 - _MOST_LAST]):
        _last.pop(other, None)
    if state.is_settled(hub):
        _last[hub] = (state, listing)
    return listing


def compare_with_git(hub: str, cache: str, id_: str, file: str, content: bytes) -> str:
    """How a skill's own file differs from the one in git's index; empty if it does not, or if the index is unknown."""
    listing = read_listing(hub, cache)
    if listing is None or not listing.is_tracked:
        return ""
    place = bisect_left(listing.ids, id_)
    if listing.ids[place : place + 1] != [id_] or listing.file(place) != file:
        return "it was never added to git"
    is_same = blob_id(content, listing.hash_name) == listing.blobs[place]
    return "" if is_same else "its bytes are not those of git's index: it was edited since, or git converts it"


def _read_now(hub: str, cache: str) -> GitListing | None:
    entries = read_git_entries(hub)
    if entries is None:
        return None
    shape = _shape(entries, hub)
    path = os.path.join(cache, _KIND, sha256(os.fsencode(os.path.realpath(hub))).hexdigest()) if cache else ""
    chosen = _read_chosen(path, shape)
    if chosen is None:
        chosen = _choose(entries, hub)
        _write_chosen(path, shape, chosen)
    places = chosen.places
    return GitListing(
        chosen.ids,
        [entries.paths[at] for at in places],
        [entries.blobs[at] for at in places],
        [entries.heads[at] for at in places],
        entries.hash_name,
        bool(entries.paths),
    )


@dataclass(frozen=True, slots=True)
class _Chosen:
    """The entries of git's index that become records, and their ids."""

    ids: list[str]
    places: "array[int]"


def _shape(entries: GitEntries, hub: str) -> bytes:
    """A digest of all that the choice depends on."""
    try:
        config = read_below(hub, CONFIG, MAX_HUB_CONFIG_BYTES)
    except OSError:
        config = b""
    digest = sha256(f"{_VERSION}\0{len(entries.paths)}\0".encode())
    for part in (b"".join(entries.modes), b"\0".join(entries.paths), b"\0\0", config):
        digest.update(part)
    return digest.digest()


def _choose(entries: GitEntries, hub: str) -> _Chosen:
    from array import array

    tree = entries.tree_entries()
    place_of = {entry.path: at for at, entry in enumerate(tree)}
    files = select_files(tree, read_config(hub)).files
    return _Chosen([file.id for file in files], array("I", [place_of[file.file] for file in files]))


def _read_chosen(path: str, shape: bytes) -> _Chosen | None:
    """The kept choice for this shape; None if it is for another shape or cannot be trusted."""
    from array import array

    body = read_sealed(path) if path else None
    if body is None or not body.startswith(shape):
        return None
    ids, _, numbers = body[len(shape) :].partition(b"\0")
    places = array("I")
    places.frombytes(numbers)
    return _Chosen(ids.decode("utf-8", "surrogateescape").split("\n") if ids else [], places)


def _write_chosen(path: str, shape: bytes, chosen: _Chosen) -> None:
    """Keeps the choice if that can be done."""
    ids = "\n".join(chosen.ids).encode("utf-8", "surrogateescape")
    if path and ids.count(b"\n") == max(0, len(chosen.ids) - 1) and b"\0" not in ids:
        write_sealed(path, shape + ids + b"\0" + chosen.places.tobytes(), _KEPT)
