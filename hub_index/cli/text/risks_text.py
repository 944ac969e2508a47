"""Risks as people read them: worst first; the text of a line is shown by `lint` alone, shortened and masked."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from hub_index.cli.terminal import printable
from hub_index.hub.skill.problems import counted
from hub_index.risks.risk import Finding, Risk

_SHOWN = 200  # findings; more are a number, and --json has them


def risks_first(findings: Sequence[Finding]) -> list[Finding]:
    """Risks before notes; within each by place."""
    return sorted(findings, key=lambda finding: (finding.risk.level != "risk", finding.risk))


def risks_text(findings: Sequence[Finding], *, shows: bool = False, at_most: int = _SHOWN) -> str:
    """A line for each finding and their number; empty without one. `shows` adds what stands there."""
    if not findings:
        return ""
    lines = [_line(finding, shows=shows) for finding in risks_first(findings)[:at_most]]
    if len(findings) > at_most:
        lines.append(f"      and {len(findings) - at_most:,} more")
    return "\n".join([*lines, count_sentence([finding.risk for finding in findings])])


def _line(finding: Finding, *, shows: bool) -> str:
    risk = finding.risk
    shown = f": {printable(finding.shown)}" if shows and finding.shown else ""
    return f"{risk.level}  {printable(place_of_risk(risk))}  {risk.code}: {risk.reason}{shown}; {risk.fix}"


def place_of_risk(risk: Risk) -> str:
    """`file:line`, or the file alone."""
    return f"{risk.path}:{risk.line}" if risk.line else risk.path


def count_sentence(risks: Sequence[Risk]) -> str:
    """The number of risks and of notes."""
    counts = Counter[str](risk.level for risk in risks)
    return f"risks: {counts['risk']:,}, notes: {counts['note']:,}"


def encode_risk(risk: Risk) -> dict[str, Any]:
    """The JSON object of one risk; the same in every command."""
    return {"level": risk.level, "path": risk.path, "line": risk.line, "code": risk.code}


def short_risks(findings: Sequence[Finding], at_most: int = 10) -> str:
    """Risks in words for a copy that is about to be made, notes only counted; empty without a finding."""
    risks = [finding for finding in risks_first(findings) if finding.risk.level == "risk"]
    lines = [f"  risk: {printable(place_of_risk(f.risk))}: {f.risk.reason} ({f.risk.code})" for f in risks[:at_most]]
    if len(risks) > at_most:
        lines.append(f"  and {counted(len(risks) - at_most, 'more risk')}")
    if notes := len(findings) - len(risks):
        lines.append(f"  {counted(notes, 'note')}: look at the text, or ask `hub-index lint` in the hub")
    return "\n".join(lines)
