"""A checked change as SARIF 2.1.0, the form in which code scanners hand over what they found."""

from typing import Any
from urllib.parse import quote

from hub_index import __version__
from hub_index.cli.check_formats.plain_text import cost_sentence, file_in_repository, nearest_sentence, summary
from hub_index.cli.terminal import printable
from hub_index.cli.text.problems_text import worst_first
from hub_index.index.change_check import ChangeCheck

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS = {"error": "error", "warning": "warning", "advice": "note"}
_LITERAL = str.maketrans({"\\": "\\\\", "[": "\\[", "]": "\\]", "{": "{{", "}": "}}"})
_NEAR_COPY = "near-copy"


def as_sarif(check: ChangeCheck) -> dict[str, Any]:
    """One run: a result for each problem, and one for each new skill that is very like an existing one."""
    rows = [
        (problem.code, _LEVELS[problem.level], f"{problem.reason}; {problem.fix}", problem.path, problem.line)
        for problem in worst_first(check.problems)
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
