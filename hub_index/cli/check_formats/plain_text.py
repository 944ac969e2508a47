"""A checked change for people."""

from collections import Counter

from hub_index.cli.terminal import printable
from hub_index.cli.text.problems_text import problems_text, worst_first
from hub_index.embedding.cost import CostEstimate, format_usd
from hub_index.hub.skill.problems import counted
from hub_index.index.change_check import ChangeCheck, CheckedSkill
from hub_index.index.nearest import Neighbour
from hub_index.models import SkillFile

_SHOWN_SKILLS = 100


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
    return "\n".join(lines)


def summary(check: ChangeCheck) -> str:
    """How many skills changed, and since when; it quotes no stranger's text."""
    counts = Counter[str](skill.change for skill in check.skills)
    since = f"since {check.base[:12]}" if check.base else "before the first commit"
    where = "staged, " if not check.head else ""
    return f"{where}{since}: added {counts['added']:,}, edited {counts['edited']:,}, removed {counts['removed']:,}"


def place_of_skill(file: SkillFile) -> str:
    """A skill's folder; of a workflow or command, which share one, the file."""
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
