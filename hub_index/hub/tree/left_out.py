"""Texts that a listing leaves out because of what they are, counted by reason in one line each. Pure.

Notes about a folder of agents or commands, texts in the folder of a skill that lies among them, and templates of skills
outside of the roots: nobody would want to find them, so nobody is told to take them in.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from hub_index.hub.config_values import CONFIG_FILE
from hub_index.hub.record_file import is_new_place, is_note
from hub_index.hub.skill.problems import counted
from hub_index.hub.tree.ids import shown_name
from hub_index.hub.tree.layout import REGULAR_MODES
from hub_index.models import Problem, TreeEntry

LEFT_OUT = "left-out"  # the code of its problems
_TEMPLATES = frozenset(("template", "templates", "_template", "_templates", "skill-template", "template-skill"))
_SHOWN = 3


@dataclass(frozen=True, slots=True)
class LeftOut:
    """The paths of what is left out, by reason."""

    notes: Sequence[str]
    beside_skills: Sequence[str]
    templates: Sequence[str]


def is_template(path: str) -> bool:
    """Whether a SKILL.md lies in a folder for templates."""
    return any(step.lower() in _TEMPLATES for step in path.split("/")[:-1])


def is_left_note(entry: TreeEntry) -> bool:
    """Whether an entry is a note in a folder of agents or commands. Asked for every file of a hub."""
    path = entry.path
    return (
        path[-3:].lower() == ".md"
        and is_new_place(path)
        and is_note(path.rpartition("/")[2])
        and entry.mode in REGULAR_MODES
    )


def report_left_out(left_out: LeftOut) -> list[Problem]:
    """An advice for each reason, with the number and the first paths."""
    reasons = (
        (left_out.notes, "note", "about a folder of agents, commands or workflows"),
        (left_out.beside_skills, "text", "in the folder of a skill among agents or commands"),
        (left_out.templates, "template", "of skills outside of the roots"),
    )
    return [_advice(sorted(paths), what, where) for paths, what, where in reasons if paths]


def _advice(paths: Sequence[str], what: str, where: str) -> Problem:
    shown = ", ".join(map(shown_name, paths[:_SHOWN])) + (", …" if len(paths) > _SHOWN else "")
    reason = f"not indexed: {counted(len(paths), what)} {where} ({shown})"
    fix = f"nothing is wrong; to silence this, exclude it in {CONFIG_FILE}"
    return Problem("advice", shown_name(paths[0]), 0, LEFT_OUT, reason, fix)
