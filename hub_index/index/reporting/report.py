"""The report of a build or plan: plain values for the summary, `--json` and the flow's table."""

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from hub_index.embedding.encoder import Encoder
from hub_index.embedding.known_models import find_model, language_warning
from hub_index.hub.config import DEFAULT_ROOT
from hub_index.hub.skill.problems import counted
from hub_index.hub.snapshot import HubState
from hub_index.hub.tree.roots import OutsideSkills, count_unknown_names
from hub_index.index.folder.hold import Hold
from hub_index.index.previous import PreviousLookup
from hub_index.models import IndexFiles, Manifest, Problem

if TYPE_CHECKING:
    from hub_index.embedding.cache.vector_cache import VectorCache

_SHALLOW = (
    "the clone is shallow: hub_revision is the commit that was read, and the dates of new records may be too late; a "
    "build in a full clone (`git fetch --unshallow`, `fetch-depth: 0`) puts them right"
)


@dataclass(frozen=True, slots=True)
class QualityChange:
    """Mean nDCG@10 of the hub's labelled queries before and after, in points: 100 is perfect."""

    queries: int
    before: float
    after: float
    standard_error: float  # of the difference, query by query
    nothing: int = 0  # of the queries: those that nothing fits, where a first hit called strong counts as a miss

    def sentence(self) -> str:
        """Both figures in words."""
        change = round(self.after - self.before, 1) + 0.0  # a fall of nothing is not -0.0
        none = f", of which nothing fits {self.nothing}" if self.nothing else ""
        return (
            f"nDCG@10 {self.before:.1f} before, {self.after:.1f} now ({change:+.1f} ± "
            f"{self.standard_error:.1f} points, {counted(self.queries, 'question')}{none})"
        )


@dataclass(frozen=True, slots=True)
class GateQueries:
    """The queries for both indexes, and the old index's model if it is another: each API is paid."""

    texts: tuple[str, ...] = ()
    other_model: str = ""


@dataclass(frozen=True, slots=True)
class BuildReport:
    """The outcome of one build or plan; counts are of rows, `embedded` of distinct texts new to the index."""

    revision: str
    model_id: str
    skills: int
    embedded: int = 0
    reused: int = 0
    added: tuple[str, ...] = ()
    edited: tuple[str, ...] = ()  # ids that were there with another text
    removed: tuple[str, ...] = ()
    from_cache: int = 0
    tokens: int | None = None
    tokens_exact: bool = False
    cost_usd: float | None = None  # None: the price is unknown
    price_source: str = ""
    problems: tuple[Problem, ...] = ()
    outside: OutsideSkills | None = None  # None: not counted, since nothing was read
    files_read: int = 0
    changed: bool = False  # whether the published index has new bytes
    would_change: bool = False  # whether a build would give it some: only a dry run says so
    quality: QualityChange | None = None  # None: nothing was compared
    held: Hold | None = None  # the index stays as it is until its owner resumes
    uncommitted: tuple[str, ...] = ()  # skills of the work tree that were not read, since no commit has them
    notices: tuple[str, ...] = field(default=())

    @property
    def state(self) -> str:
        """The state of the index after the run, in a word or two."""
        if self.held:
            return "earlier index put back and held" if self.changed else "held"
        if self.changed:
            return "new index"
        return "made anew, with the same bytes as before" if self.embedded else "nothing changed"

    def problem_counts(self) -> dict[str, int]:
        """{level: how many}."""
        counts = Counter(problem.level for problem in self.problems)
        return {level: counts[level] for level in ("error", "warning", "advice")}

    def serious_problems(self) -> list[Problem]:
        """All but advice, errors first."""
        errors = [problem for problem in self.problems if problem.level == "error"]
        return errors + [problem for problem in self.problems if problem.level == "warning"]


@dataclass(frozen=True, slots=True)
class NewIndex:
    """A report, and the new files if there is anything new to write."""

    report: BuildReport
    files: IndexFiles | None


def unchanged_report(state: HubState, manifest: Manifest) -> BuildReport:
    """The report of a build that finds the index of this manifest current."""
    count = manifest.count or 0
    return BuildReport(
        revision=state.snapshot.revision,
        model_id=manifest.model_id,
        skills=count,
        reused=count,
        tokens=0,
        tokens_exact=True,
        cost_usd=0.0,
        problems=state.snapshot.problems,
        notices=(_unindexed_notice(state, count), _outside_notice(state)),
    )


def _unindexed_notice(state: HubState, count: int) -> str:
    """A notice on the files that are missing in an index of `count` skills, and how many of them have a bad name."""
    of_names = len({problem.path for problem in state.snapshot.problems if problem.level == "error"})
    missing = len(state.snapshot.files) - count
    if not missing:
        return ""  # the problems of names, if there are any, are all listed
    names = f", {of_names:,} of them because of {'its name' if of_names == 1 else 'their names'}" if of_names else ""
    return f"{counted(missing + of_names, 'file')} cannot be indexed{names}; `hub-index lint` says why"


def _outside_notice(state: HubState) -> str:
    outside = count_unknown_names(state.snapshot)
    lint = "`hub-index lint` says which are no copies and how to add them"
    return f"up to {counted(outside, 'more skill')} outside {DEFAULT_ROOT}/, by their names; {lint}" if outside else ""


def held_report(revision: str, manifest: Manifest | None, hold: Hold) -> BuildReport:
    """The report of a run that leaves a held index alone; no manifest: what is held cannot be read."""
    count, model_id = (manifest.count or 0, manifest.model_id) if manifest else (0, "")
    free = BuildReport(revision, model_id, skills=count, reused=count, tokens=0, tokens_exact=True, cost_usd=0.0)
    return replace(free, held=hold, notices=(hold.sentence(),))


def hub_notices(state: HubState, previous: PreviousLookup) -> tuple[str, str]:
    """Notices for a maintainer about the previous index and the clone; an empty one says nothing."""
    return previous.notice, _SHALLOW if state.snapshot.shallow else ""


def cache_notice(cache: "VectorCache | None") -> str:
    """A notice for a maintainer about the vector cache, before it is used; else empty."""
    return cache.notice if cache is not None else ""


def model_notice(encoder: Encoder) -> str:
    """A notice for a maintainer about the model's languages; else empty."""
    return language_warning(find_model(*encoder.model_id.split(":", 1))) or ""
