"""A build's report for people, and as JSON for programs."""

from argparse import Namespace
from dataclasses import asdict
from pathlib import Path

from hub_index.cli.terminal import notice, print_json, printable
from hub_index.embedding.cost import format_usd
from hub_index.hub.skill.problems import counted, place_of
from hub_index.hub.tree.left_out import LEFT_OUT
from hub_index.index.reporting.report import BuildReport
from hub_index.models import Manifest

_SHOWN_IDS = 10
_SHOWN_PROBLEMS = 5


def print_report(report: BuildReport, place: Path | str, seconds: float, asked: Namespace, **published: object) -> None:
    """The summary of a build or plan: JSON or text on stdout, notices on stderr.

    `place` is the index folder, or the branch and the folder in it; `published` are a publisher's additions to the
    JSON; the text shows its commit.
    """
    if asked.json:
        print_json(report_json(report, place, seconds) | published)
        return
    for text in report.notices:
        notice(f"note: {text}")
    lines = _plan_lines(report) if vars(asked).get("dry_run") else _build_lines(report, str(place), seconds)
    if report.outside and report.outside.count:
        lines.append(f"  {printable(report.outside.sentence())}")
    if report.quality is not None:
        lines.append(f"  labelled queries: {report.quality.sentence()}")
    lines += _problem_lines(report)
    if published.get("commit"):
        lines.append(f"  commit {str(published['commit'])[:12]}")
    print("\n".join(lines))


def report_json(report: BuildReport, place: Path | str, seconds: float) -> dict[str, object]:
    """The report for programs; the first eight keys are a promise."""
    return {
        "skills": report.skills,
        "embedded": report.embedded,
        "reused": report.reused,
        "removed": len(report.removed),
        "problems": len(report.problems),
        "changed": report.changed,
        "seconds": round(seconds, 3),
        "index_dir": str(place),
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
        "problem_list": list(map(asdict, report.problems)),
        "outside_skills": report.outside.count if report.outside else None,  # None: nothing was read, so not counted
        "outside_roots": report.outside.roots if report.outside else None,
        "ids": {"added": report.added, "edited": report.edited, "removed": report.removed},
        "quality": asdict(report.quality) if report.quality else None,  # nDCG@10 in points; None: not compared
        "uncommitted": len(report.uncommitted),
        "held": asdict(report.held) if report.held else None,
        "notices": report.notices,
    }


def _build_lines(report: BuildReport, place: str, seconds: float) -> list[str]:
    state = f"{report.state}: {counted(report.skills, 'skill')} in {printable(place)} ({seconds:.1f} s)"
    if report.held:
        return [state]
    lines = [
        state,
        f"  {counted(report.embedded, 'new text')}: {report.embedded - report.from_cache:,} embedded with "
        f"{printable(report.model_id)}, {report.from_cache:,} from the cache; "
        f"{counted(report.reused, 'vector')} reused",
    ]
    if report.changed and not (report.added or report.edited or report.removed):
        lines.append("  no text changed: only bodies, dates, settings or the program did")
    elif report.changed:
        lines.append(f"  added {len(report.added):,}, edited {len(report.edited):,}, removed {len(report.removed):,}")
    if report.tokens and report.embedded:
        lines.append(f"  spent {counted(report.tokens, 'token')}, {format_usd(report.cost_usd)}")
    return lines


def _price(report: BuildReport) -> str:
    estimate = "" if report.tokens_exact else " (an estimate)"
    source = f" ({report.price_source})" if report.price_source else ""
    return f"{counted(report.tokens or 0, 'token')}{estimate}, price {format_usd(report.cost_usd)}{source}"


def _plan_lines(report: BuildReport) -> list[str]:
    lines = [
        f"a build of {counted(report.skills, 'skill')} has {counted(report.embedded, 'new text')}: "
        f"{report.embedded - report.from_cache:,} to embed with {printable(report.model_id)}, "
        f"{report.from_cache:,} in the cache; {counted(report.reused, 'vector')} reused",
        f"  {_price(report)}",
    ]
    for what, ids in (("new", report.added), ("edited", report.edited), ("gone", report.removed)):
        if ids:
            more = f" and {len(ids) - _SHOWN_IDS:,} more" if len(ids) > _SHOWN_IDS else ""
            lines.append(f"  {what}: {', '.join(map(printable, ids[:_SHOWN_IDS]))}{more}")
    return lines


def _problem_lines(report: BuildReport) -> list[str]:
    if not report.problems:
        return []
    counts = report.problem_counts()
    serious = [counted(counts[level], level) for level in ("error", "warning") if counts[level]] or ["none"]
    advice = [f"{counts['advice']:,} advice"] if counts["advice"] else []
    shown = ", ".join([*serious, *advice])
    left_out = [problem.reason.removeprefix("not indexed: ") for problem in report.problems if problem.code == LEFT_OUT]
    lines = [f"  problems{_scope(report)}: {shown}; `hub-index lint` explains them and compares descriptions"]
    lines += [f"  left out: {printable('; '.join(left_out))}"] if left_out else []
    errors = [problem for problem in report.problems if problem.level == "error"]
    for problem in errors[:_SHOWN_PROBLEMS]:
        reason = problem.reason.removeprefix("not indexed: ")
        lines.append(f"    not indexed: {printable(place_of(problem))}: {printable(reason)}")
    if len(errors) > _SHOWN_PROBLEMS:
        lines.append(f"    and {len(errors) - _SHOWN_PROBLEMS:,} more")
    return lines


def skill_count(manifest: Manifest) -> str:
    """The number of skills in an index; another writer's manifest may lack it."""
    return "an unknown number of skills" if manifest.count is None else counted(manifest.count, "skill")


def _scope(report: BuildReport) -> str:
    """The files whose problems are counted: a build reads only changed files."""
    if report.files_read >= report.skills:
        return ""
    if report.files_read == 0:
        return " in names and links"
    return " in changed files"
