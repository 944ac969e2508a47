"""The progress of a run, as a Prefect artifact; a slow or unreachable server never stops a build."""

import threading
import time
from typing import cast
from uuid import UUID

from prefect.artifacts import create_progress_artifact, update_progress_artifact

from pipelines.run_table import SERVER_ERRORS

_UPDATE_S = 2.0  # an update takes some 20 ms of the server's time


class ProgressArtifact:
    """Shows the progress of embedding; other steps take moments and are not worth a request."""

    def __init__(self, hub_name: str) -> None:
        self._key = f"hub-index-progress-{hub_name}"
        self._artifact: UUID | None = None
        self._total = 0
        self._done = 0
        self._told_s = 0.0
        self._lock = threading.Lock()

    def expect(self, what: str, total: int) -> None:
        """Makes the artifact when embedding begins and there is something to embed."""
        self._total, self._done = total, 0
        if what != "embedding" or total == 0:
            self._total = 0
            return
        try:
            if self._artifact is None:
                artifact = create_progress_artifact(0.0, key=self._key, description="texts embedded")
                self._artifact = cast(UUID, artifact)  # a coroutine only where an event loop runs
            else:
                update_progress_artifact(self._artifact, 0.0)  # a race made the build start again
        except SERVER_ERRORS:
            self._artifact = None

    def advance(self, done: int) -> None:
        """Tells the server every two seconds, and always at the end; called from the threads that embed."""
        with self._lock:
            self._done += done
            now_s = time.monotonic()
            is_time = now_s - self._told_s >= _UPDATE_S or self._done >= self._total
            if self._artifact is None or self._total == 0 or not is_time:
                return
            self._told_s = now_s
            try:
                update_progress_artifact(self._artifact, min(100.0, 100.0 * self._done / self._total))
            except SERVER_ERRORS:
                self._artifact = None
