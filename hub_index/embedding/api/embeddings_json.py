"""An embeddings answer's JSON value → rows of norm 1, paired with their texts by `index`.

OpenAI, Azure, Voyage and compatible servers share the form
`{"data": [{"index", "embedding"}], "model", "usage": {"total_tokens"}}`; short, long and reordered answers are
reported bugs of real services, so everything is checked.
"""

import base64
import binascii
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hub_index.embedding.vector_checks import describe_text
from hub_index.errors import ProviderBrokePromise
from hub_index.hub.skill.problems import counted

MIN_NORM = 1e-12  # a shorter vector's direction is rounding noise


@dataclass(frozen=True, slots=True)
class EmbeddingsAnswer:
    """An answer's rows, the model that gave them, and the tokens that were charged; None if it does not say."""

    rows: NDArray[np.float32]
    model: str | None
    tokens: int | None


def parse_embeddings(value: object, texts: Sequence[str]) -> EmbeddingsAnswer:
    """The answer to a request with these texts. Raises ProviderBrokePromise."""
    if not isinstance(value, Mapping) or not isinstance(value.get("data"), list):
        raise ProviderBrokePromise("the answer is not a list of embeddings; nothing was stored")
    items = _by_index(value["data"], len(texts))
    rows = [_parse_vector(item, text) for item, text in zip(items, texts, strict=True)]
    lengths = {len(row) for row in rows}
    if len(lengths) != 1:
        raise ProviderBrokePromise(
            f"the answer holds vectors of {min(lengths)} and {max(lengths)} numbers; nothing was stored"
        )
    model = value.get("model")
    return EmbeddingsAnswer(
        _normalise(np.stack(rows), texts), model if isinstance(model, str) else None, charged_tokens(value)
    )


def _by_index(data: Sequence[object], count: int) -> list[Mapping[str, object]]:
    if len(data) != count:
        raise ProviderBrokePromise(
            f"the answer holds {counted(len(data), 'vector')} for {counted(count, 'text')}; nothing was stored"
        )
    placed: dict[int, Mapping[str, object]] = {}
    for item in data:
        index = item.get("index") if isinstance(item, Mapping) else None
        if not isinstance(item, Mapping) or type(index) is not int or not 0 <= index < count or index in placed:
            raise ProviderBrokePromise(f"the answer's indexes are not exactly 0 to {count - 1}; nothing was stored")
        placed[index] = item
    return [placed[index] for index in range(count)]


def _parse_vector(item: Mapping[str, object], text: str) -> NDArray[np.float64]:
    embedding = item.get("embedding")
    try:
        if isinstance(embedding, str):
            return np.frombuffer(base64.b64decode(embedding, validate=True), dtype="<f4").astype(np.float64)
        if isinstance(embedding, list) and all(type(number) in (float, int) for number in embedding):
            return np.array(embedding, dtype=np.float64)
    except (ValueError, OverflowError, binascii.Error):
        pass
    raise ProviderBrokePromise(f"the vector of {describe_text(text)} is not a list of numbers; nothing was stored")


def _normalise(rows: NDArray[np.float64], texts: Sequence[str]) -> NDArray[np.float32]:
    """Rows of norm 1, computed in double precision: the same bytes in, the same bytes out."""
    with np.errstate(over="ignore", invalid="ignore"):
        finite = np.isfinite(rows.astype(np.float32)).all(axis=1)  # 1e39 does not fit
        norms = np.sqrt((rows * rows).sum(axis=1))
    wrong = np.flatnonzero(~(finite & (norms > MIN_NORM)))
    if wrong.size:
        named = describe_text(texts[int(wrong[0])])
        raise ProviderBrokePromise(f"the vector of {named} is zero or not finite; nothing was stored")
    unit: NDArray[np.float32] = (rows / norms[:, None]).astype(np.float32)
    return unit


def charged_tokens(value: object) -> int | None:
    """The tokens that an answer says it cost, usable or not; None if it does not say."""
    usage = value.get("usage") if isinstance(value, Mapping) else None
    if not isinstance(usage, Mapping):
        return None
    tokens = usage.get("total_tokens", usage.get("prompt_tokens"))
    return tokens if type(tokens) is int and tokens >= 0 else None
