"""Reading a regular file carefully: no link is followed, no pipe waited for, nothing larger than expected read.

A file in a hub (`…_below`) is opened folder by folder from the hub's root, each one below the handle of the one
before: a link in a folder's place is never followed, not even one that is put there at this very moment. The way to the
root is the user's own and may hold links.
Bottom layer and import-light: a cold keyword search reads its index through here.
"""

import errno
import os
from hashlib import sha256

from hub_index.base.file_permissions import is_written_by_us_or_root
from hub_index.frozen import FrozenValue
from hub_index.limits import MAX_PATH_BYTES, MAX_PATH_STEPS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import IO

    AnyPath = str | os.PathLike[str]
    Listed = tuple[str, list[str], dict[str, int], list[str]]

_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK
_FOLDER = os.O_RDONLY | os.O_DIRECTORY
_WAY = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY  # on Linux no right to list a folder is needed on the way
_OF_LINKS = (errno.ELOOP, errno.ENOTDIR, errno.EMLINK)  # how systems refuse to open one


class RootedPath(FrozenValue):
    """A path whose way below `root` holds no link; the way to `root` may hold some."""

    root: "str"  # empty: the current folder
    path: "str"

    def __fspath__(self) -> str:
        return os.path.join(self.root, self.path) if self.path else self.root

    __str__ = __fspath__

    def read(self, name: str, max_bytes: int) -> bytes:
        """The bytes of a file of this folder, as `read_below`."""
        return read_below(self.root or os.curdir, f"{self.path}/{name}" if self.path else name, max_bytes)

    def open(self) -> int:
        """The handle of the folder, as `open_folder_below`."""
        return open_folder_below(self.root or os.curdir, self.path)


def rooted(path: "AnyPath | RootedPath") -> RootedPath:
    """A path that the user named: any link may lead to its last folder, which is not one itself."""
    if isinstance(path, RootedPath):
        return path
    root, name = os.path.split(os.fspath(path).rstrip("/"))
    return RootedPath(os.fspath(path), "") if name in ("", ".", "..") else RootedPath(root, name)


def open_regular(path: "AnyPath", *, dir_fd: int | None = None) -> "IO[bytes]":
    """The file, open and unbuffered. Raises OSError for links, folders, pipes and devices."""
    return _as_file(os.open(path, _FILE, dir_fd=dir_fd), path)


def open_below(root: "AnyPath", path: str) -> "IO[bytes]":
    """As `open_regular`, a file by its path from the hub's root. Raises OSError, also for a link on the way."""
    return _as_file(_open_steps(root, path, _FILE), path)


def open_folder_below(root: "AnyPath", path: str) -> int:
    """The handle of a folder by its path from the hub's root; of the root itself for an empty one. Raises OSError."""
    return _open_steps(root, path, _FOLDER) if path else os.open(root, _FOLDER)


def read_regular(path: str, max_bytes: int) -> bytes:
    """The file's bytes. Raises OSError for anything but a regular file of at most `max_bytes`."""
    return _read(os.open(path, _FILE), path, max_bytes)


def read_own(path: str, max_bytes: int) -> bytes:
    """As `read_regular`, a file of a folder of the user's cache, which is believed: PermissionError says it cannot be.

    Only we or root may be able to write the file, its folder, and the cache above it.
    """
    folder = os.path.dirname(path)
    handle = os.open(path, _FILE)
    if not all(is_written_by_us_or_root(place) for place in (os.path.dirname(folder), folder, handle)):
        os.close(handle)
        raise PermissionError(errno.EPERM, "others may have written it", path)
    return _read(handle, path, max_bytes)


def read_below(root: "AnyPath", path: str, max_bytes: int) -> bytes:
    """As `read_regular`, a file by its path from the hub's root. Raises OSError, also for a link on the way."""
    return _read(_open_steps(root, path, _FILE), path, max_bytes)


def walk_below(root: "AnyPath", start: str) -> "Iterator[Listed]":
    """Each folder from `start` on: its path from the hub's root, and the names of its folders, files and links.

    Folders that the caller takes out of the list are not entered, as with `os.walk`; no link is, and nothing that
    `is_too_deep`. What cannot be opened is left out.
    """
    todo, way = [start], _Way(root)
    try:
        while todo:
            path = todo.pop()
            try:
                listed = _list_handle(way.enter(path))
            except OSError:
                continue
            yield path, *listed
            below = [f"{path}/{name}" if path else name for name in listed[0]]
            todo += [folder for folder in below if not is_too_deep(folder)]
    finally:
        way.leave()


def is_too_deep(folder: str) -> bool:
    """Whether a folder's path from the hub's root is beyond what a record's may be: no walk enters it."""
    return folder.count("/") >= MAX_PATH_STEPS or len(os.fsencode(folder)) > MAX_PATH_BYTES


def is_link(error: OSError) -> bool:
    """Whether a file was not opened because of a link; `filename` is then the link's path from the hub's root."""
    return error.errno == errno.ELOOP


def file_stamp(path: str) -> str:
    """A text that differs for every state of a file, its time of change first; empty if it is missing."""
    try:
        status = os.lstat(path)
    except OSError:
        return ""
    return f"{status.st_ctime_ns} {status.st_mtime_ns} {status.st_size} {status.st_ino}"


def folder_stamp(folder: "AnyPath", suffix: str) -> str:
    """A digest that differs for every state of the folder's files with this ending."""
    try:
        names = sorted(name for name in os.listdir(folder) if name.endswith(suffix))
    except OSError:
        names = []
    lines = [f"{name} {file_stamp(os.path.join(folder, name))}" for name in names]
    return sha256("\n".join(lines).encode("utf-8", "surrogateescape")).hexdigest()


def _open_steps(root: "AnyPath", path: str, flags: int) -> int:
    """A handle of the entry at a path below a root, each step opened below the one before."""
    steps = path.split("/")
    handle = os.open(root, _WAY)
    for depth, step in enumerate(steps, start=1):
        above = handle
        try:
            if step in ("", ".", ".."):
                raise FileNotFoundError(errno.ENOENT, "it is no path below the hub", path)
            handle = os.open(step, (flags if depth == len(steps) else _WAY) | os.O_NOFOLLOW, dir_fd=above)
        except OSError as error:
            if link := _link_error(error, above, steps[:depth]):
                raise link from error
            raise
        finally:
            os.close(above)
    return handle


def _link_error(error: OSError, above: int, steps: list[str]) -> OSError | None:
    """The error for a link at the last step, under any name of the system's; None for another reason."""
    try:
        if error.errno in _OF_LINKS and os.lstat(steps[-1], dir_fd=above).st_mode & 0o170000 == 0o120000:
            return OSError(errno.ELOOP, "it is a link, and links are not followed", "/".join(steps))
    except OSError:  # gone, or changed a moment ago
        pass
    return None


def _as_file(handle: int, path: "AnyPath") -> "IO[bytes]":
    _check_regular(handle, path)
    return open(handle, "rb", buffering=0)


def _read(handle: int, path: str, max_bytes: int) -> bytes:
    size = _check_regular(handle, path)  # a file object would take a third longer, and a first search reads every skill
    try:
        if size > max_bytes:
            raise OSError(errno.EFBIG, f"it is larger than {max_bytes} bytes", path)
        return os.read(handle, size + 1)  # the one byte more shows a reader that checks a digest that the file grew
    finally:
        os.close(handle)


def _check_regular(handle: int, path: "AnyPath") -> int:
    """The size of an open regular file; closes any other and raises OSError."""
    status = os.fstat(handle)
    if status.st_mode & 0o170000 != 0o100000:  # looked at first: `open` would leave a folder's handle open
        os.close(handle)
        raise OSError(errno.EINVAL, "it is a folder, a pipe or a device", os.fspath(path))
    return status.st_size


class _Way:
    """The folders from where a walk began down to where it is, all open: each is opened once, below its own folder."""

    __slots__ = ("_handles", "_paths", "_root")

    def __init__(self, root: "AnyPath") -> None:
        self._root = root
        self._paths: list[str] = []
        self._handles: list[int] = []

    def enter(self, path: str) -> int:
        """The handle of the first folder, or of one that a folder on the way has listed. Raises OSError."""
        if not self._handles:
            handle = open_folder_below(self._root, path)
        else:
            above, _, name = path.rpartition("/")
            while self._paths[-1] != above and len(self._paths) > 1:
                self._leave_last()
            handle = os.open(name, _FOLDER | os.O_NOFOLLOW, dir_fd=self._handles[-1])
        self._paths.append(path)
        self._handles.append(handle)
        return handle

    def leave(self) -> None:
        """Lets go of all handles."""
        while self._handles:
            self._leave_last()

    def _leave_last(self) -> None:
        self._paths.pop()
        os.close(self._handles.pop())


def _list_handle(handle: int) -> "tuple[list[str], dict[str, int], list[str]]":
    """Folders, files with their sizes, and links."""
    folders: list[str] = []
    files: dict[str, int] = {}
    links: list[str] = []
    with os.scandir(handle) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                folders.append(entry.name)
            elif entry.is_symlink():
                links.append(entry.name)
            elif entry.is_file(follow_symlinks=False) and (size := _size_of(entry)) is not None:
                files[entry.name] = size
    return folders, files, links


def _size_of(entry: "os.DirEntry[str]") -> int | None:
    """A file's size; None where git has just taken it away."""
    try:
        return entry.stat(follow_symlinks=False).st_size
    except OSError:
        return None
