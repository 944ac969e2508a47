"""The request forms of the rerankers: TEI's, that of Cohere and Jina, and Voyage's SDK."""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from hub_index.embedding.api.endpoint import missing_sdk
from hub_index.embedding.api.voyage import GuardedSession
from hub_index.embedding.rerank.http_post import post_json
from hub_index.errors import ProviderBrokePromise


@dataclass(frozen=True, slots=True)
class TeiClient:
    """Text Embeddings Inference serves one model, which no request names."""

    url: str
    key: str

    def post(self, query: str, texts: Sequence[str], timeout_s: float) -> object:
        """The answer's JSON value."""
        body = {"query": query, "texts": list(texts), "raw_scores": False, "return_text": False, "truncate": True}
        return post_json(f"{self.url}/rerank", body, self.key, timeout_s)


@dataclass(frozen=True, slots=True)
class CohereClient:
    """Cohere's form, which Jina, vLLM and others share."""

    url: str
    model: str
    key: str

    def post(self, query: str, texts: Sequence[str], timeout_s: float) -> object:
        """The answer's JSON value."""
        body = {"model": self.model, "query": query, "documents": list(texts), "top_n": len(texts)}
        return post_json(f"{self.url}/rerank", body, self.key, timeout_s)


class VoyageRerankClient:
    """Voyage through its SDK, which sends by our guarded session; its own retries are not used."""

    def __init__(self, url: str, model: str, key: str) -> None:
        try:
            sdk: Any = import_module("voyageai")
        except ModuleNotFoundError as error:
            raise missing_sdk("voyage", error) from error
        sdk.requestssession = GuardedSession
        self._voyageai = sdk
        self._model = model
        self._key = key
        self._url = url or sdk.util.get_default_base_url(key)

    def post(self, query: str, texts: Sequence[str], timeout_s: float) -> object:
        """The answer's JSON value."""
        try:
            answer: object = self._voyageai.Reranking.create(
                query=query,
                documents=list(texts),
                model=self._model,
                top_k=len(texts),
                truncation=True,
                api_key=self._key,
                base_url=self._url,
                request_timeout=timeout_s,
            )
        except (self._voyageai.error.VoyageError, ValueError, AttributeError, TypeError, RecursionError):
            raise ProviderBrokePromise("the answer is not the JSON that was expected") from None
        return answer
