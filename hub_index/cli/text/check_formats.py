"""A checked change in one format for each reader: people, GitHub's annotations, code scanners (SARIF 2.1.0), programs.

GitHub's runner takes a line that begins with `::` as a command, and `##[…]` anywhere in any other line: so only our own
commands are printed for it, with everything escaped that could end one. The JSON object is that of
schemas/check_result.schema.json.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any
from urllib.parse import quote

from hub_index import __version__
from hub_index.cli.terminal import printable
from hub_index.cli.text.problems_text import count_problems, problems_text, worst_first
from hub_index.cli.text.risks_text import encode_risk, risks_first, risks_text
from hub_index.embedding.cost import CostEstimate, format_usd
from hub_index.hub.skill.problems import counted
from hub_index.index.change_check import ChangeCheck, CheckedSkill
from hub_index.index.nearest import Neighbour
from hub_index.models import Level, Problem, SkillFile
from hub_index.risks.risk import Finding, Risk

_SHOWN_SKILLS = 100
_TITLE = "hub-index check"
_COMMANDS = {"error": "error", "warning": "warning", "advice": "notice"}
_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS = {"error": "error", "warning": "warning", "advice": "note"}
_LITERAL = str.maketrans({"\\": "\\\\", "[": "\\[", "]": "\\]", "{": "{{", "}": "}}"})
_NEAR_COPY = "near-copy"
_RISK = "risk-"  # before a risk's code, where it stands among the codes of problems


def as_text(check: ChangeCheck) -> str:
    """The changes, their problems, and what a build would embed."""
    lines = [summary(check)]
    lines += [f"  {_skill_line(skill)}" for skill in check.skills[:_SHOWN_SKILLS]]
    if len(check.skills) > _SHOWN_SKILLS:
        lines.append(f"  and {len(check.skills) - _SHOWN_SKILLS:,} more")
    if check.estimate is not None and (check.skills or check.estimate.texts):
        lines.append(cost_sentence(check.estimate))
    if check.skills or check.problems:
        lines += ["", problems_text(worst_first(check.problems))]
    if check.risks:
        lines += ["", risks_text([Finding(risk) for risk in check.risks])]
    return "\n".join(lines)


def summary(check: ChangeCheck) -> str:
    """How many skills changed, and since when; it quotes no stranger's text."""
    counts = Counter[str](skill.change for skill in check.skills)
    since = f"since {check.base[:12]}" if check.base else "before the first commit"
    where = "staged, " if not check.head else ""
    return f"{where}{since}: added {counts['added']:,}, edited {counts['edited']:,}, removed {counts['removed']:,}"


def place_of_skill(file: SkillFile) -> str:
    """A skill's folder; of a workflow, command or agent, which share one, the file."""
    return printable(file.path if file.kind == "skill" else file.file)


def nearest_sentence(nearest: Neighbour) -> str:
    """The nearest existing skill with its similarity."""
    words = "very like" if nearest.is_very_like else "nearest existing:"
    return f"{words} {place_of_skill(nearest.file)} ({nearest.similarity:.2f})"


def cost_sentence(estimate: CostEstimate) -> str:
    """The texts that a build would embed because of this change, and their price."""
    about = "" if estimate.tokens_exact else "about "
    return (
        f"to embed: {counted(estimate.texts, 'text')}, {about}{counted(estimate.tokens, 'token')} of "
        f"{printable(estimate.model_id)}, price {format_usd(estimate.usd)}"
    )


def _skill_line(skill: CheckedSkill) -> str:
    nearest = f"  {nearest_sentence(skill.nearest)}" if skill.nearest else ""
    return f"{skill.change:<8} {place_of_skill(skill.file)}{nearest}"


def file_in_repository(check: ChangeCheck, path: str) -> str:
    """A hub's file as the repository around it names it."""
    return f"{check.prefix}/{path}" if check.prefix else path


def as_annotations(check: ChangeCheck) -> str:
    """One command a line: a summary, the problems, the nearest skills, and what else there is to know."""
    return "\n".join(_commands(check))


def error_annotation(message: str) -> str:
    """The reason for a missing answer, as a command: a plain line could hold a stranger's command."""
    return _command("error", message, title=_TITLE)


def _commands(check: ChangeCheck) -> Iterator[str]:
    cost = f"; {cost_sentence(check.estimate)}" if check.estimate else ""
    yield _command("notice", f"{summary(check)}{cost}", title=_TITLE)
    for problem in worst_first(check.problems):
        yield _annotation(check, problem)
    for risk in _sorted_risks(check):
        yield _risk_annotation(check, risk)
    for skill in check.skills:
        if skill.nearest is not None:
            file = file_in_repository(check, skill.file.file)
            yield _command("notice", nearest_sentence(skill.nearest), file=file, line="1", title="nearest skill")
    for text in check.notices:
        yield _command("notice", text, title=_TITLE)


def _annotation(check: ChangeCheck, problem: Problem) -> str:
    properties = {"file": file_in_repository(check, problem.path)}
    if problem.line:
        properties["line"] = str(problem.line)
    message = f"{problem.reason}; {problem.fix}"
    return _command(_COMMANDS[problem.level], message, **properties, title=problem.code)


def _sorted_risks(check: ChangeCheck) -> list[Risk]:
    return [finding.risk for finding in risks_first([Finding(risk) for risk in check.risks])]


def _risk_level(check: ChangeCheck, risk: Risk) -> Level:
    """A risk as a problem of this level: what a build would refuse is an error."""
    return "advice" if risk.level == "note" else "error" if check.refuses_risks else "warning"


def _risk_annotation(check: ChangeCheck, risk: Risk) -> str:
    level = _risk_level(check, risk)
    return _annotation(check, Problem(level, risk.path, risk.line, f"{_RISK}{risk.code}", risk.reason, risk.fix))


def _command(name: str, message: str, **properties: str) -> str:
    written = ",".join(f"{key}={_escape_property(value)}" for key, value in properties.items())
    return f"::{name} {written}::{_escape(message)}"


def _escape(text: str) -> str:
    """As GitHub's own toolkit writes a message; the per cent sign first, else it would be escaped twice."""
    return printable(text, keep="\n").replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _escape_property(text: str) -> str:
    return _escape(text).replace(":", "%3A").replace(",", "%2C")


def as_sarif(check: ChangeCheck) -> dict[str, Any]:
    """One run: a result for each problem, and one for each new skill that is very like an existing one."""
    rows = [
        (problem.code, _LEVELS[problem.level], f"{problem.reason}; {problem.fix}", problem.path, problem.line)
        for problem in worst_first(check.problems)
    ]
    rows += [
        (f"{_RISK}{risk.code}", _LEVELS[_risk_level(check, risk)], f"{risk.reason}; {risk.fix}", risk.path, risk.line)
        for risk in _sorted_risks(check)
    ]
    rows += [
        (_NEAR_COPY, "note", nearest_sentence(skill.nearest), skill.file.file, 1)
        for skill in check.skills
        if skill.nearest is not None and skill.nearest.is_very_like
    ]
    rules = sorted({code for code, *_ in rows})
    results = [
        {
            "ruleId": code,
            "ruleIndex": rules.index(code),
            "level": level,
            "message": _message(text),
            "locations": [_location(file_in_repository(check, path), line)],
        }
        for code, level, text, path, line in rows
    ]
    driver = {"name": "hub-index", "version": __version__, "rules": [{"id": code} for code in rules]}
    run = {"tool": {"driver": driver}, "invocations": [_invocation(check)], "results": results}
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


def _message(text: str) -> dict[str, str]:
    """Plain text; the signs of SARIF's links and placeholders are written as the standard asks (3.11.5, 3.11.6)."""
    return {"text": printable(text).translate(_LITERAL)}


def _location(path: str, line: int) -> dict[str, Any]:
    """Where to look; a problem of the whole file is shown at its first line, since GitHub wants one."""
    artifact = {"uri": quote(path.encode("utf-8", "surrogateescape")), "uriBaseId": "%SRCROOT%"}
    return {"physicalLocation": {"artifactLocation": artifact, "region": {"startLine": max(1, line)}}}


def _invocation(check: ChangeCheck) -> dict[str, Any]:
    """That the check ran to its end, and what it says besides of the change as a whole."""
    texts = [summary(check), *([cost_sentence(check.estimate)] if check.estimate else []), *check.notices]
    texts += [
        f"{skill.file.file}: {nearest_sentence(skill.nearest)}"
        for skill in check.skills
        if skill.nearest is not None and not skill.nearest.is_very_like
    ]
    notifications = [{"level": "note", "message": _message(text)} for text in texts]
    return {"executionSuccessful": True, "toolExecutionNotifications": notifications}


def as_json(check: ChangeCheck, *, strict: bool) -> dict[str, Any]:
    """All of it; paths are from the hub's root, which is `prefix` in its repository."""
    return {
        "passed": check.is_passed(strict=strict),
        "base": check.base or None,
        "head": check.head or None,
        "prefix": check.prefix,
        "skills": [_skill_object(skill) for skill in check.skills],
        "problems": [asdict(problem) for problem in worst_first(check.problems)],
        "counts": count_problems(check.problems),
        "risks": [encode_risk(risk) for risk in _sorted_risks(check)],
        "to_embed": _estimate(check),
        "notices": list(check.notices),
    }


def _skill_object(skill: CheckedSkill) -> dict[str, Any]:
    file = skill.file
    nearest = _neighbour(skill.nearest) if skill.nearest else None
    return {"change": skill.change, "id": file.id, "path": file.path, "file": file.file, "nearest": nearest}


def _neighbour(nearest: Neighbour) -> dict[str, Any]:
    file = nearest.file
    similarity = {"similarity": nearest.similarity, "very_like": nearest.is_very_like}
    return {"id": file.id, "path": file.path, "file": file.file, **similarity}


def _estimate(check: ChangeCheck) -> dict[str, Any] | None:
    estimate = check.estimate
    if estimate is None:
        return None
    return {
        "texts": estimate.texts,
        "model_id": estimate.model_id,
        "tokens": estimate.tokens,
        "tokens_exact": estimate.tokens_exact,
        "cost_usd": estimate.usd,
        "price_source": estimate.price_source or None,
    }
