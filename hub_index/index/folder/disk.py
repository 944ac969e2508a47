"""The one seam to the file system for writing: tests make its n-th operation fail, or die there (F44, F45, F56)."""

import errno
import os
import sys
from pathlib import Path

_RENAME_EXCHANGE = 2  # Linux's <linux/fs.h> and macOS's RENAME_SWAP happen to agree
_AT_FDCWD = -100
_CANNOT_EXCHANGE = (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP)


class Disk:
    """Each method is one step that a crash may leave behind as the last one. All raise OSError."""

    def make_folder(self, path: Path, mode: int | None = None) -> None:
        """Makes a new folder, with the rights of the one it will replace; one that is there already is an error."""
        path.mkdir()
        if mode is not None:
            path.chmod(mode)

    def create(self, path: Path, data: bytes) -> None:
        """Writes a new file; one that is there already is an error."""
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o666), "wb") as file:
            file.write(data)

    def make_executable(self, path: Path) -> None:
        """Lets everyone run a file who may read it."""
        mode = path.lstat().st_mode
        path.chmod((mode & 0o777) | (mode & 0o444) >> 2)

    def sync(self, path: Path) -> None:
        """Returns when a file or folder has reached the disk."""
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)

    def link(self, source: Path, target: Path) -> None:
        """Gives a file, or a link itself, a second name."""
        os.link(source, target, follow_symlinks=False)

    def rename(self, source: Path, target: Path) -> None:
        """Moves a file or folder."""
        source.rename(target)

    def exchange(self, first: Path, second: Path) -> bool:
        """Swaps two names in one step; False if the system cannot."""
        return exchange_names(first, second)

    def remove(self, path: Path) -> None:
        """Removes a file or link."""
        path.unlink()

    def remove_folder(self, path: Path) -> None:
        """Removes an empty folder."""
        path.rmdir()


def exchange_names(first: Path, second: Path) -> bool:
    """Swaps two names by the kernel's own call; False if the system lacks it. Raises OSError."""
    import ctypes  # takes 10 ms, and readers do not need it

    library = ctypes.CDLL(None, use_errno=True)
    names = os.fsencode(first), os.fsencode(second)
    if hasattr(library, "renameat2"):
        status = library.renameat2(_AT_FDCWD, names[0], _AT_FDCWD, names[1], _RENAME_EXCHANGE)
    elif sys.platform == "darwin" and hasattr(library, "renamex_np"):
        status = library.renamex_np(*names, _RENAME_EXCHANGE)
    else:
        return False
    if status == 0:
        return True
    number = ctypes.get_errno()
    if number in _CANNOT_EXCHANGE:
        return False
    raise OSError(number, os.strerror(number), str(first), None, str(second))
