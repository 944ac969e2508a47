"""A progress bar on stderr, only on a terminal, so that logs and pipes stay clean."""

import sys
import time
from types import TracebackType

_BAR_COLUMNS = 30
_REDRAW_S = 0.1


class ProgressBar:
    """Shows one piece of work after another; draws nothing where stderr is not a terminal."""

    def __init__(self) -> None:
        self._label = ""
        self._total = 0
        self._done = 0
        self._started_s = time.monotonic()
        self._drawn_s = 0.0
        self._shows = sys.stderr.isatty()

    def __enter__(self) -> "ProgressBar":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._drawn_s:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()

    def expect(self, what: str, total: int) -> None:
        """Says what comes next and how much of it there is; 0 if that is not known."""
        self._label, self._total, self._done = what, total, 0
        self._started_s = time.monotonic()

    def advance(self, done: int) -> None:
        """Says that so much more is done."""
        self._done += done
        now_s = time.monotonic()
        if self._shows and self._label and now_s - self._drawn_s >= _REDRAW_S:
            self._drawn_s = now_s
            self._draw(now_s)

    def show_step(self, what: str, done: int, total: int) -> None:
        """Shows what git says of its progress: how much of which step is done."""
        if what.lower() != self._label:
            self.expect(what.lower(), total)
        self.advance(done - self._done)

    def _draw(self, now_s: float) -> None:
        if not self._total:
            sys.stderr.write(f"\r\x1b[K{self._label}: {self._done:,}")
            sys.stderr.flush()
            return
        share = min(1.0, self._done / self._total)
        filled = int(share * _BAR_COLUMNS)
        elapsed_s = now_s - self._started_s
        left_s = elapsed_s * (1 - share) / share if share else 0.0
        bar = "#" * filled + "-" * (_BAR_COLUMNS - filled)
        sys.stderr.write(f"\r\x1b[K{self._label} [{bar}] {self._done}/{self._total}, {left_s:.0f} s left")
        sys.stderr.flush()
