"""What is said of installed skills: what is copied where, what an update changes, and what became of each."""

import os
from collections.abc import Iterator, Sequence

from hub_index.base.characters import clean_text, quote_line
from hub_index.cli.terminal import printable
from hub_index.cli.text.risks_text import short_risks
from hub_index.hub.record_file import SKILL_FILE
from hub_index.hub.skill.problems import counted
from hub_index.hub.skill.skill import parse_skill
from hub_index.installs.difference import FileChange
from hub_index.installs.installation import InstalledSkill, InstallPlan
from hub_index.installs.skill_copy import CopiedFile
from hub_index.limits import MAX_SHOWN_DIFF_LINES
from hub_index.models import SkillFile
from hub_index.risks.scan import find_risks

_MAX_FILES = 20
_DESCRIPTION_CHARS = 240
_SIGNS = {"added": "+", "removed": "-", "changed": "~"}


def describe_plan(plan: InstallPlan) -> str:
    """What `add` is about to copy, in lines. What the skill says of itself is read from the bytes that are copied."""
    size = sum(len(file.content) for file in plan.files)
    lines = [
        f"{printable(plan.skill.name)} from {name_state(plan.skill.source, plan.skill.commit)}",
        f"  says of itself: {quote_line(_describe_skill(plan), _DESCRIPTION_CHARS)}",
        f"  {counted(len(plan.files), 'file')}, {show_bytes(size)}, into {shorten(str(plan.folder))}",
    ]
    lines += [f"    {_describe_file(file)}" for file in plan.files[:_MAX_FILES]]
    if len(plan.files) > _MAX_FILES:
        lines.append(f"    … and {len(plan.files) - _MAX_FILES} more")
    return "\n".join([*lines, *_risk_lines(plan.files)])


def _describe_skill(plan: InstallPlan) -> str:
    for file in plan.files:
        if file.path.lower() == SKILL_FILE.lower():
            place = SkillFile(plan.skill.name, plan.skill.name, file.path, "skill", "", len(file.content))
            skill = parse_skill(place, file.content).skill
            return skill.description if skill is not None else ""
    return ""


def _risk_lines(files: Sequence[CopiedFile]) -> list[str]:
    """What may be harmful in files that are about to be copied, in lines."""
    text = short_risks(find_risks((file.path, file.content) for file in files))
    return [text] if text else []


def _describe_file(file: CopiedFile) -> str:
    mark = ", can be run" if file.executable else ""
    return f"{printable(file.path)} ({show_bytes(len(file.content))}{mark})"


def name_state(source: str, commit: str) -> str:
    """A hub and its commit."""
    return f"{shorten(printable(source))}{f' at {commit[:12]}' if commit else ''}"


def describe_update(installed: InstalledSkill, changes: Sequence[FileChange]) -> str:
    """What an update is about to change, in lines."""
    new = installed.newest.commit if installed.newest else ""
    old = f" (installed: {installed.skill.commit[:12]})" if new else ""
    head = f"{printable(installed.skill.name)} from {name_state(installed.skill.source, new)}{old}"
    lines = [head, f"  in {shorten(str(installed.folder))}"]
    left = MAX_SHOWN_DIFF_LINES
    for change in changes:
        lines.append(f"  {_SIGNS[change.kind]} {printable(change.path)}{_say_mode(change)}")
        shown = change.lines[: max(0, left)] if change.kind == "changed" else ()
        lines += [f"      {_show_line(line)}" for line in shown]
        left -= len(shown)
        if change.kind == "changed" and len(change.lines) > len(shown):
            lines.append(f"      … {len(change.lines) - len(shown)} more lines")
    return "\n".join([*lines, *_risk_lines(installed.files)])


def _show_line(line: str) -> str:
    """A line of a skill; what a reader would not see is counted, since an agent would read it."""
    cleaned = clean_text(line, "\t")
    hidden = f" [{counted(len(cleaned.removed), 'hidden character')}]" if cleaned.removed else ""
    return f"{cleaned.text}{hidden}"


def _say_mode(change: FileChange) -> str:
    return " (whether it can be run changes)" if change.is_mode_changed else ""


def say_states(installed: InstalledSkill, problem: str = "") -> list[str]:
    """The words for what became of a skill; one word where nothing did."""
    words = [
        word
        for word, is_so in (
            ("missing", installed.state.is_missing),
            ("edited", bool(installed.state.edited)),
            ("outdated", installed.upstream == "newer"),
            ("newer than its hub here", installed.upstream == "older"),
            ("gone from its hub", installed.upstream == "gone"),
            ("hub not here", installed.upstream == "unknown" and not problem),
            ("refused", bool(problem)),
        )
        if is_so
    ]
    return words or ["current"]


def encode_installed(installed: InstalledSkill, problem: str) -> dict[str, object]:
    """The JSON object of one installed skill."""
    return {
        "name": installed.skill.name,
        "folder": str(installed.folder),
        "project": installed.root.is_project,
        "source": installed.skill.source,
        "commit": installed.skill.commit or None,
        "path": installed.skill.path,
        "states": say_states(installed, problem),
        "edited": list(installed.state.edited),
        "newest_commit": installed.newest.commit or None if installed.newest else None,
        "problem": problem or None,
    }


def shorten(path: str) -> str:
    """A path from the current folder if it is below it, else with `~` for the user's home."""
    here, home = (os.path.join(folder, "") for folder in (os.getcwd(), os.path.expanduser("~")))
    if path.startswith(here) and here != home:
        return path[len(here) :]
    return f"~/{path[len(home) :]}" if path.startswith(home) else path


def show_bytes(size: int) -> str:
    """A size for people."""
    return f"{size} bytes" if size < 1000 else f"{size / 1000:.1f} kB" if size < 1_000_000 else f"{size / 1e6:.1f} MB"


def list_rows(entries: Sequence[tuple[InstalledSkill, str]]) -> Iterator[tuple[str, ...]]:
    """A table's rows: name, state, folder, source."""
    for entry, problem in entries:
        source = name_state(entry.skill.source, entry.skill.commit)
        yield entry.skill.name, ", ".join(say_states(entry, problem)), shorten(str(entry.folder)), source
