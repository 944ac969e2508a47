"""One guarded POST of JSON with the standard library: all that a /rerank endpoint needs, without an SDK.

The rules are those of every request to a provider (`api/http_guard`): no redirect, capped, no compression, a proxy only
for encrypted requests.
"""

import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import closing
from http.client import HTTPException, HTTPResponse
from typing import cast

from hub_index.embedding.api.http_guard import check_encoding, check_status, read_capped
from hub_index.embedding.api.retries import TransientError
from hub_index.errors import ProviderBrokePromise
from hub_index.limits import MAX_RERANK_ANSWER_BYTES

_CHUNK_BYTES = 64 * 1024


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
