"""`publish --summary FILE`: the run's table, appended to a file, whether the run went well or not."""

import time
from pathlib import Path
from typing import TYPE_CHECKING

from hub_index.cli.terminal import notice
from hub_index.errors import PublishError
from hub_index.index.reporting.ledger import Ledger
from hub_index.index.reporting.summary import RunNames, format_failure, format_summary

if TYPE_CHECKING:
    from types import TracebackType

    from hub_index.index.publish.publish import PublishOutcome


class RunSummary:
    """The table of one run, which begins now: of one that leaves the block with an error, or of what it did."""

    def __init__(self, hub: Path, file: Path | None) -> None:
        self.ledger = Ledger()
        self._hub, self._file = hub, file
        self._started_s = time.monotonic()

    @property
    def seconds(self) -> float:
        """How long the run has taken so far."""
        return time.monotonic() - self._started_s

    def __enter__(self) -> "RunSummary":
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, error: BaseException | None, _trace: "TracebackType | None"
    ) -> None:
        """Writes why the block failed; a file that cannot be written does not hide that."""
        if error is None or self._file is None:
            return

        try:
            self._write(format_failure(error, self.ledger, self.seconds, self._names()))
        except OSError as unwritten:
            notice(f"note: --summary {self._file} cannot be written ({unwritten.strerror})")

    def append(self, published: "PublishOutcome") -> None:
        """Writes what the run did. Raises PublishError."""
        if self._file is None:
            return

        names = self._names(published.commit)
        try:
            self._write(format_summary(published.report, self.seconds, published.place, names))
        except OSError as error:
            state = f"commit {published.commit[:12]} is in" if published.commit else "nothing had to be published to"
            raise PublishError(
                f"--summary {self._file} cannot be written ({error.strerror}), but everything else is done: "
                f"{state} {published.place}"
            ) from error

    def _names(self, commit: str | None = None) -> "RunNames":
        from hub_index.hub.git.address import name_hub

        return RunNames(name_hub(self._hub), commit)

    def _write(self, text: str) -> None:
        if self._file is not None:
            with self._file.open("a", encoding="utf-8") as file:
                file.write(text)
