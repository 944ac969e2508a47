"""Notes in the user's cache folder: what was worked out once from some bytes, kept under their digest.

Each note is a file named by the digest of what it was made from, so it can be absent but never wrong; a damaged one
counts as absent, and a folder that cannot be written only costs time. Plain lines instead of JSON: a cold keyword
query reads two of them and has some 30 ms in all. The last line has a checksum of the others.
"""

import os
from binascii import crc32

from hub_index.private_place import make_private_folder, who_else_may_write

_END = "end"
_MAX_NOTE_BYTES = 64 * 1024


def read_note(cache: str, kind: str, key: str) -> dict[str, str] | None:
    """What was written under this key, whole, or None."""
    try:
        with open(os.path.join(cache, kind, key), "rb") as file:
            text = file.read(_MAX_NOTE_BYTES).decode("utf-8", "replace")
    except OSError:
        return None
    body, _, last = text.rpartition("\n")
    if last != _last_line(body):
        return None
    return dict(line.split("=", 1) for line in body.split("\n"))


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
        with open(temporary, "x", encoding="utf-8") as file:
            file.write(f"{body}\n{_last_line(body)}")
        os.replace(temporary, os.path.join(folder, key))
    except OSError:
        return
