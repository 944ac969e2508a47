"""A service that records its searches and uses, if the user's settings ask for it: for the doors that stay open."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from hub_index.cli.terminal import notice
from hub_index.settings import Settings

if TYPE_CHECKING:
    from hub_index.service.service import Service


@contextmanager
def recorded(service: "Service", settings: Settings) -> Iterator[None]:
    """Records during the block; a failure to write is reported at the end."""
    if not settings.traces:
        yield
        return
    from hub_index.service.trace_recorder import add_recorder

    recorder = add_recorder(service, settings.state_folder)
    try:
        yield
    finally:
        recorder.close()
        if recorder.trouble:
            notice(recorder.trouble)
