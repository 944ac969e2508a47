"""OpenAI, Azure OpenAI and every server with the same API, through the openai SDK.

The SDK opens connections, names the deployment and signs the request; retries, redirects, caps and the reading of
the answer are ours. Works with SDKs on httpx (2.x) and on httpx2 (3.x).
"""

import json
import ssl
from collections.abc import Iterator, Sequence
from importlib import import_module
from typing import Any

from hub_index.embedding.api.endpoint import Endpoint, Kind, missing_sdk
from hub_index.embedding.api.http_guard import check_encoding, check_status, read_capped
from hub_index.embedding.api.retries import TransientError
from hub_index.errors import ProviderBrokePromise, ProviderError

CONNECT_S = 10.0
AZURE_API_VERSION = "2024-10-21"  # the newest that is generally available and has embeddings


class OpenAIClient:
    """Requests through one client of the SDK; safe for several threads."""

    def __init__(self, endpoint: Endpoint, key: str) -> None:
        try:
            import openai
        except ModuleNotFoundError as error:
            raise missing_sdk("openai", error) from error
        self._openai: Any = openai  # two generations of the SDK, with different types
        self._endpoint = endpoint
        self._httpx = _httpx_of(openai)
        self._sdk_client = self._open_sdk_client(key)

    def post(self, texts: Sequence[str], kind: Kind, timeout_s: float) -> object:  # noqa: ARG002 - the protocol's
        """The answer's JSON value; documents and queries are embedded alike."""
        asked: dict[str, Any] = {"input": "", "model": self._endpoint.model, "encoding_format": "base64"}
        if self._endpoint.dimensions is not None:
            asked["dimensions"] = self._endpoint.dimensions
        timeout = self._httpx.Timeout(timeout_s, connect=min(CONNECT_S, timeout_s))
        try:
            # the texts as extra_body: given as `input`, the SDK walks through every one of them, 3 of 6 ms a request
            answer = self._sdk_client.embeddings.with_raw_response.create(
                **asked, extra_body={"input": list(texts)}, timeout=timeout
            )
            body = bytes(answer.content)
        except self._openai.APIStatusError as error:
            check_status(error.status_code, error.response.headers, error.response.content)
            raise ProviderBrokePromise(
                f"the answer's status is {error.status_code} instead of 200; nothing was stored"
            ) from None
        except self._openai.APITimeoutError:
            raise TransientError(f"no answer within {timeout_s:.0f} s") from None
        except self._openai.APIConnectionError as error:
            cause = error.__cause__  # the SDK reports what our guard raised as a failed connection, too
            own = isinstance(cause, ProviderError | TransientError)
            raise cause if own else TransientError("the connection failed or broke off") from None
        try:
            value: object = json.loads(body)
        except (ValueError, RecursionError):
            raise ProviderBrokePromise(
                "the answer is not JSON (a proxy's page, or cut off); nothing was stored"
            ) from None
        return value

    def close(self) -> None:
        """Closes the SDK's connections."""
        self._sdk_client.close()

    def _open_sdk_client(self, key: str) -> Any:
        endpoint = self._endpoint
        capped = _capped_stream(self._httpx)

        def guard(response: Any) -> None:
            check_encoding(response.headers)
            response.stream = capped(response.stream, response.request.extensions["timeout"]["read"])

        https = endpoint.url.startswith("https://")
        http_client = self._openai.DefaultHttpxClient(
            follow_redirects=False,
            trust_env=https,  # a proxy may carry what is encrypted; plain http goes straight to its host
            # loading the authorities takes 50 ms that plain http does not need; without them no TLS succeeds
            verify=True if https else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT),
            event_hooks={"response": [guard]},
            headers={"Accept-Encoding": "identity"},
        )
        common = {"api_key": key, "max_retries": 0, "http_client": http_client}
        if endpoint.provider == "azure-openai":
            version = endpoint.api_version or AZURE_API_VERSION
            return self._openai.AzureOpenAI(azure_endpoint=endpoint.url, api_version=version, **common)
        return self._openai.OpenAI(base_url=endpoint.url, **common)


def _httpx_of(openai: Any) -> Any:
    """The HTTP library that this SDK is built on."""
    names = (base.__module__.partition(".")[0] for base in openai.DefaultHttpxClient.__mro__)
    return import_module(next(name for name in names if name in ("httpx", "httpx2")))


def _capped_stream(httpx: Any) -> Any:
    """A byte stream of that library which ends in an error at our cap."""

    def start(self: Any, inner: Any, timeout_s: float) -> None:
        self.inner, self.timeout_s = inner, timeout_s

    def chunks(self: Any) -> Iterator[bytes]:
        return read_capped(self.inner, self.timeout_s)

    def close(self: Any) -> None:
        self.inner.close()

    return type("CappedStream", (httpx.SyncByteStream,), {"__init__": start, "__iter__": chunks, "close": close})
