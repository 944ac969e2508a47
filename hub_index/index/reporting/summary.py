"""A run as a Markdown table: the flow's artifact and the job summary of a workflow; pure.

Ids, model names and notices come from strangers and from the network: they are shown as text, never as Markdown.
"""

import re
from dataclasses import dataclass

from hub_index.base.characters import short_line
from hub_index.base.shown_address import without_credentials
from hub_index.errors import HubIndexError
from hub_index.hub.skill.problems import counted
from hub_index.index.reporting.ledger import Ledger
from hub_index.index.reporting.report import BuildReport

_SHOWN_IDS = 20
_SHOWN_PROBLEMS = 20
_CELL_CHARS = 200
_ERROR_CHARS = 1_000  # one line, which may name many skills
_SETTING_CHARS = 2_000  # a line to copy: 64 roots with ordinary names
_MARKUP = re.compile(r"([\\`*_{}\[\]()#+!|<>~&$@:-])")


@dataclass(frozen=True, slots=True)
class RunNames:
    """The names of a run: its hub, and its commit, if any."""

    hub: str
    commit: str | None = None


def format_summary(report: BuildReport, seconds: float, place: str, names: RunNames | None = None) -> str:
    """The table of one run, with the ids and problems that a maintainer looks for first."""
    rows = [
        (
            "Index",
            f"{report.state}, {counted(report.skills, 'skill')} in {_shown(place)}",
        ),
        *_name_rows(names, report.revision),
        ("Added", _listed(report.added)),
        ("Edited", _listed(report.edited)),
        ("Removed", _listed(report.removed)),
        ("Embedded", f"{counted(report.embedded - report.from_cache, 'text')} with {_shown(report.model_id)}"),
        ("Reused", f"{counted(report.reused, 'vector')}, {report.from_cache} more from the cache"),
        ("Problems", _problem_counts(report)),
        *([("Labelled queries", report.quality.sentence())] if report.quality else []),
        ("Tokens", _tokens(report)),
        ("Cost", _cost(report.cost_usd)),
        ("Seconds", f"{seconds:.1f}"),
    ]
    outside = (
        ["", f"Note: {_shown(report.outside.sentence(), _SETTING_CHARS)}"]
        if report.outside and report.outside.count
        else []
    )
    notices = ["", *(f"Note: {_shown(text)}" for text in report.notices)] if report.notices else []
    return "\n".join([*_table(rows), *_problem_lines(report), *outside, *notices]) + "\n"


def format_failure(error: BaseException, ledger: Ledger, seconds: float, names: RunNames) -> str:
    """The table of a run that ended in an error: why, what it had read, and what it has cost nevertheless."""
    rows = [
        ("Failed", _shown(_reason(error), _ERROR_CHARS)),
        *_name_rows(names, ledger.revision),
        ("Embedded", f"{counted(ledger.embedded, 'text')} ({ledger.kept} kept in the cache)"),
        ("Tokens", f"{ledger.tokens}" if ledger.is_told else "unknown"),
        ("Cost", _cost(ledger.cost_usd)),
        ("Seconds", f"{seconds:.1f}"),
    ]
    return "\n".join(_table(rows)) + "\n"


def _name_rows(names: RunNames | None, revision: str) -> list[tuple[str, str]]:
    if names is None:
        return []
    hub = f"{_shown(names.hub)} at {_shown(revision) if revision else 'a commit that could not be read'}"
    return [("Hub", hub), ("Commit", names.commit or "none")]


def _reason(error: BaseException) -> str:
    if isinstance(error, KeyboardInterrupt):
        return "stopped"
    text = str(error) if isinstance(error, HubIndexError) else f"unexpected {type(error).__name__}: {error}"
    return without_credentials(text)


def _table(rows: list[tuple[str, str]]) -> list[str]:
    return ["| | |", "|---|---|", *(f"| {name} | {text} |" for name, text in rows)]


def _cost(usd: float | None) -> str:
    return "unknown" if usd is None else f"{usd:.4f} USD"


def _problem_counts(report: BuildReport) -> str:
    counts = report.problem_counts()
    return f"{counted(counts['error'], 'error')}, {counted(counts['warning'], 'warning')}, {counts['advice']} advice"


def _tokens(report: BuildReport) -> str:
    if report.tokens is None:
        return "0" if report.embedded == 0 else "unknown"
    return f"{report.tokens}" + ("" if report.tokens_exact or not report.embedded else " as counted by the provider")


def _listed(ids: tuple[str, ...]) -> str:
    if not ids:
        return "0"
    more = ", …" if len(ids) > _SHOWN_IDS else ""
    return f"{len(ids)}: {', '.join(map(_shown, ids[:_SHOWN_IDS]))}{more}"


def _problem_lines(report: BuildReport) -> list[str]:
    serious = report.serious_problems()
    if not serious:
        return []
    rows = [
        f"| {problem.level} | {_shown(problem.path)}{f', line {problem.line}' if problem.line else ''} "
        f"| {_shown(problem.reason)}; {_shown(problem.fix)} |"
        for problem in serious[:_SHOWN_PROBLEMS]
    ]
    left = len(serious) - len(rows)
    more = ["", f"{left} more: `hub-index lint` lists them."] if left else []
    return ["", "| level | where | what, and what to write instead |", "|---|---|---|", *rows, *more]


def _shown(text: str, max_chars: int = _CELL_CHARS) -> str:
    """Untrusted text for one cell: nothing in it is a link, an image, a mention, HTML or the end of the cell."""
    escaped = _MARKUP.sub(r"\\\1", short_line(text, max_chars))
    return escaped.replace("\\<", "&lt;").replace("\\>", "&gt;").replace("\\@", "&#64;")
