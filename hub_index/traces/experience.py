"""Settings + traces → the experience of a search, or none; unreadable traces are a notice."""

import time

from hub_index.errors import TracesUnusable
from hub_index.frozen import FrozenValue
from hub_index.settings import Settings
from hub_index.traces.learning import LearntExperience
from hub_index.traces.outcomes import read_outcomes
from hub_index.traces.verdict import PARTS, read_verdict


class FoundExperience(FrozenValue):
    """The experience of a search, and a notice for the user."""

    experience: LearntExperience | None = None
    notice: str = ""


def find_experience(settings: Settings, hub: str, *, scoring: str = "") -> FoundExperience:
    """The experience that `AXON_LEARN` allows: all parts, or those that gained in the last replay.

    The preset cortex gets one in any case.
    """
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
