"""What a build is given from outside: who embeds, where vectors are kept, who runs the steps, who shows progress."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from hub_index.embedding.encoder import Encoder
from hub_index.index.ledger import Ledger

if TYPE_CHECKING:
    from hub_index.embedding.batches import BatchRunner
    from hub_index.embedding.cache.cache import VectorCache

T = TypeVar("T")


class Watcher(Protocol):
    """Is told how far a build has come."""

    def expect(self, what: str, total: int) -> None:
        """So many units of this work are to be done."""

    def advance(self, done: int) -> None:
        """So many more are done."""


class SilentWatcher:
    """The watcher of a build whose progress is not shown."""

    def expect(self, what: str, total: int) -> None:
        """Says nothing."""

    def advance(self, done: int) -> None:
        """Says nothing."""


def run_here(_name: str, work: Callable[[], Any]) -> Any:
    """Runs a step in this process, now; the flow runs it as a task of that name."""
    return work()


def utc_now() -> datetime:
    """The clock; only `created_at` uses it."""
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class BuildTools:
    """What a build is given; each can be replaced by the flow or by a test."""

    encoder_for: Callable[[str | None], Encoder]  # receives the model that hub-index.toml names
    cache: "VectorCache | None" = None
    run_batches: "BatchRunner | None" = None
    run_step: Callable[[str, Callable[[], Any]], Any] = run_here
    watcher: Watcher = field(default_factory=SilentWatcher)
    now: Callable[[], datetime] = utc_now
    ledger: Ledger = field(default_factory=Ledger)  # of one run

    def step(self, name: str, work: Callable[[], T]) -> T:
        """What the step gives back, run wherever this build runs its steps."""
        result: T = self.run_step(name, work)
        return result
