"""Disks that fail or die at the n-th operation: SQLite's way of testing."""

import errno
import os
import signal
from collections.abc import Callable
from pathlib import Path

from hub_index.index.folder.disk import Disk


class CountingDisk(Disk):
    """Calls `fault` before the n-th operation (from 1), and after it where it fails for ever; counts them all."""

    def __init__(self, fault: Callable[["CountingDisk"], None], *, can_exchange: bool = True) -> None:
        self.count = 0
        self.fault = fault
        self.can_exchange = can_exchange
        self.operation = ""

    def _step(self, operation: str) -> None:
        self.count += 1
        self.operation = operation
        self.fault(self)

    def make_folder(self, path: Path, mode: int | None = None) -> None:
        self._step("make_folder")
        super().make_folder(path, mode)

    def make_executable(self, path: Path) -> None:
        self._step("make_executable")
        super().make_executable(path)

    def create(self, path: Path, data: bytes) -> None:
        """Two steps, so that a file may be left half written."""
        self._step("create")
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666), "wb", buffering=0) as file:
            file.write(data[: len(data) // 2])
            self._step("write")
            file.write(data[len(data) // 2 :])

    def sync(self, path: Path) -> None:
        """Nothing but a step: a killed process loses no write, and real syncs would only make the loops slow."""
        self._step("sync")

    def link(self, source: Path, target: Path) -> None:
        self._step("link")
        super().link(source, target)

    def rename(self, source: Path, target: Path) -> None:
        self._step("rename")
        super().rename(source, target)

    def exchange(self, first: Path, second: Path) -> bool:
        if not self.can_exchange:
            return False
        self._step("exchange")
        return super().exchange(first, second)

    def remove(self, path: Path) -> None:
        self._step("remove")
        super().remove(path)

    def remove_folder(self, path: Path) -> None:
        self._step("remove_folder")
        super().remove_folder(path)


def die_at(n: int) -> Callable[[CountingDisk], None]:
    """kill -9 before the n-th operation."""

    def fault(disk: CountingDisk) -> None:
        if disk.count == n:
            os.kill(os.getpid(), signal.SIGKILL)

    return fault


def fail_at(n: int, number: int, *, for_ever: bool, removing_too: bool) -> Callable[[CountingDisk], None]:
    """An OSError at the n-th operation, or from it on; a full disk still lets files be removed."""

    def fault(disk: CountingDisk) -> None:
        if disk.count == n or (for_ever and disk.count > n):
            if disk.operation.startswith("remove") and not removing_too:
                return
            raise OSError(number, os.strerror(number))

    return fault


ENOSPC, EIO = errno.ENOSPC, errno.EIO


def run_in_child(work: Callable[[], object]) -> bool:
    """Runs work in a forked child; True where it came to its end, False where it was killed."""
    child = os.fork()
    if child == 0:
        try:
            work()
        except BaseException:
            os._exit(3)
        os._exit(0)
    status = os.waitpid(child, 0)[1]
    if os.WIFSIGNALED(status):
        return False
    assert os.WEXITSTATUS(status) == 0, "the child failed for another reason than the kill"
    return True
