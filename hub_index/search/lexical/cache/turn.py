"""Turns to make an entry: one process at a time, and the others see which process they wait for.

The lock ends with its holder, however that ends, so patience may be longer than the longest build: a process that gave
up would only do the same work a second time, at half the speed.
"""

from __future__ import annotations

import os

from hub_index.base.locks import Lock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_PATIENCE_S = 2 * 3600.0  # a million skills take minutes; a stopped process (Ctrl-Z) holds its lock for ever
_QUIET_S = 1.0  # a small change is made in less, without a message
_MAX_NAME_BYTES = 200


class WorkTurn:
    """A turn, taken when the block is entered. Making one raises OSError."""

    def __init__(self, root: str, waiting: Callable[[str], None] | None) -> None:
        self._lock = Lock(os.path.join(root, "lock"))
        self._waiting = waiting

    def __enter__(self) -> WorkTurn:
        try:
            self._take()
        except OSError:  # a file system without locks; this one only saves work, so that we go on without it
            return self
        return self

    def _take(self) -> None:
        if not self._lock.take(_QUIET_S):
            if self._waiting:
                self._waiting(self._read_holder())
            if not self._lock.take(_PATIENCE_S):
                return
        os.ftruncate(self._lock.handle, 0)
        os.pwrite(self._lock.handle, f"process {os.getpid()}".encode(), 0)

    def _read_holder(self) -> str:
        """The holder of the turn, as it wrote itself into the file."""
        text = os.pread(self._lock.handle, _MAX_NAME_BYTES, 0).decode("utf-8", "replace")
        return text if text.startswith("process ") and text[8:].isdigit() else "another process"

    def __exit__(self, *exception: object) -> None:
        self._lock.__exit__(*exception)
