"""Notes in the user's cache folder: results for some bytes, kept under the digest of these bytes.

A note is named by the digest of its source, so it can be absent but never wrong; a damaged note counts as absent, and a
folder that cannot be written only costs time. Plain lines instead of JSON: a cold keyword query reads two of them and
has some 30 ms in all. The last line has a checksum of the others. A note is used only if no other user could have
written it: its facts on an index or a checkout are not worked out again.
"""

import os
from binascii import crc32

from hub_index.base.file_permissions import make_private_folder, open_private_file, who_else_may_write
from hub_index.base.safe_open import read_own

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_END = "end"
_MAX_NOTE_BYTES = 64 * 1024


def read_note(cache: str, kind: str, key: str, names: "Sequence[str]") -> dict[str, str] | None:
    """The note under this key, if it is whole and has just these names; else None."""
    try:
        text = read_own(os.path.join(cache, kind, key), _MAX_NOTE_BYTES).decode("utf-8", "replace")
    except OSError:
        return None
    body, _, last = text.rpartition("\n")
    fields = [line.partition("=") for line in body.split("\n")]
    if last != _last_line(body) or [name for name, _, _ in fields] != list(names):
        return None
    return {name: value for name, _, value in fields}


def _last_line(body: str) -> str:
    return f"{_END} {crc32(body.encode()):08x}"


def is_private(cache: str, kind: str, key: str) -> bool:
    """True if only this user can write or delete the note. Required for anything that security relies on."""
    folder = os.path.join(cache, kind)
    return not any(map(who_else_may_write, (cache, folder, os.path.join(folder, key))))


def write_note(cache: str, kind: str, key: str, note: dict[str, str]) -> None:
    """Keeps a note if that can be done; a value must not hold a line feed."""
    folder = os.path.join(cache, kind)
    temporary = os.path.join(folder, f".{key}-{os.getpid()}-{os.urandom(4).hex()}")
    body = "\n".join([f"{name}={value}" for name, value in note.items()])
    try:
        make_private_folder(folder)
        with open(temporary, "x", encoding="utf-8", opener=open_private_file) as file:
            file.write(f"{body}\n{_last_line(body)}")
        os.replace(temporary, os.path.join(folder, key))
    except OSError:
        return
