"""An Encoder behind an API: cuts texts, asks, retries, checks. The differences between providers are in their clients.

Holds no key: it is read when the client is opened, and the client is neither pickled nor printed.
"""

import hashlib
import json
import threading
import unicodedata
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from hub_index.base.characters import quote_line
from hub_index.embedding.api.endpoint import ApiClient, Endpoint, Kind, check_endpoint, open_client, read_key
from hub_index.embedding.api.http_guard import InputTooLong, scrub
from hub_index.embedding.api.retries import (
    DOCUMENTS,
    QUERY,
    Clock,
    RetryPolicy,
    SystemClock,
    call_with_retries,
    call_within,
)
from hub_index.embedding.api.token_estimate import CUT_RULE, cut_text, estimate_tokens
from hub_index.embedding.encoder import TokenCount
from hub_index.embedding.known_models import KnownModel
from hub_index.embedding.vector_checks import ModelAnswer, check_dim, describe_text, is_same_model
from hub_index.errors import ProviderBrokePromise, ProviderError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

BATCH_TOKEN_SHARE = 0.8  # of a provider's limit per request: our count is an estimate


class ApiEncoder:
    """An Encoder and a PaidEncoder; opens its connection with the first request."""

    def __init__(self, endpoint: Endpoint, known: KnownModel, *, batch_size: int, concurrency: int) -> None:
        self.endpoint = endpoint
        self.known = known
        self.batch_size = batch_size
        self.concurrency = concurrency
        self.policy: RetryPolicy = DOCUMENTS
        self.query_policy: RetryPolicy = QUERY
        self.clock: Clock = SystemClock()
        self._dim = endpoint.dimensions or known.dim
        self._answering_model: str | None = None
        self._start()

    def _start(self) -> None:
        self._lock = threading.Lock()
        self._client: ApiClient | None = None
        self._scrub: Callable[[str], str] = str

    @property
    def model_id(self) -> str:
        """`<provider>:<model>`, as published."""
        return f"{self.endpoint.provider}:{self.endpoint.model}"

    @property
    def _shown(self) -> str:
        """The model as messages name it: a hub may have chosen its words."""
        return quote_line(self.model_id)

    @property
    def space(self) -> str:
        """The digest of all known facts that decide a vector, for a model on another machine.

        The machine is one of them, for one name may belong to another model elsewhere; its address is published only as
        a part of this digest.
        """
        kinds = ["document", "query"] if self.endpoint.provider == "voyage" else ["", ""]
        about: dict[str, object] = {
            "provider": self.endpoint.provider,
            "model": self.endpoint.model,
            "dimensions": self.endpoint.dimensions or self.known.dim,
            "input_types": kinds,
            "prefixes": ["", ""],
            "cut": [CUT_RULE, self.known.max_input_tokens] if self.known.max_input_tokens else None,
            "normalise": "l2",
        }
        if self.endpoint.place:
            about["endpoint"] = self.endpoint.place
        canonical = json.dumps(about, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
        return "sha256:" + hashlib.sha256(canonical.encode()).hexdigest()

    @property
    def dim(self) -> int | None:
        """The vectors' length; None until a model that is not known here has answered."""
        return self._dim

    @property
    def max_batch_tokens(self) -> int | None:
        """The most estimated tokens of a request."""
        return int(self.known.max_batch_tokens * BATCH_TOKEN_SHARE) if self.known.max_batch_tokens else None

    def estimate_tokens(self, text: str) -> int:
        """About how many tokens the text has after the cut."""
        return estimate_tokens(self._cut(text))

    def count_tokens(self, texts: Sequence[str]) -> TokenCount:
        """An estimate: the provider's tokenizer is not available here."""
        return TokenCount(sum(self.estimate_tokens(text) for text in texts), exact=False)

    def embed_documents(self, texts: Sequence[str]) -> "NDArray[np.float32]":
        """A row of norm 1 per text, in order."""
        return self.embed_answer(texts).rows

    def embed_answer(self, texts: Sequence[str]) -> ModelAnswer:
        """The rows, and the tokens that were charged."""
        return self._embed(texts, "document", self.policy)

    def embed_query(self, text: str) -> "NDArray[np.float32]":
        """The query's vector; raises ProviderUnavailable when it takes longer than a query may."""
        limit = self.query_policy.budget_s
        answer = call_within(limit, lambda: self._embed([text], "query", self.query_policy), self._shown)
        row: NDArray[np.float32] = answer.rows[0]
        return row

    def as_read(self, text: str) -> str:
        """The text after the cut, without what some models do not see: case, width, spaces.

        Where a server's own limit is unknown, the whole text.
        """
        return " ".join(unicodedata.normalize("NFKC", self._cut(text)).casefold().split())

    def close(self) -> None:
        """Closes the connection; the next request opens a new one."""
        with self._lock:
            client, self._client = self._client, None
        if client is not None:
            client.close()

    def __getstate__(self) -> dict[str, Any]:
        """All but the connection, which holds the key."""
        return {name: value for name, value in self.__dict__.items() if name not in ("_lock", "_client", "_scrub")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._start()

    def _embed(self, texts: Sequence[str], kind: Kind, policy: RetryPolicy) -> ModelAnswer:
        from hub_index.embedding.api.embeddings_json import charged_tokens, parse_embeddings

        sent = [self._cut(text) for text in texts]
        client = self._open_client()
        value: object = None
        try:
            value = call_with_retries(lambda s: client.post(sent, kind, s), policy, self.clock, self._shown)
            answer = parse_embeddings(value, texts)
            self._check_model(answer.model)
            with self._lock:
                check_dim(answer.rows.shape[1], self._dim, self._shown)
                self._dim = answer.rows.shape[1]
        except InputTooLong as error:
            place = error.place if error.place is not None and error.place < len(texts) else None
            longest = max(range(len(texts)), key=lambda index: estimate_tokens(sent[index]))
            named = describe_text(texts[longest if place is None else place])
            hint = "" if place is not None else "probably "
            raise type(error)(self._scrub(f"{self._shown}: {hint}{named}: {error}")) from None
        except ProviderError as error:
            message = str(error) if str(error).startswith(self._shown) else f"{self._shown}: {error}"
            # not chained: an SDK's error quotes the server's answer, and a server may quote the key
            refused = type(error)(self._scrub(message))
            refused.charged_tokens = charged_tokens(value) or 0
            raise refused from None
        return ModelAnswer(answer.rows, answer.tokens)

    def _cut(self, text: str) -> str:
        # a query from a terminal may hold lone surrogates, which cannot be sent
        return cut_text(text, self.known.max_input_tokens).encode("utf-8", "replace").decode()

    def _open_client(self) -> ApiClient:
        with self._lock:
            if self._client is None:
                check_endpoint(self.endpoint)
                key = read_key(self.endpoint)
                self._client = open_client(self.endpoint, key)
                self._scrub = lambda text: scrub(text, key)
            return self._client

    def _check_model(self, answered: str | None) -> None:
        if not answered:
            return
        asked, answered = self.endpoint.model, self._scrub(answered)
        if self.endpoint.provider == "azure-openai":  # a deployment may have any name: compare with the first answer
            with self._lock:
                asked = self._answering_model = self._answering_model or answered
        if not is_same_model(asked, answered):
            raise ProviderBrokePromise(
                f"the answer came from the model {quote_line(answered, 80)}; nothing was stored. If that is the model "
                "you want, set it under that name"
            )
