"""Lines about trouble for the server's owner: at most one a second of each kind, the others are counted.

Clients can cause trouble as often as they like; without a limit they would decide how much is written.
"""

import math
import time
from collections.abc import Callable

_APART_S = 1.0


class WarningLines:
    """The lines of one server; a line's text is its kind, so it quotes nothing that a client chose."""

    def __init__(self, write: Callable[[str], None], clock: Callable[[], float] = time.monotonic) -> None:
        self._write = write
        self._clock = clock
        self._counts: dict[str, tuple[float, int]] = {}  # when a line was written last, and how often not since

    def say(self, line: str) -> None:
        """Writes the line, or counts it where the same one was written less than a second ago."""
        now_s = self._clock()
        written_s, unwritten = self._counts.get(line, (-math.inf, 0))
        if now_s - written_s < _APART_S:
            self._counts[line] = (written_s, unwritten + 1)
            return
        self._counts[line] = (now_s, 0)
        self._write(f"{line} (and {unwritten} more)" if unwritten else line)

    def close(self) -> None:
        """Writes how many were counted since each line was written last."""
        for line, (_, unwritten) in self._counts.items():
            if unwritten:
                self._write(f"{line} (and {unwritten} more)")
        self._counts.clear()
