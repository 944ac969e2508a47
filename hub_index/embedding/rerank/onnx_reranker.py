"""`OnnxReranker`: a cross-encoder in a folder; query and text are read together, one pair per run."""

import math
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

from hub_index.embedding.api.retries import call_within
from hub_index.embedding.onnx.model_folder import check_folder, open_folder
from hub_index.embedding.onnx.session import OnnxSession
from hub_index.embedding.rerank.reranker import RerankAnswer
from hub_index.embedding.threads import usable_cores
from hub_index.errors import ProviderBrokePromise, ProviderUnavailable
from hub_index.limits import RERANK_BUDGET_S

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class OnnxReranker:
    """A Reranker that runs here and costs nothing. Loading counts as time, too: a large one is for a warm process."""

    def __init__(self, path: Path, device: str = "auto", budget_s: float = RERANK_BUDGET_S) -> None:
        self._folder = open_folder(path)
        self._device = device
        self._budget_s = budget_s
        self._lock = threading.Lock()
        self._session: OnnxSession | None = None

    @property
    def model_id(self) -> str:
        return f"onnx:{self._folder.name}"

    def rerank(self, query: str, texts: Sequence[str]) -> RerankAnswer:
        """Scores from 0 to 1, in the texts' order. Raises ConfigError, ProviderError."""
        end_s = time.monotonic() + self._budget_s
        scores = call_within(self._budget_s, lambda: self._score_all(query, texts, end_s), self.model_id)
        return RerankAnswer(scores, usd=0.0)

    def close(self) -> None:
        """Lets go of the model."""
        with self._lock:
            self._session = None

    def _load(self) -> OnnxSession:
        with self._lock:
            if self._session is None:
                self._session = OnnxSession(check_folder(self._folder), self._device)
            return self._session

    def _score_all(self, query: str, texts: Sequence[str], end_s: float) -> tuple[float, ...]:
        session = self._load()
        output = next((name for name, _, _ in session.outputs if name == "logits"), session.outputs[0][0])

        def score(text: str) -> float:
            if time.monotonic() > end_s:
                raise ProviderUnavailable(f"{self.model_id} takes longer than {self._budget_s:g} s; rerank fewer")
            return _as_score(session.run(session.encode(query, text), output), self.model_id)

        with ThreadPoolExecutor(usable_cores()) as threads:
            return tuple(threads.map(score, texts))


def _as_score(answer: "NDArray[np.float64]", who: str) -> float:
    """A probability from one logit, or from two: no match, match. Raises ProviderBrokePromise."""
    logits = [float(number) for number in answer.reshape(-1)] if answer.size in (1, 2) else []
    if not logits or not all(map(math.isfinite, logits)):
        raise ProviderBrokePromise(f"{who} is not a cross-encoder: it does not give one finite score for a pair")
    logit = logits[-1] - (logits[0] if len(logits) == 2 else 0.0)
    return 1.0 / (1.0 + math.exp(-max(-60.0, min(60.0, logit))))
