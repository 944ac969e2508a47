"""Old texts sent along with new ones, to check that the model behind a name is still the one of their vectors.

A server can put another model behind the same name; mixed with the old vectors, the new ones would rank at random.
"""

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hub_index.embedding.threads import Batch, KeepAnswer
from hub_index.embedding.vector_checks import ModelAnswer
from hub_index.errors import ProviderBrokePromise
from hub_index.models import SkillText

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vector = NDArray[np.float32]

MIN_COSINE = 0.99  # rounding and other hardware move a text's vector by some 1e-4, another model by far more
MAX_CHANGED = 1  # one text may have a bad day


@dataclass(frozen=True, slots=True)
class Probe:
    """A text, and the unit vector that its model gave for it in an earlier build."""

    text: SkillText
    vector: "Vector"


class ProbeKeeper:
    """Holds answers back until every probe among them is compared, then hands on the others; probes are never kept."""

    def __init__(self, probes: Sequence[Probe], keep: KeepAnswer, model_id: str) -> None:
        self._known = {probe.text.text_hash: probe.vector for probe in probes}
        self._keep, self._model_id = keep, model_id
        self._lock = threading.Lock()
        self._held: list[tuple[Batch, ModelAnswer]] = []
        self._cosines: dict[str, float] = {}

    def keep(self, batch: Batch, answer: ModelAnswer) -> None:
        """Takes an answer from any thread. Raises ProviderBrokePromise if the model is another one."""
        with self._lock:
            self._held.append((batch, answer))
            for text, row in zip(batch, answer.rows, strict=True):
                if text.text_hash in self._known:
                    self._cosines[text.text_hash] = _cosine(row, self._known[text.text_hash])
            if len(self._cosines) < len(self._known):
                return
            self._check()
            held, self._held = self._held, []
        for held_batch, held_answer in held:
            self._keep_new(held_batch, held_answer)

    def _check(self) -> None:
        changed = sum(cosine < MIN_COSINE for cosine in self._cosines.values())
        if changed > MAX_CHANGED:
            raise ProviderBrokePromise(
                f"{self._model_id} is no longer the model that made the previous index: {changed} of "
                f"{len(self._known)} old texts came back with other vectors (a cosine of "
                f"{min(self._cosines.values()):.2f}); nothing was stored. Ask the server's owner; --force embeds every "
                "text anew, and --accept vectors puts new vectors beside the old ones"
            )

    def _keep_new(self, batch: Batch, answer: ModelAnswer) -> None:
        places = [place for place, text in enumerate(batch) if text.text_hash not in self._known]
        self._keep([batch[place] for place in places], ModelAnswer(answer.rows[places], answer.tokens))


def _cosine(row: "Vector", known: "Vector") -> float:
    """Cosine of two unit vectors; -1 if their lengths differ."""
    return float(row @ known) if row.shape == known.shape else -1.0
