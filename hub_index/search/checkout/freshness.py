"""A digest of a checkout's skills, and whether an index was made from just these.

Worked out once for each state of HEAD and git's index, and remembered only if that was the state before and after.
"""

import os
from hashlib import sha256

from hub_index.base.cache_notes import read_note, write_note
from hub_index.frozen import FrozenValue
from hub_index.search.checkout.git_head import read_head
from hub_index.search.checkout.state import CheckoutState, read_state

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hub_index.search.checkout.files import Progress

_KIND = "checkouts"  # a note for each hub: the state it was last seen in
_NOTED = ("state", "source_digest", "tracked")


class CheckoutFacts(FrozenValue):
    """A checkout's folder, commit and state, and the manifest's `source_digest` of it; each is empty if unknown.

    A folder inside of a repository without tracked files is at no commit.
    """

    hub: str
    head: str
    state: CheckoutState
    source_digest: str

    def is_stale(self, source_digest: str) -> bool | None:
        """True if an index of that digest was made from other skills than these; None if unknown."""
        return self.source_digest != source_digest if self.source_digest and source_digest else None

    def may_hold_more(self, source_digest: str) -> bool:
        """Whether skills may be here that an index of that digest does not know."""
        return bool(self.source_digest) and self.source_digest != source_digest

    def content_key(self, progress: "Progress | None" = None) -> str:
        """A key for these files: the digest, else git's state, else every file's size and time."""
        if self.source_digest:
            return self.source_digest
        if self.head:
            return f"{self.head} {self.state.stamp}"
        if not self.hub:
            return ""
        from hub_index.search.checkout.files import digest_files, list_checkout

        return digest_files(self.hub, list_checkout(self.hub, progress))

    def is_settled(self, content_key: str) -> bool:
        """True if the files are still those of this key, so that results from them may be stored."""
        if not self.state.is_settled(self.hub) or (self.head and read_head(self.hub) != self.head):
            return False
        return self.content_key() == content_key


def read_facts(hub: str, cache: str) -> CheckoutFacts:
    """The facts of a checkout right now; empty for an empty name."""
    state, head = read_state(hub), read_head(hub) if hub else ""
    if not head:
        return CheckoutFacts(hub, "", state, "")
    key = sha256(os.fsencode(os.path.realpath(hub))).hexdigest()
    seen = f"{head} {state.stamp}"
    note = read_note(cache, _KIND, key, _NOTED)
    if note is None or note["state"] != seen:
        from hub_index.search.checkout.listing import read_listing

        listing = read_listing(hub, cache)
        is_tracked = listing is None or listing.is_tracked
        digest = listing.source_digest() if listing and is_tracked else ""
        note = {"state": seen, "source_digest": digest, "tracked": "yes" if is_tracked else ""}
        if state.is_settled(hub) and read_head(hub) == head:
            write_note(cache, _KIND, key, note)
    return CheckoutFacts(hub, head if note["tracked"] else "", state, note["source_digest"])
