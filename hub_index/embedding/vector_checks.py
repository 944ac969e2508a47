"""Checks a model's answer before anything of it is stored in the vector cache or the index.

A wrong vector is worse than none: it would be reused, bit for bit, until its text changes.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hub_index.errors import ProviderBrokePromise
from hub_index.hub.skill.problems import counted
from hub_index.limits import MAX_DIM, NORM_TOLERANCE
from hub_index.models import SkillText

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# text-embedding-ada-002 answers as …-002-v2, Azure with a date, Ollama with :latest
_SAME_MODEL_TAIL = re.compile(r"(-v\d+|[-@]\d{4}-\d{2}-\d{2}|[-@]\d{8}|:latest)?")


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """One batch's rows, in the batch's order, and the tokens that were charged (None if that is unknown)."""

    rows: "NDArray[np.float32]"
    tokens: int | None = None


def check_rows(rows: "NDArray[np.float32]", batch: Sequence[SkillText], dim: int | None, who: str) -> None:
    """Raises ProviderBrokePromise unless there is one finite row of norm 1 per text, of the expected length."""
    import numpy as np

    if rows.ndim != 2 or rows.dtype != np.float32:
        raise ProviderBrokePromise(f"{who} did not give a table of float32 numbers; nothing was stored")
    if rows.shape[0] != len(batch):
        gave = f"{counted(rows.shape[0], 'vector')} for {counted(len(batch), 'text')}"
        raise ProviderBrokePromise(f"{who} gave {gave}; nothing was stored")
    check_dim(rows.shape[1], dim, who)
    norms = np.linalg.norm(rows.astype(np.float64), axis=1)
    wrong = np.flatnonzero(~(np.abs(norms - 1.0) <= NORM_TOLERANCE))  # written so that NaN is wrong
    if wrong.size:
        named = describe_text(batch[int(wrong[0])].text)
        raise ProviderBrokePromise(f"{who} gave a vector that is zero or not finite for {named}; nothing was stored")


def check_dim(found: int, expected: int | None, who: str) -> None:
    """Raises ProviderBrokePromise if a vector's length is not the expected one, or impossible."""
    if expected is not None and found != expected:
        raise ProviderBrokePromise(f"{who} gave vectors of {found} numbers instead of {expected}; nothing was stored")
    if not 0 < found <= MAX_DIM:
        raise ProviderBrokePromise(f"{who} gave vectors of {found} numbers, not of 1 to {MAX_DIM}; nothing was stored")


def is_same_model(asked: str, answered: str) -> bool:
    """Whether an answer's model is the requested one, apart from a version, a date or the owner's name."""
    asked, answered = (name.strip().lower().rsplit("/", 1)[-1].removesuffix(":latest") for name in (asked, answered))
    if not answered.startswith(asked):
        return False
    return _SAME_MODEL_TAIL.fullmatch(answered[len(asked) :]) is not None


def describe_text(text: str) -> str:
    """The name of a text's skill in an error: the text's first line, in ASCII."""
    first = text.split("\n", 1)[0].strip()
    return ascii(first[:80])
