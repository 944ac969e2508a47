"""`ApiReranker`: a reranker behind an address, in TEI's form, Cohere's and Jina's, or by Voyage's SDK.

One request, tried again at most once, two seconds in all.
"""

import json
import math
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from http.client import HTTPException, HTTPResponse
from importlib import import_module
from typing import Any, Protocol, cast

from hub_index.embedding.api.embeddings_json import charged_tokens
from hub_index.embedding.api.endpoint import missing_sdk
from hub_index.embedding.api.http_guard import check_encoding, check_status, read_capped, scrub
from hub_index.embedding.api.retries import (
    Clock,
    RetryPolicy,
    SystemClock,
    TransientError,
    call_with_retries,
    call_within,
)
from hub_index.embedding.api.voyage import GuardedSession
from hub_index.embedding.rerank.reranker import RerankAnswer
from hub_index.errors import ProviderBrokePromise, ProviderError
from hub_index.hub.skill.problems import counted
from hub_index.limits import MAX_RERANK_ANSWER_BYTES, RERANK_BUDGET_S
from hub_index.settings import (
    BASE_URL_VARIABLE,
    KEY_VARIABLE,
    MAX_TOKENS_VARIABLE,
    MODEL_VARIABLE,
    RERANK_KEY_VARIABLE,
    RERANK_URL_VARIABLE,
    RERANK_VARIABLE,
)

RERANK = RetryPolicy(
    tries=2,
    first_wait_s=0.1,
    max_wait_s=1.0,
    budget_s=RERANK_BUDGET_S,
    timeout_s=RERANK_BUDGET_S,
    advice="try again later",
)

_OWN_NAMES = {
    KEY_VARIABLE: RERANK_KEY_VARIABLE,
    BASE_URL_VARIABLE: RERANK_URL_VARIABLE,
    MODEL_VARIABLE: RERANK_VARIABLE,
    f"set {MAX_TOKENS_VARIABLE} to what the model takes": "rerank fewer",
}

# A stored copy of the page, looked up on 2026-11-17. Cohere bills by searches and Jina by contract: unknown here.
VOYAGE_RERANK_PRICES = "Voyage's prices as quoted by getmaxim.ai/bifrost/model-library, 2026-11-17"
_USD_PER_MILLION = {
    ("voyage", "rerank-2.5"): 0.05,
    ("voyage", "rerank-2.5-lite"): 0.02,
    ("voyage", "rerank-2"): 0.05,
    ("voyage", "rerank-2-lite"): 0.02,
}
_CHUNK_BYTES = 64 * 1024


class RerankClient(Protocol):
    """Sends one request. Raises TransientError, ProviderError."""

    def post(self, query: str, texts: Sequence[str], timeout_s: float) -> object:
        """The answer's JSON value."""


@dataclass(frozen=True, slots=True)
class ApiReranker:
    """A Reranker over a client; `is_own_server`: its price is unknown. Holds a key only inside of its client."""

    provider: str
    model: str
    client: RerankClient
    key: str
    is_own_server: bool
    policy: RetryPolicy = RERANK
    clock: Clock = field(default_factory=SystemClock)

    def __repr__(self) -> str:
        return f"<ApiReranker {self.model_id}>"  # a frozen value would show its key

    @property
    def model_id(self) -> str:
        return f"{self.provider}:{self.model}"

    def rerank(self, query: str, texts: Sequence[str]) -> RerankAnswer:
        """Scores of all texts, in order. Raises ProviderError; none of its words hold the key."""
        try:
            value = call_within(self.policy.budget_s, lambda: self._ask(query, texts), self.model_id)
            answer = parse_rerank(value, len(texts))
        except ProviderError as error:
            message = str(error) if str(error).startswith(self.model_id) else f"{self.model_id}: {error}"
            raise ProviderError(scrub(_with_own_names(message), self.key)) from None
        usd = None if self.is_own_server else rerank_usd(self.provider, self.model, answer.tokens)
        return RerankAnswer(answer.scores, answer.tokens, usd)

    def close(self) -> None:
        """Nothing stays open."""

    def _ask(self, query: str, texts: Sequence[str]) -> object:
        return call_with_retries(
            lambda timeout_s: self.client.post(query, texts, timeout_s), self.policy, self.clock, self.model_id
        )


def _with_own_names(said: str) -> str:
    """The guard's advice with the reranker's variables instead of those of the embeddings."""
    for name, own in _OWN_NAMES.items():
        said = said.replace(name, own)
    return said.replace("; nothing was stored", "")


def rerank_usd(provider: str, model: str, tokens: int | None) -> float | None:
    """Dollars for `tokens`; None if price or tokens are unknown."""
    price = _USD_PER_MILLION.get((provider, model))
    return None if price is None or tokens is None else tokens * price / 1_000_000


def parse_rerank(value: object, count: int) -> RerankAnswer:
    """The answer to a request with `count` texts. Raises ProviderBrokePromise."""
    items = value
    if isinstance(value, Mapping):
        items = value.get("results", value.get("data"))
    if not isinstance(items, list):
        raise ProviderBrokePromise("the answer is not a list of scores")
    if len(items) != count:
        raise ProviderBrokePromise(f"the answer holds {counted(len(items), 'score')} for {counted(count, 'text')}")
    scores: dict[int, float] = {}
    for item in items:
        index = item.get("index") if isinstance(item, Mapping) else None
        if not isinstance(item, Mapping) or type(index) is not int or not 0 <= index < count or index in scores:
            raise ProviderBrokePromise(f"the answer's indexes are not exactly 0 to {count - 1}")
        score = item.get("relevance_score", item.get("score"))
        if type(score) not in (int, float) or not math.isfinite(score):
            raise ProviderBrokePromise("the answer holds a score that is not a finite number")
        scores[index] = float(score)
    return RerankAnswer(tuple(scores[index] for index in range(count)), charged_tokens(value))


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
