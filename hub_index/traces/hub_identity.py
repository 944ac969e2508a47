"""The hub of a trace: a digest of its place, so that no path is recorded, and its revision."""

import json
import os
from hashlib import sha256

from hub_index.limits import MAX_MANIFEST_BYTES, MAX_MANIFEST_TEXT_CHARS
from hub_index.search.checkout.git_head import read_head
from hub_index.search.index import Index
from hub_index.search.places.verified_records import MANIFEST


def identify_hub(index: Index) -> str:
    """The same text for the same checkout, or index folder; skills of one id in two hubs stay apart."""
    place = index.reader.hub or index.reader.places[-1].index_dir
    return sha256(os.fsencode(os.path.realpath(place))).hexdigest()[:16]


def read_revision(index: Index, index_dir: str) -> str:
    """The commit of the answer's index, else that of the checkout; empty if neither is known."""
    if index_dir:
        try:
            manifest = json.loads(index.reader.folder_of(index_dir).read(MANIFEST, MAX_MANIFEST_BYTES))
            return str(manifest["hub_revision"])[:MAX_MANIFEST_TEXT_CHARS]
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return ""
    return read_head(index.reader.hub) if index.reader.hub else ""
