"""The embedded model behind OpenAI's embeddings API: `POST /v1/embeddings` and `GET /v1/models`."""

import json
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from hub_index.embedding.axon_lift import AXON_NAME, AXON_PART, lift
from hub_index.embedding.encoder import Encoder
from hub_index.limits import MAX_SERVED_BODY_BYTES
from hub_index.serve.http.answer import Answer
from hub_index.serve.http.openai_format import EmbeddingsRequest, encode_answer, encode_model, parse_request
from hub_index.serve.http.request import HttpRequest
from hub_index.serve.http.routes import Route
from hub_index.serve.refusal import RequestRefused
from hub_index.serve.work_queue import WorkQueue

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_TEXTS_AT_ONCE = 4  # 12 to 60 ms


class EmbeddingsDoor:
    """One encoder under the names that clients know."""

    def __init__(self, encoder: Encoder, model_name: str, max_waiting: int) -> None:
        self.encoder = encoder
        self.queue = WorkQueue("embedding", max_waiting)
        self._dims = {model_name: encoder.dim or 0, AXON_NAME: (encoder.dim or 0) + 1}

    @property
    def routes(self) -> tuple[Route, ...]:
        """Where the model is served."""
        return (
            Route("POST", "/v1/embeddings", self._embed, is_openai=True),
            Route("GET", "/v1/models", self._list_models, is_work=False, is_openai=True),
            Route("GET", "/v1/models/{model}", self._show_model, is_work=False, is_openai=True),
        )

    async def _embed(self, request: HttpRequest) -> Answer:
        asked = parse_request(await request.read_body(MAX_SERVED_BODY_BYTES), self._dims)
        with self.queue.turn():
            rows = await self._embed_texts(asked.texts)
            if asked.model == AXON_NAME:
                rows = lift(rows, AXON_PART)
            return Answer(await self.queue.run(lambda: self._encode(asked, rows)))

    def _encode(self, asked: EmbeddingsRequest, rows: "NDArray[np.float32]") -> bytes:
        return encode_answer(asked, rows, self.encoder.count_tokens(asked.texts).tokens)

    async def _embed_texts(self, texts: Sequence[str]) -> "NDArray[np.float32]":
        """A row for each text, a few texts at a time, so that other requests get their turn. Raises ProviderError."""
        import numpy as np

        rows = []
        for start in range(0, len(texts), _TEXTS_AT_ONCE):
            part = texts[start : start + _TEXTS_AT_ONCE]
            rows.append(await self.queue.run(partial(self.encoder.embed_documents, part)))
        return np.concatenate(rows)

    async def _list_models(self, _request: HttpRequest) -> Answer:
        listed = {"object": "list", "data": [encode_model(name) for name in self._dims]}
        return Answer(json.dumps(listed).encode())

    async def _show_model(self, request: HttpRequest) -> Answer:
        name = request.path_values["model"]
        if name not in self._dims:
            raise RequestRefused(404, "this model is not served; GET /v1/models lists those that are", code="not_found")
        return Answer(json.dumps(encode_model(name)).encode())
