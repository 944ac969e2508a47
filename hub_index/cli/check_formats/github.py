"""A checked change as annotations of GitHub Actions: every line is one command, and no quoted text can begin another.

GitHub's runner takes a line that begins with `::` as a command, and `##[…]` anywhere in any other line: so only our own
commands are printed here, with everything escaped that could end one.
"""

from collections.abc import Iterator

from hub_index.cli.check_formats.plain_text import cost_sentence, file_in_repository, nearest_sentence, summary
from hub_index.cli.terminal import printable
from hub_index.cli.text.problems_text import worst_first
from hub_index.index.change_check import ChangeCheck
from hub_index.models import Problem

_TITLE = "hub-index check"
_COMMANDS = {"error": "error", "warning": "warning", "advice": "notice"}


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
        yield _problem(check, problem)
    for skill in check.skills:
        if skill.nearest is not None:
            file = file_in_repository(check, skill.file.file)
            yield _command("notice", nearest_sentence(skill.nearest), file=file, line="1", title="nearest skill")
    for text in check.notices:
        yield _command("notice", text, title=_TITLE)


def _problem(check: ChangeCheck, problem: Problem) -> str:
    properties = {"file": file_in_repository(check, problem.path)}
    if problem.line:
        properties["line"] = str(problem.line)
    message = f"{problem.reason}; {problem.fix}"
    return _command(_COMMANDS[problem.level], message, **properties, title=problem.code)


def _command(name: str, message: str, **properties: str) -> str:
    written = ",".join(f"{key}={_escape_property(value)}" for key, value in properties.items())
    return f"::{name} {written}::{_escape(message)}"


def _escape(text: str) -> str:
    """As GitHub's own toolkit writes a message; the per cent sign first, else it would be escaped twice."""
    return printable(text, keep="\n").replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _escape_property(text: str) -> str:
    return _escape(text).replace(":", "%3A").replace(",", "%2C")
