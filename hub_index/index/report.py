"""What a build did, or would do: plain values for the summary, `--json` and the flow's table."""

from collections import Counter
from dataclasses import dataclass, field

from hub_index.models import IndexFiles, Problem


@dataclass(frozen=True, slots=True)
class BuildReport:
    """The outcome of one build or plan; counts are of rows, `embedded` of distinct texts new to the index."""

    revision: str
    model_id: str
    skills: int
    embedded: int = 0
    reused: int = 0
    added: tuple[str, ...] = ()
    edited: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    from_cache: int = 0
    tokens: int | None = None
    tokens_exact: bool = False
    cost_usd: float | None = None  # None: the price is unknown
    price_source: str = ""
    problems: tuple[Problem, ...] = ()
    files_read: int = 0
    changed: bool = False
    would_change: bool = False  # a dry run's word on the build to come
    notices: tuple[str, ...] = field(default=())

    def problem_counts(self) -> dict[str, int]:
        """{level: how many}."""
        found = Counter(problem.level for problem in self.problems)
        return {level: found[level] for level in ("error", "warning", "advice")}


@dataclass(frozen=True, slots=True)
class NewIndex:
    """A report, and the new files where there is anything new to write."""

    report: BuildReport
    files: IndexFiles | None
