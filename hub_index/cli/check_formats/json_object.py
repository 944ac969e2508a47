"""A checked change for programs: the object of schemas/check_result.schema.json."""

from dataclasses import asdict
from typing import Any

from hub_index.cli.text.problems_text import count_problems, worst_first
from hub_index.index.change_check import ChangeCheck, CheckedSkill
from hub_index.index.nearest import Neighbour


def as_json(check: ChangeCheck, *, strict: bool) -> dict[str, Any]:
    """All of it; paths are from the hub's root, which is `prefix` in its repository."""
    return {
        "passed": check.is_passed(strict=strict),
        "base": check.base or None,
        "head": check.head or None,
        "prefix": check.prefix,
        "skills": [_skill(skill) for skill in check.skills],
        "problems": [asdict(problem) for problem in worst_first(check.problems)],
        "counts": count_problems(check.problems),
        "to_embed": _estimate(check),
        "notices": list(check.notices),
    }


def _skill(skill: CheckedSkill) -> dict[str, Any]:
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
