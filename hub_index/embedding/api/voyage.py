"""Voyage AI through its SDK over our guarded session: the SDK alone has neither caps nor a short timeout.

The SDK's `Embedding` is called instead of its `Client.embed`, which drops each vector's index and the model's name.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import requests

from hub_index.embedding.api.endpoint import Endpoint, Kind, missing_sdk
from hub_index.embedding.api.http_guard import check_encoding, check_status, read_capped
from hub_index.embedding.api.openai import CONNECT_S
from hub_index.embedding.api.retries import TransientError
from hub_index.errors import ProviderBrokePromise


@dataclass(frozen=True, slots=True)
class ReadResponse:
    """The parts of a response that the SDK reads."""

    status_code: int
    headers: Mapping[str, str]
    content: bytes


class GuardedSession:
    """Stands in for a session of `requests`: no redirects, no netrc, no compressed or endless answers."""

    def __init__(self) -> None:
        self._requests = requests
        self._session = requests.Session()
        self._session.trust_env = False  # a netrc entry would replace the key
        self.proxies: dict[str, str] = {}

    def request(
        self, method: str, url: str, *, headers: Mapping[str, str], timeout: float, **sent: Any
    ) -> ReadResponse:
        """The whole answer, whose status is 200. Raises TransientError, ProviderError."""
        https = url.startswith("https://")
        proxies = self._requests.utils.get_environ_proxies(url) if https else {}
        errors = self._requests.exceptions
        try:
            with self._session.request(
                method,
                url,
                headers={**headers, "Accept-Encoding": "identity"},
                data=sent.get("data"),
                timeout=(min(CONNECT_S, timeout), timeout),
                allow_redirects=False,
                stream=True,
                proxies=proxies,
            ) as response:
                check_encoding(response.headers)
                body = b"".join(read_capped(response.iter_content(65_536), timeout))
                check_status(response.status_code, response.headers, body)
                return ReadResponse(response.status_code, response.headers, body)
        except errors.Timeout:
            raise TransientError(f"no answer within {timeout:.0f} s") from None
        except errors.RequestException:
            raise TransientError("the connection failed or broke off") from None

    def close(self) -> None:
        """Closes the session's connections."""
        self._session.close()


class VoyageClient:
    """Requests through the SDK; safe for several threads: each gets a separate session."""

    def __init__(self, endpoint: Endpoint, key: str) -> None:
        try:
            sdk: Any = import_module("voyageai")
        except ModuleNotFoundError as error:
            raise missing_sdk("voyage", error) from error
        self._voyageai = sdk
        self._voyageai.requestssession = GuardedSession
        self._endpoint = endpoint
        self._key = key
        # keys of MongoDB Atlas have another host
        self._url = endpoint.base_url or sdk.util.get_default_base_url(key)

    def post(self, texts: Sequence[str], kind: Kind, timeout_s: float) -> object:
        """The answer's JSON value; Voyage prepends one prompt to documents and another to queries."""
        asked: dict[str, Any] = {"input": list(texts), "model": self._endpoint.model, "input_type": kind}
        if self._endpoint.dimensions is not None:
            asked["output_dimension"] = self._endpoint.dimensions
        try:
            answer: object = self._voyageai.Embedding.create(
                **asked,
                truncation=False,  # we cut by our own rule; another cut would be another space
                encoding_format="base64",
                api_key=self._key,
                base_url=self._url,
                request_timeout=timeout_s,
            )
        except (self._voyageai.error.VoyageError, ValueError, AttributeError, TypeError, RecursionError):
            # the status was 200, see GuardedSession: the SDK could not make sense of the body
            raise ProviderBrokePromise("the answer is not the JSON that was expected; nothing was stored") from None
        return answer

    def close(self) -> None:
        """Does nothing: the SDK keeps a session per thread."""
