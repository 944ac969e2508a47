"""Settings + traces → the experience that a search is given, or none; what cannot be read is a notice."""

import time

from hub_index.errors import TracesUnusable
from hub_index.frozen import FrozenValue
from hub_index.settings import Settings
from hub_index.traces.learning import LearntExperience
from hub_index.traces.outcomes import read_outcomes
from hub_index.traces.verdict import PARTS, read_verdict


class FoundExperience(FrozenValue):
    """What a search is given, and what the user should know about it."""

    experience: LearntExperience | None = None
    notice: str = ""


def find_experience(settings: Settings, hub: str, *, scoring: str = "") -> FoundExperience:
    """What `AXON_LEARN` allows: everything, or the parts that the last replay found to gain; cortex asks by itself."""
    parts: tuple[str, ...] = ()
    if settings.learn == "on":
        parts = PARTS
    elif settings.learn == "auto":
        verdict = read_verdict(settings.state_folder, hub)
        parts = verdict.parts if verdict else ()
    if not parts and scoring != "cortex":
        return FoundExperience()
    try:
        outcomes = read_outcomes(settings.state_folder, hub)
    except TracesUnusable as error:
        return FoundExperience(notice=f"searched without what was learnt: {error}")
    return FoundExperience(LearntExperience(outcomes, time.time(), parts) if outcomes else None)
