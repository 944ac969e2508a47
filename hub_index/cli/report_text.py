"""A build's report as people read it, and as programs do."""

from pathlib import Path
from typing import TYPE_CHECKING

from hub_index.cli.terminal import notice, print_json, printable
from hub_index.embedding.cost import format_usd
from hub_index.index.build import BuildOutcome
from hub_index.index.report import BuildReport
from hub_index.models import Problem

if TYPE_CHECKING:  # a plain build must not load the publisher
    from hub_index.index.publish.publish import PublishOutcome

_SHOWN_IDS = 10
_SHOWN_PROBLEMS = 5


def print_report(built: BuildOutcome, seconds: float, *, as_json: bool, is_plan: bool) -> None:
    """The summary of a build or plan: JSON or text on stdout, notices on stderr."""
    if as_json:
        print_json(report_json(built, seconds))
        return
    for text in built.report.notices:
        notice(f"note: {text}")
    _print_lines(built.report, str(built.index_dir), seconds, is_plan=is_plan)


def published_json(published: "PublishOutcome", hub: Path, seconds: float) -> dict[str, object]:
    """The report of a build that was committed, or would be, for programs."""
    where = {"branch": published.branch, "commit": published.commit, "tries": published.tries}
    return report_json(BuildOutcome(published.report, hub / published.folder), seconds) | where


def print_placed(  # noqa: PLR0913 - all but the first three are named
    report: BuildReport, place: str, seconds: float, *, commit: str | None, as_json: bool, is_plan: bool
) -> None:
    """The summary of a build whose index is in a folder, or in a branch's folder."""
    if as_json:
        print_json(report_json(BuildOutcome(report, Path(place)), seconds) | {"commit": commit})
        return
    for text in report.notices:
        notice(f"note: {text}")
    _print_lines(report, place, seconds, is_plan=is_plan)
    if commit is not None:
        print(f"  commit {commit[:12]}")


def _print_lines(report: BuildReport, place: str, seconds: float, *, is_plan: bool) -> None:
    lines = _plan_lines(report) if is_plan else _build_lines(report, place, seconds)
    print("\n".join([*lines, *_problem_lines(report)]))


def report_json(built: BuildOutcome, seconds: float) -> dict[str, object]:
    """The report for programs; the first eight keys are a promise."""
    report = built.report
    return {
        "skills": report.skills,
        "embedded": report.embedded,
        "reused": report.reused,
        "removed": len(report.removed),
        "problems": len(report.problems),
        "changed": report.changed,
        "seconds": round(seconds, 3),
        "index_dir": str(built.index_dir),
        "added": len(report.added),
        "edited": len(report.edited),
        "from_cache": report.from_cache,
        "computed": report.embedded - report.from_cache,
        "model_id": report.model_id,
        "revision": report.revision,
        "tokens": report.tokens,
        "tokens_exact": report.tokens_exact,
        "cost_usd": report.cost_usd,
        "price_source": report.price_source or None,
        "files_read": report.files_read,
        "would_change": report.changed or report.would_change,
        "problem_counts": report.problem_counts(),
        "problems_complete": report.files_read >= report.skills,  # else of names, links and the files that were read
        "problem_list": [problem_json(problem) for problem in report.problems],
        "ids": {"added": report.added, "edited": report.edited, "removed": report.removed},
        "notices": report.notices,
    }


def problem_json(problem: Problem) -> dict[str, object]:
    """A problem for programs."""
    return {
        "level": problem.level,
        "path": problem.path,
        "line": problem.line,
        "code": problem.code,
        "reason": problem.reason,
        "fix": problem.fix,
    }


def _build_lines(report: BuildReport, place: str, seconds: float) -> list[str]:
    state = "new index" if report.changed else "nothing changed"
    lines = [
        f"{state}: {report.skills} skills in {printable(place)} ({seconds:.1f} s)",
        f"  {_count(report.embedded, 'new text')}: {report.embedded - report.from_cache} embedded with "
        f"{printable(report.model_id)}, {report.from_cache} from the cache; {_count(report.reused, 'vector')} reused",
    ]
    if report.changed and not (report.added or report.edited or report.removed):
        lines.append("  no text changed: only bodies, settings or the program did")
    elif report.changed:
        lines.append(f"  added {len(report.added)}, edited {len(report.edited)}, removed {len(report.removed)}")
    if report.tokens and report.embedded:
        lines.append(f"  spent {report.tokens} tokens, {format_usd(report.cost_usd)}")
    return lines


def _price(report: BuildReport) -> str:
    estimate = "" if report.tokens_exact else " (an estimate)"
    source = f" ({report.price_source})" if report.price_source else ""
    return f"{report.tokens or 0} tokens{estimate}, price {format_usd(report.cost_usd)}{source}"


def _plan_lines(report: BuildReport) -> list[str]:
    lines = [
        f"a build of {_count(report.skills, 'skill')} has {_count(report.embedded, 'new text')}: "
        f"{report.embedded - report.from_cache} to embed with {printable(report.model_id)}, {report.from_cache} in the "
        f"cache; {_count(report.reused, 'vector')} reused",
        f"  {_price(report)}",
    ]
    for what, ids in (("new", report.added), ("edited", report.edited), ("gone", report.removed)):
        if ids:
            more = f" and {len(ids) - _SHOWN_IDS} more" if len(ids) > _SHOWN_IDS else ""
            lines.append(f"  {what}: {', '.join(map(printable, ids[:_SHOWN_IDS]))}{more}")
    return lines


def _problem_lines(report: BuildReport) -> list[str]:
    if not report.problems:
        return []
    counts = report.problem_counts()
    found = f"{_count(counts['error'], 'error')}, {_count(counts['warning'], 'warning')}, {counts['advice']} advice"
    lines = [f"  problems{_scope(report)}: {found}; `hub-index lint` explains them all"]
    errors = [problem for problem in report.problems if problem.level == "error"]
    for problem in errors[:_SHOWN_PROBLEMS]:
        reason = problem.reason.removeprefix("not indexed: ")
        lines.append(f"    not indexed: {printable(place_of(problem))}: {printable(reason)}")
    if len(errors) > _SHOWN_PROBLEMS:
        lines.append(f"    and {len(errors) - _SHOWN_PROBLEMS} more")
    return lines


def place_of(problem: Problem) -> str:
    """`file:line`, or the file alone where the problem has no line."""
    return f"{problem.path}:{problem.line}" if problem.line else problem.path


def _scope(report: BuildReport) -> str:
    """What the counts speak of: a build reads only files that changed."""
    if report.files_read >= report.skills:
        return ""
    if not report.files_read:
        return " of names and links (no file had to be read)"
    return f" of names, links and the {_count(report.files_read, 'file')} that had to be read"


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"
