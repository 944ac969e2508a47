"""Which skills a checkout holds, in one digest, and whether an index was made from just these.

Worked out once for each state of HEAD and git's index, and remembered only if that was the state before and after.
"""

import os
from hashlib import sha256

from hub_index.frozen import FrozenValue
from hub_index.search.cache_notes import read_note, write_note
from hub_index.search.checkout.git_head import read_head
from hub_index.search.checkout.state import CheckoutState, read_state

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hub_index.search.checkout.files import Progress

_KIND = "checkouts"  # a note for each hub: the state it was last seen in
_NOTED = ("state", "source_digest", "tracked")


class CheckoutFacts(FrozenValue):
    """A checkout's folder, commit and state, and the manifest's `source_digest` of it; empty what cannot be known.

    A folder of which git tracks nothing, inside of a repository, is at no commit.
    """

    hub: str
    head: str
    state: CheckoutState
    source_digest: str

    def is_stale(self, source_digest: str) -> bool | None:
        """Whether an index of that digest was made from other skills than these; None where nobody can tell."""
        return self.source_digest != source_digest if self.source_digest and source_digest else None

    def may_hold_more(self, source_digest: str) -> bool:
        """Whether skills may be here that an index of that digest does not know."""
        return bool(self.source_digest) and self.source_digest != source_digest

    def content_key(self, progress: "Progress | None" = None) -> str:
        """What tells these files from others: the digest, else git's state, else every file's size and time."""
        if self.source_digest:
            return self.source_digest
        if self.head:
            return f"{self.head} {self.state.stamp}"
        if not self.hub:
            return ""
        from hub_index.search.checkout.files import digest_files, list_checkout

        return digest_files(self.hub, list_checkout(self.hub, progress))

    def is_settled(self, content_key: str) -> bool:
        """Whether the files are still those of this key, so that what was read of them may be stored."""
        if not self.state.is_settled(self.hub) or (self.head and read_head(self.hub) != self.head):
            return False
        return self.content_key() == content_key


def read_facts(hub: str, cache: str) -> CheckoutFacts:
    """What is known of a checkout right now; an empty name is none."""
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
