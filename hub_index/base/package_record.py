"""The digest of a file that a package installed, taken from its installer's note if there is one.

Import-light: a cold keyword query with Chinese words asks for one.
"""

import os
from binascii import a2b_base64
from hashlib import file_digest

_URL_SAFE = bytes.maketrans(b"-_", b"+/")


class RecordedFile:
    """The entry of one file in an installer's RECORD, and the time of the entry."""

    __slots__ = ("sha256", "size", "written_ns")

    def __init__(self, sha256: str, size: int, written_ns: int) -> None:
        self.sha256 = sha256
        self.size = size
        self.written_ns = written_ns


def read_record(root: str, distribution: str, names: "tuple[str, ...]") -> dict[str, RecordedFile]:
    """The entries of these files in RECORD; empty unless there is exactly one RECORD of that distribution.

    `root` is the folder of the installed package, `distribution` its name in folder spelling.
    """
    recorded: dict[str, RecordedFile] = {}
    try:
        folders = [name for name in os.listdir(root) if _is_dist_info(name, distribution)]
        if len(folders) != 1:
            return {}
        with open(os.path.join(root, folders[0], "RECORD"), encoding="utf-8") as file:
            written_ns = os.fstat(file.fileno()).st_mtime_ns
            for line in file:
                name, _, rest = line.rstrip("\n").partition(",")  # CSV, but none of our names needs quotes
                if name in names and rest.startswith("sha256="):
                    digest, _, size = rest.removeprefix("sha256=").partition(",")
                    sha256 = a2b_base64(digest.encode().translate(_URL_SAFE) + b"=").hex()
                    recorded[name] = RecordedFile(sha256, int(size), written_ns)
    except (OSError, ValueError):
        return {}
    return recorded


def digest_file(path: "str | os.PathLike[str]", recorded: RecordedFile | None) -> str:
    """The recorded digest where size and time say that the file is the recorded one; else the digest of its bytes.

    Raises OSError.
    """
    status = os.stat(path)
    # Installers write RECORD last: a file younger than it is not what they wrote (or a copy, and this is only slower).
    if recorded and status.st_size == recorded.size and status.st_mtime_ns <= recorded.written_ns:
        return recorded.sha256
    with open(path, "rb") as file:
        return file_digest(file, "sha256").hexdigest()


def _is_dist_info(name: str, distribution: str) -> bool:
    return name.startswith(f"{distribution}-") and name.endswith(".dist-info")
