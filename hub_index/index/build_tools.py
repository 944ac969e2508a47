"""A build as a value: its options, its outside parts (encoder, vector cache, runner of the steps, progress display),
and the job.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from hub_index.embedding.encoder import Encoder
from hub_index.hub.config import chosen_labels
from hub_index.hub.git.repository import Repository
from hub_index.hub.known_trees import NOTHING_KNOWN, KnownTrees
from hub_index.hub.snapshot import HubState
from hub_index.hub.uncommitted import uncommitted_notice
from hub_index.index.folder.hold import Hold
from hub_index.index.format.verify import NOTHING_ACCEPTED, AcceptedSections
from hub_index.index.previous import PreviousLookup
from hub_index.index.reporting.ledger import Ledger
from hub_index.index.reporting.report import BuildReport, hub_notices
from hub_index.limits import DEFAULT_MAX_DROP
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


@dataclass(frozen=True, slots=True)
class BuildOptions:
    """The user's options of a build."""

    rev: str = "HEAD"
    out: Path | None = None  # None: the hub's own output folder
    force: bool = False
    strict: bool = False
    allow_shrink: bool = False
    accept: frozenset[str] = frozenset()  # gates that this build may pass: vectors, quality, risks
    max_drop: float = DEFAULT_MAX_DROP  # how much worse labelled queries may be answered, in points of nDCG@10
    dry_run: bool = False
    model_alias: str | None = None
    takes_hub_alias: bool = True  # a user's own index goes under its model's own name
    max_cost_usd: float | None = None


@dataclass(frozen=True, slots=True)
class Job:
    """One build: what is read, what was there before, what was asked for, and with which tools."""

    repo: Repository
    state: HubState
    previous: PreviousLookup
    options: BuildOptions
    tools: BuildTools
    uncommitted: tuple[str, ...] = ()  # files of skills of the work tree that the state does not have
    hold: Hold | None = None  # a held index stays as it is, and a dry run says so

    def first_notices(self, report: BuildReport, *more: str) -> list[str]:
        """The notices before any check, some of them empty: the one list of a build, which its later steps extend."""
        notices = [*hub_notices(self.state, self.previous), *report.notices, *more]
        return [*notices, self._labels_notice(), uncommitted_notice(self.uncommitted)]

    def report(self, plan: BuildReport, notices: Iterable[str], **values: Any) -> BuildReport:
        """The report of a finished run: the values of its plan, its notices but for empty ones, and `values`."""
        held = self.hold.sentence() if self.hold is not None else ""
        all_notices = tuple(filter(None, (*notices, held)))
        return replace(plan, uncommitted=self.uncommitted, held=self.hold, notices=all_notices, **values)

    def _labels_notice(self) -> str:
        """A notice about labelled queries that the hub's settings name and that are missing; else empty."""
        if not chosen_labels(self.state.config):
            return ""
        # late: most hubs choose none, and an unchanged build is measured
        from hub_index.hub.labels.label_files import missing_notice

        return missing_notice(self.repo, self.state)
