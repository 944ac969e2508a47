"""index_hold.json beside an index: builds keep this index until `hub-index publish --resume`.

The presence of the file counts. Its text is for people, comes with the hub and is only ever shown.
"""

import json
import os
from dataclasses import dataclass

from hub_index.base.characters import short_line
from hub_index.base.safe_open import rooted
from hub_index.errors import IndexCorrupt
from hub_index.index.folder.open_folder import IndexFolder
from hub_index.index.format.strict_json import parse_object
from hub_index.limits import MAX_HOLD_BYTES

HOLD_FILE = "index_hold.json"
_NOTE = "Builds leave this index as it is. `hub-index publish --resume` builds again and removes this file."


@dataclass(frozen=True, slots=True)
class Hold:
    """The start of the hold, its author, and the commit whose index was put back; empty if the file does not say."""

    held_since: str = ""
    held_by: str = ""
    index_of: str = ""

    def sentence(self) -> str:
        """The notice for a maintainer instead of a build."""
        since = f" since {self.held_since}" if self.held_since else ""
        by = f" by {self.held_by}" if self.held_by else ""
        origin = f" (it is that of commit {self.index_of[:12]})" if self.index_of else ""
        return (
            f"the index is held{since}{by}{origin} and stays as it is; `hub-index publish --resume` lets builds go on"
        )


def encode_hold(hold: Hold) -> bytes:
    """The file's bytes."""
    values = {"held_since": hold.held_since, "held_by": hold.held_by, "index_of": hold.index_of, "note": _NOTE}
    return (json.dumps(values, ensure_ascii=False, indent=2) + "\n").encode("utf-8")


def parse_hold(data: bytes) -> Hold:
    """The fields in the bytes, as clean lines; an empty, damaged or huge file holds an index too."""
    try:
        values = parse_object(data[:MAX_HOLD_BYTES], HOLD_FILE)
    except IndexCorrupt:
        return Hold()
    texts = (values.get(key) for key in ("held_since", "held_by", "index_of"))
    return Hold(*(short_line(text) if isinstance(text, str) else "" for text in texts))


def read_hold(folder: IndexFolder) -> Hold | None:
    """The hold of an index folder; None without one."""
    if not os.path.lexists(os.path.join(folder, HOLD_FILE)):
        return None
    try:
        return parse_hold(rooted(folder).read(HOLD_FILE, MAX_HOLD_BYTES))
    except OSError:
        return Hold()
