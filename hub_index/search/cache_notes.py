"""Notes in the user's cache folder: what was worked out once from some bytes, kept under their digest.

Each note is a file named by the digest of what it was made from, so it can be absent but never wrong; a damaged one
counts as absent, and a folder that cannot be written only costs time. Plain lines instead of JSON: a cold keyword
query reads two of them and has some 30 ms in all. The last line has a checksum of the others. A note is believed only
where nobody else may have written it: what it says of an index or a checkout is not worked out again.
"""

import os
from binascii import crc32

from hub_index.private_place import make_private_folder, open_private_file, who_else_may_write
from hub_index.regular_file import read_own

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_END = "end"
_MAX_NOTE_BYTES = 64 * 1024


def read_note(cache: str, kind: str, key: str, names: "Sequence[str]") -> dict[str, str] | None:
    """What we wrote under this key, whole and of just these names, or None."""
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
    """Whether nobody but us can have written this note, or taken it away; what trust hangs on is kept only so."""
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
