"""The request forms of the rerankers: TEI's, that of Cohere and Jina, and Voyage's SDK."""

import json
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from http.client import HTTPException, HTTPResponse
from importlib import import_module
from typing import Any, cast

from hub_index.embedding.api.endpoint import missing_sdk
from hub_index.embedding.api.http_guard import check_encoding, check_status, read_capped
from hub_index.embedding.api.retries import TransientError
from hub_index.embedding.api.voyage import GuardedSession
from hub_index.errors import ProviderBrokePromise
from hub_index.limits import MAX_RERANK_ANSWER_BYTES

_CHUNK_BYTES = 64 * 1024


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


def post_json(url: str, body: object, key: str, timeout_s: float) -> object:
    """The answer's JSON value. Raises TransientError, ProviderError."""
    headers = {
        "Content-Type": "application/json",
        "Accept": "application/json",
        "Accept-Encoding": "identity",
        "User-Agent": "hub-index",
    }
    if key:
        headers["Authorization"] = f"Bearer {key}"
    request = urllib.request.Request(url, json.dumps(body).encode(), headers, method="POST")  # noqa: S310 - checked
    try:
        with closing(_opener(url).open(request, timeout=timeout_s)) as opened:
            response = cast("HTTPResponse", opened)
            answer_headers = {name.lower(): value for name, value in response.headers.items()}
            check_encoding(answer_headers)
            content = b"".join(read_capped(_chunks(response), timeout_s))
            check_status(response.status, answer_headers, content)
    except TimeoutError:
        raise TransientError(f"no answer within {timeout_s:.1f} s") from None
    except (OSError, HTTPException):  # URLError is an OSError
        raise TransientError("the connection failed or broke off") from None
    try:
        value: object = json.loads(content)
    except (ValueError, RecursionError):
        raise ProviderBrokePromise("the answer is not JSON (a proxy's page, or cut off)") from None
    return value


def _opener(url: str) -> urllib.request.OpenerDirector:
    """Only what is needed: nothing here follows a redirect or answers a server's question for a password."""
    opener = urllib.request.OpenerDirector()
    https = url.startswith("https://")
    opener.add_handler(urllib.request.ProxyHandler(None if https else {}))
    opener.add_handler(urllib.request.HTTPSHandler() if https else urllib.request.HTTPHandler())
    return opener


def _chunks(response: HTTPResponse) -> Iterator[bytes]:
    size = 0
    while chunk := response.read1(_CHUNK_BYTES):
        size += len(chunk)
        if size > MAX_RERANK_ANSWER_BYTES:
            raise ProviderBrokePromise(f"the answer is longer than {MAX_RERANK_ANSWER_BYTES} bytes")
        yield chunk
