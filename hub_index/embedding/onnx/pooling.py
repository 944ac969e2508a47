"""A model's outputs → one vector: which output is taken, and how its tokens become one."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from hub_index.errors import ConfigError, ProviderBrokePromise

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Output = tuple[str, int, "int | None"]  # name, axes, last length
_TOKENS, _SENTENCE = ("last_hidden_state", "token_embeddings"), ("sentence_embedding", "dense_vecs")


def choose_output(outputs: Sequence[Output], pooling: str, where: str) -> Output:
    """The output that a pooling needs; without one the tokens', else the sentence's. Raises ConfigError."""
    tokens = _first(outputs, _TOKENS, axes=3)
    sentence = _first(outputs, _SENTENCE, axes=2)
    chosen = sentence if pooling == "none" else tokens
    if chosen is None and not pooling:
        chosen = sentence
    if chosen is None:
        kind = "a vector per text" if pooling == "none" else "vectors per token"
        given = ", ".join(name for name, _, _ in outputs)
        raise ConfigError(
            f"{where}: pooling {pooling or 'mean'} needs an output with {kind}, and there is only {given}"
        )
    return chosen


def pool(answer: "NDArray[np.float64]", pooling: str) -> "NDArray[np.float64]":
    """The vector of one text. Raises ProviderBrokePromise for an output of another form."""
    if answer.ndim == 2 and answer.shape[0] == 1:
        return answer[0]  # type: ignore[no-any-return]
    if answer.ndim != 3 or answer.shape[0] != 1 or not answer.shape[1]:
        raise ProviderBrokePromise(f"the model gave numbers in the form {answer.shape}, not vectors of one text")
    tokens = answer[0]
    if pooling == "cls":
        return tokens[0]  # type: ignore[no-any-return]
    if pooling == "last":
        return tokens[-1]  # type: ignore[no-any-return]
    return tokens.mean(axis=0)  # type: ignore[no-any-return]  # nothing is padded, so every token counts


def _first(outputs: Sequence[Output], names: Sequence[str], axes: int) -> Output | None:
    named = [output for name in names for output in outputs if output[0] == name and output[1] in (0, axes)]
    return next(iter([*named, *(output for output in outputs if output[1] == axes)]), None)
