"""A hub's page over HTTP: the files in its list and no others, below /page/; the files for agents at the root.

The caller passes the function that reads the list, since a page's folder is another room's matter. Files are read
whole, each with a tag of its bytes; texts are compressed once and kept. An exchanged folder is seen at once.
"""

import asyncio
import gzip
import os
import re
from collections.abc import Callable, Collection
from dataclasses import dataclass
from hashlib import sha256

from hub_index.base.safe_open import read_below
from hub_index.serve.http.answer import Answer
from hub_index.serve.http.request import HttpRequest
from hub_index.serve.http.routes import Route
from hub_index.serve.refusal import RequestRefused

PREFIX = "/page/"
_WELL_KNOWN = ".well-known/agent-skills/"
_MAKING_RETRY_S = 5  # while the page is made
_MAX_FILE_BYTES = 256 * 1024 * 1024
_TEXTS = {
    "html": "text/html; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "json": "application/json",
    "svg": "image/svg+xml",
    "txt": "text/plain; charset=utf-8",
    "md": "text/markdown; charset=utf-8",
}
_PACKED = {"bin": "application/octet-stream", "gz": "application/gzip"}
_RANGE = re.compile(r"bytes=(\d{0,15})-(\d{0,15})", re.ASCII)
# the page's own policy, and that no other site may frame it, which only a header can say
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS = (
    ("Content-Security-Policy", _POLICY),
    ("Referrer-Policy", "no-referrer"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Cache-Control", "no-cache"),
    ("Vary", "Accept-Encoding"),
)


@dataclass(frozen=True, slots=True)
class Site:
    """A page's folder, the reader of its file names, and the reason why there is no page yet."""

    folder: str
    read_names: Callable[[], Collection[str]]
    why_absent: Callable[[], str] = lambda: ""


class SiteDoor:
    """One page as routes."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._state: tuple[int, int] = (0, 0)
        self._names: Collection[str] = ()
        self._packed: dict[str, bytes] = {}  # by the digest of what is packed

    @property
    def routes(self) -> tuple[Route, ...]:
        """A page asks for many files at once: they do not count against a caller's rate."""
        return (
            Route("GET", "/", self._lead, is_work=False),
            Route("GET", "/page", self._lead, is_work=False),
            Route("GET", PREFIX, self._answer_front, is_work=False),
            Route("GET", f"{PREFIX}{{path...}}", self._answer_file, is_work=False),
            Route("GET", f"/{_WELL_KNOWN}{{path...}}", self._answer_well_known, is_work=False),
        )

    async def _lead(self, _request: HttpRequest) -> Answer:
        return Answer(status=307, content_type=_TEXTS["txt"], headers=(("Location", PREFIX),))

    async def _answer_front(self, request: HttpRequest) -> Answer:
        return await self._answer(request, "index.html")

    async def _answer_file(self, request: HttpRequest) -> Answer:
        return await self._answer(request, request.path_values["path"])

    async def _answer_well_known(self, request: HttpRequest) -> Answer:
        return await self._answer(request, _WELL_KNOWN + request.path_values["path"])

    async def _answer(self, request: HttpRequest, name: str) -> Answer:
        return await asyncio.to_thread(self._make, request, name)

    def _make(self, request: HttpRequest, name: str) -> Answer:
        content = self._read(name)
        ending = name.rpartition(".")[2]
        kind = _TEXTS.get(ending) or _PACKED.get(ending, "application/octet-stream")
        tag = f'"{sha256(content).hexdigest()[:32]}"'
        wanted = request.header("range")
        if wanted is None and ending in _TEXTS and _takes_gzip(request.header("accept-encoding") or ""):
            headers = (*_HEADERS, ("ETag", f'{tag[:-1]}-gzip"'), ("Content-Encoding", "gzip"))
            content = self._pack(tag, content)
        else:
            headers = (*_HEADERS, ("ETag", tag), ("Accept-Ranges", "bytes"))
        own_tag = next(text for key, text in headers if key == "ETag")
        if own_tag in (request.header("if-none-match") or ""):
            return Answer(status=304, headers=headers)
        if wanted is not None and request.header("if-range") in (None, own_tag):
            return _cut(content, wanted, kind, headers)
        return Answer(content, content_type=kind, headers=headers)

    def _read(self, name: str) -> bytes:
        """A listed file's bytes. Raises RequestRefused."""
        try:
            state = os.stat(self._site.folder)
            if (state.st_ino, state.st_mtime_ns) != self._state:
                self._names, self._packed = frozenset(self._site.read_names()), {}
                self._state = (state.st_ino, state.st_mtime_ns)
            if name in self._names:
                return read_below(self._site.folder, name, _MAX_FILE_BYTES)
        except (OSError, ValueError):  # gone, no path below the folder, or a link: as if it had never been listed
            pass
        if not self._names and (reason := self._site.why_absent()):
            raise RequestRefused(503, reason, code="not_ready", retry_s=_MAKING_RETRY_S)
        raise RequestRefused(404, "the page does not have this file", code="not_found")

    def _pack(self, tag: str, content: bytes) -> bytes:
        if tag not in self._packed:
            self._packed[tag] = gzip.compress(content, mtime=0)
        return self._packed[tag]


def is_page_path(raw_path: str) -> bool:
    """Whether the way in or a file of the page is there, if a page is served."""
    return raw_path in ("/", "/page") or raw_path.startswith(PREFIX)


def _takes_gzip(accepted: str) -> bool:
    """Whether a client says that it unpacks gzip."""
    for choice in accepted.lower().split(","):
        name, _, weight = choice.replace(" ", "").partition(";")
        if name == "gzip":
            return weight not in ("q=0", "q=0.0", "q=0.00", "q=0.000")
    return False


def _cut(content: bytes, wanted: str, kind: str, headers: tuple[tuple[str, str], ...]) -> Answer:
    """The requested range; the whole content unless it is one plain range of bytes, as HTTP allows."""
    match = _RANGE.fullmatch(wanted.strip())
    if match is None or match[0] == "bytes=-":
        return Answer(content, content_type=kind, headers=headers)
    size = len(content)
    start = int(match[1]) if match[1] else max(0, size - int(match[2]))
    end = min(size - 1, int(match[2])) if match[1] and match[2] else size - 1
    if start >= size or start > end:
        return Answer(b"", 416, kind, (*headers, ("Content-Range", f"bytes */{size}")))
    return Answer(content[start : end + 1], 206, kind, (*headers, ("Content-Range", f"bytes {start}-{end}/{size}")))
