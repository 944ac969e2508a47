"""The answers under way: work in the background waits until there are none."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Watcher = Callable[[str, int, int], None]  # a hub's name, how many texts are embedded, of how many


class Traffic:
    """Counts the answers under way, so that background work can wait for a quiet moment."""

    def __init__(self) -> None:
        self._answers = 0
        self._quiet = threading.Condition()
        self._is_closed = False
        self.watchers: list[Watcher] = []

    @contextmanager
    def answer(self) -> Iterator[None]:
        """Around every answer."""
        with self._quiet:
            self._answers += 1
        try:
            yield
        finally:
            with self._quiet:
                self._answers -= 1
                self._quiet.notify_all()

    def wait_for_quiet(self) -> bool:
        """Waits until no answer is under way; False if the service was closed meanwhile."""
        with self._quiet:
            self._quiet.wait_for(lambda: self._is_closed or not self._answers)
            return not self._is_closed

    def close(self) -> None:
        """Ends all waiting."""
        with self._quiet:
            self._is_closed = True
            self._quiet.notify_all()

    def tell(self, name: str, done: int, total: int) -> None:
        """Tells the watchers how far a hub's embedding is."""
        for watch in tuple(self.watchers):
            watch(name, done, total)
