"""Reading a regular file carefully: no link is followed, no pipe waited for, nothing larger than expected read.

Bottom layer and import-light: a cold keyword search reads its index through here.
"""

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import IO

_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK


def open_regular(path: "str | os.PathLike[str]", *, dir_fd: int | None = None) -> "IO[bytes]":
    """The file, open and unbuffered. Raises OSError for links, folders, pipes and devices."""
    handle = os.open(path, _FLAGS, dir_fd=dir_fd)
    _check_regular(handle, path)
    return open(handle, "rb", buffering=0)


def read_regular(path: str, max_bytes: int) -> bytes:
    """The file's bytes. Raises OSError for anything but a regular file of at most so many bytes."""
    handle = os.open(path, _FLAGS)  # a file object would take a third longer, and a first search reads every skill
    size = _check_regular(handle, path)
    try:
        if size > max_bytes:
            raise OSError(27, f"it is larger than {max_bytes} bytes", path)
        return os.read(handle, size + 1)  # the one byte more tells a reader that checks a digest that the file grew
    finally:
        os.close(handle)


def file_stamp(path: str) -> str:
    """What tells a file from what stood there before, its time of change first; empty where there is none."""
    try:
        status = os.lstat(path)
    except OSError:
        return ""
    return f"{status.st_ctime_ns} {status.st_mtime_ns} {status.st_size} {status.st_ino}"


def _check_regular(handle: int, path: "str | os.PathLike[str]") -> int:
    """The size of what is open; closes it and raises OSError where it is not a regular file."""
    status = os.fstat(handle)
    if status.st_mode & 0o170000 != 0o100000:  # looked at first: `open` would leave a folder's handle open
        os.close(handle)
        raise OSError(22, "it is a folder, a pipe or a device", os.fspath(path))
    return status.st_size
