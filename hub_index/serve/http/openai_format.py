"""OpenAI's embeddings format as a server uses it: a request's bytes → texts, vectors → an answer's bytes. No I/O.

Every refusal has the form that OpenAI's clients read, and none quotes a text of the request.
"""

import base64
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hub_index.limits import MAX_SERVED_INPUT_CHARS, MAX_SERVED_INPUTS
from hub_index.serve.refusal import RequestRefused

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_TOO_LARGE = 413


@dataclass(frozen=True, slots=True)
class EmbeddingsRequest:
    """The texts to embed, by which of the models, and how to write their vectors."""

    model: str
    texts: tuple[str, ...]
    as_base64: bool  # else written out as numbers


def parse_request(body: bytes, dims: Mapping[str, int]) -> EmbeddingsRequest:
    """The request in a body; `dims` are the models that are served and their lengths. Raises RequestRefused."""
    asked = _parse_object(body)
    model = _check_model(asked.get("model"), dims)
    encoding = asked.get("encoding_format") or "float"
    if encoding not in ("float", "base64"):
        raise RequestRefused(400, "encoding_format must be 'float' or 'base64'", param="encoding_format")
    dimensions = asked.get("dimensions")
    if dimensions is not None and (isinstance(dimensions, bool) or dimensions != dims[model]):
        raise RequestRefused(400, f"this model gives {dims[model]} dimensions and no others", param="dimensions")
    if "input" not in asked:
        raise RequestRefused(400, "input is missing: send a text or a list of texts", param="input")
    return EmbeddingsRequest(model, _check_texts(asked["input"]), encoding == "base64")


def encode_answer(request: EmbeddingsRequest, rows: "NDArray[np.float32]", tokens: int) -> bytes:
    """The answer's body: the vectors in the order of the texts."""
    # entry by entry: the encoder lets no other thread run before its end, and all of it can be 40 MB
    data = ", ".join(
        [
            json.dumps({"object": "embedding", "index": index, "embedding": _encode_row(row, request.as_base64)})
            for index, row in enumerate(rows)
        ]
    )
    usage = json.dumps({"prompt_tokens": tokens, "total_tokens": tokens})
    return f'{{"object": "list", "data": [{data}], "model": {json.dumps(request.model)}, "usage": {usage}}}'.encode()


def encode_refusal(refused: RequestRefused) -> bytes:
    """The body of an answer with a status other than 200, with the fields that OpenAI's clients read."""
    kind = "server_error" if refused.status >= 500 else "invalid_request_error"
    if refused.status == 429:
        kind = "rate_limit_error"
    error = {"message": str(refused), "type": kind, "param": refused.param, "code": refused.code}
    return json.dumps({"error": error}).encode()


def encode_model(model_name: str) -> dict[str, object]:
    """The model as GET /v1/models describes it."""
    return {"id": model_name, "object": "model", "created": 0, "owned_by": "hub-index"}


def _parse_object(body: bytes) -> dict[str, Any]:
    try:
        asked = json.loads(body.decode("utf-8"))
    except (ValueError, RecursionError) as error:  # not UTF-8, not JSON, absurd numbers, absurd nesting
        raise RequestRefused(400, "the body is not JSON in UTF-8") from error
    if not isinstance(asked, dict):
        raise RequestRefused(400, "the body must be a JSON object with 'model' and 'input'")
    return asked


def _check_model(asked: object, served: Iterable[str]) -> str:
    """The model that is asked for. Any other is refused: a client would store vectors under a wrong model's name."""
    if not isinstance(asked, str) or not asked:
        raise RequestRefused(400, "model is missing: send its name", param="model")
    if asked not in served:
        names = " and ".join(f"'{name}'" for name in served)
        raise RequestRefused(
            404,
            f"the models here are {names}; ask for one, or start `hub-index serve` with another --model-name",
            param="model",
            code="model_not_found",
        )
    return asked


def _check_texts(asked: object) -> tuple[str, ...]:
    texts = [asked] if isinstance(asked, str) else asked
    if not isinstance(texts, list) or not texts:
        raise RequestRefused(400, "input must be a text or a list of at least one text", param="input")
    if len(texts) > MAX_SERVED_INPUTS:
        raise RequestRefused(_TOO_LARGE, f"input holds more than {MAX_SERVED_INPUTS} texts; send fewer", param="input")
    for text in texts:
        _check_text(text)
    return tuple(texts)


def _check_text(text: object) -> None:
    if isinstance(text, (int, float, list)):
        raise RequestRefused(
            400,
            "input holds tokens, which belong to another model's tokenizer; send texts (in LangChain: "
            "check_embedding_ctx_length=False)",
            param="input",
        )
    if not isinstance(text, str) or not text:
        raise RequestRefused(400, "input must hold texts only, none of them empty", param="input")
    if len(text) > MAX_SERVED_INPUT_CHARS:
        raise RequestRefused(
            _TOO_LARGE, f"a text of input is longer than {MAX_SERVED_INPUT_CHARS} characters; cut it", param="input"
        )


def _encode_row(row: "NDArray[np.float32]", as_base64: bool) -> str | list[float]:
    if as_base64:
        return base64.b64encode(row.astype("<f4").tobytes()).decode("ascii")
    numbers: list[float] = row.tolist()
    return numbers
