"""The traces of a run on the server: its name, and its table, also if it fails. An unreachable server stops no run."""

import time
from types import TracebackType

import httpx
from prefect.artifacts import create_markdown_artifact
from prefect.client.orchestration import get_client
from prefect.context import FlowRunContext
from prefect.exceptions import PrefectException

from hub_index.index.reporting.ledger import Ledger
from hub_index.index.reporting.summary import RunNames, format_failure

SERVER_ERRORS = (httpx.HTTPError, PrefectException, OSError)
_REVISION_CHARS = 12


class RunTable:
    """The table of a run: of one that leaves the block with an error, it says why and what it has cost."""

    def __init__(self, hub_name: str) -> None:
        self.ledger = Ledger()
        self._name = hub_name
        self._started_s = time.monotonic()

    def show(self, table: str) -> None:
        """Puts a table on the server."""
        try:
            create_markdown_artifact(table, key=f"hub-index-run-{self._name}")
        except SERVER_ERRORS:
            return

    def __enter__(self) -> "RunTable":
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        if error is not None:
            seconds = time.monotonic() - self._started_s
            self.show(format_failure(error, self.ledger, seconds, RunNames(self._name)))


def rename_run(hub_name: str, revision: str) -> None:
    """Lets a run's name say which revision it reads: with `publish` that is known only after the fetch."""
    context = FlowRunContext.get()
    if context is None or context.flow_run is None:
        return
    try:
        with get_client(sync_client=True) as client:
            client.update_flow_run(context.flow_run.id, name=f"{hub_name}@{revision[:_REVISION_CHARS]}")
    except SERVER_ERRORS:
        return
