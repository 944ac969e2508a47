"""Arguments → one publication, with its page and its summary: `publish` and `build --commit` run it.

`publish --summary FILE` appends the run's table to a file, whether the run went well or not.
"""

import argparse
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from hub_index.cli.terminal import notice
from hub_index.cli.text.report_text import print_report
from hub_index.cli.wiring.build_wiring import build_options, build_tools
from hub_index.errors import PublishError
from hub_index.hub.git.address import name_hub
from hub_index.index.build_tools import BuildTools
from hub_index.index.publish.publish import PublishOptions, PublishOutcome, publish_index
from hub_index.index.publish.rollback import roll_back
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
        return RunNames(name_hub(self._hub), commit)

    def _write(self, text: str) -> None:
        if self._file is not None:
            with self._file.open("a", encoding="utf-8") as file:
                file.write(text)


def run_publish(arguments: argparse.Namespace) -> int:
    """Publishes or rolls back, then prints the summary."""
    asked = vars(arguments)  # `build --commit` has no --remote, --branch, --orphan and --summary
    options = PublishOptions(
        push=arguments.push,
        remote=asked.get("remote"),
        branch=asked.get("branch"),
        orphan=asked.get("orphan", False),
        author=arguments.author,
        message=arguments.message,
        resume=asked.get("resume", False),
        sign=arguments.sign,
    )
    summary = RunSummary(arguments.hub, asked.get("summary"))
    is_rollback = asked.get("rollback") is not None
    with summary, build_tools(arguments, evaluates=not is_rollback) as tools:
        if asked.get("page"):
            from hub_index.cli.wiring.page_wiring import check_page_place, publish_page_of

            check_page_place(arguments)
        published = _change_branch(arguments, options, replace(tools, ledger=summary.ledger))
    place = arguments.hub / published.folder if arguments.json else published.place
    state: dict[str, object] = {"branch": published.branch, "commit": published.commit, "tries": published.tries}
    state["rolled_back_to"] = published.rolled_back_to
    try:
        if asked.get("page"):
            state["page"] = publish_page_of(arguments, published.folder)
    finally:  # whatever becomes of the page, the index is published
        print_report(published.report, place, summary.seconds, arguments, **state)
        summary.append(published)
    return 0


def _change_branch(arguments: argparse.Namespace, options: PublishOptions, tools: BuildTools) -> PublishOutcome:
    rollback = vars(arguments).get("rollback")
    if rollback is None:
        return publish_index(arguments.hub, build_options(arguments), options, tools)
    return roll_back(arguments.hub, None if rollback is True else rollback, options, tools)
