"""The outside parts of a build: encoder, vector cache, runner of the steps, progress display."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from hub_index.embedding.encoder import Encoder
from hub_index.hub.known_trees import NOTHING_KNOWN, KnownTrees
from hub_index.index.format.verify import NOTHING_ACCEPTED, AcceptedSections
from hub_index.index.reporting.ledger import Ledger
from hub_index.models import IndexFiles

if TYPE_CHECKING:
    from hub_index.embedding.batches import BatchRunner
    from hub_index.embedding.cache.vector_cache import VectorCache
    from hub_index.hub.labels.labels import LabelledQuery

T = TypeVar("T")


class Watcher(Protocol):
    """Receives the progress of a build."""

    def expect(self, what: str, total: int) -> None:
        """Announces `total` units of this work."""

    def advance(self, done: int) -> None:
        """Reports `done` more finished units."""


class SilentWatcher:
    """The watcher of a build whose progress is not shown."""

    def expect(self, what: str, total: int) -> None:
        """Says nothing."""

    def advance(self, done: int) -> None:
        """Says nothing."""


class Evaluator(Protocol):
    """Answers labelled queries with an index; the command line passes it in, since index does not import search."""

    def __call__(
        self,
        files: IndexFiles,
        queries: "Sequence[LabelledQuery]",
        encoder: Encoder | None,
        advance: Callable[[int], None],
    ) -> list[float]:
        """nDCG@10 of each query, 0 to 1; without an encoder the index's own model is reached by the search's rules.

        Raises IndexUnusable, ConfigError, ProviderError if the index cannot be asked by meaning.
        """


def run_here(_name: str, work: Callable[[], Any]) -> Any:
    """Runs a step in this process, now; the flow runs it as a task of that name."""
    return work()


def utc_now() -> datetime:
    """The clock; only `created_at` and the time of a hold come from it."""
    return datetime.now(UTC)


def encode_time(time: datetime) -> str:
    """A time of UTC in the form of `created_at`."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ")


@dataclass(frozen=True, slots=True)
class BuildTools:
    """The outside parts of a build; the flow and tests replace them."""

    encoder_for: Callable[[str | None], Encoder]  # receives the model that hub-index.toml names
    cache: "VectorCache | None" = None
    run_batches: "BatchRunner | None" = None
    run_step: Callable[[str, Callable[[], Any]], Any] = run_here
    watcher: Watcher = field(default_factory=SilentWatcher)
    now: Callable[[], datetime] = utc_now
    evaluate: Evaluator | None = None  # None: labelled queries are not asked, as in a build that publishes nothing
    ledger: Ledger = field(default_factory=Ledger)  # of one run
    known_trees: KnownTrees = NOTHING_KNOWN  # what was worked out of a commit's tree before
    accepted: AcceptedSections = NOTHING_ACCEPTED  # records that our reader has checked before

    def step(self, name: str, work: Callable[[], T]) -> T:
        """The result of a step, run by this build's runner."""
        result: T = self.run_step(name, work)
        return result
