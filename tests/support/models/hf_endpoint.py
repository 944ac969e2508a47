"""A loopback server of a Hugging Face endpoint's shape: revisions, files with digests, ranges; it can break off."""

import hashlib
import json
from typing import Any
from urllib.parse import unquote, urlsplit

from support.servers.loopback_server import LoopbackServer, QuietHandler

_MOST_SMALL = 1000  # larger files are stored as the real endpoint stores weights, with a sha256


class HfEndpoint(LoopbackServer):
    """Repositories by name: commit, branches, files. Use as a context manager; `url` is what HF_ENDPOINT should be."""

    def __init__(self) -> None:
        super().__init__(_Handler)
        self.repos: dict[str, dict[str, bytes]] = {}
        self.commits: dict[str, str] = {}
        self.lies: dict[str, bytes] = {}  # file name → what is sent instead
        self.break_after: int | None = None  # bytes of the next large file, once
        self.is_down = False  # set by a break: nothing is answered until somebody sets it back
        self.requests: list[str] = []
        self.ranges: list[str] = []

    def add(self, repo: str, files: dict[str, bytes]) -> str:
        """A repository, or a new commit of one; its commit."""
        digest = hashlib.sha1(repo.encode() + b"".join(name.encode() + body for name, body in files.items()))
        self.repos[repo], self.commits[repo] = files, digest.hexdigest()
        return self.commits[repo]


class _Handler(QuietHandler):
    @property
    def endpoint(self) -> HfEndpoint:
        found: HfEndpoint = self.owner
        return found

    def do_HEAD(self) -> None:  # noqa: N802 - as http.server calls it
        self._answer(with_body=False)

    def do_GET(self) -> None:  # noqa: N802 - as http.server calls it
        self._answer(with_body=True)

    def _answer(self, *, with_body: bool) -> None:
        if self.endpoint.is_down:
            self._send(503, b"", {}, with_body=False)
            return
        path = unquote(urlsplit(self.path).path)
        self.endpoint.requests.append(f"{self.command} {path}")
        parts = path.strip("/").split("/")
        if parts[:2] == ["api", "models"] and len(parts) >= 4:
            self._info("/".join(parts[2:4]), parts[5] if len(parts) > 5 else "main")
        elif len(parts) > 4 and parts[2] == "resolve":
            self._file("/".join(parts[:2]), parts[3], "/".join(parts[4:]), with_body=with_body)
        else:
            self._refuse("RepoNotFound")

    def _info(self, repo: str, revision: str) -> None:
        if repo not in self.endpoint.repos:
            self._refuse("RepoNotFound")
        elif revision not in ("main", "v1", self.endpoint.commits[repo], self.endpoint.commits[repo][:7]):
            self._refuse("RevisionNotFound")
        else:
            files = self.endpoint.repos[repo].items()
            body = {
                "id": repo,
                "modelId": repo,
                "sha": self.endpoint.commits[repo],
                "siblings": [_sibling(name, content) for name, content in files],
            }
            self._send(200, json.dumps(body).encode(), {"Content-Type": "application/json"})

    def _file(self, repo: str, revision: str, name: str, *, with_body: bool) -> None:
        files = self.endpoint.repos.get(repo, {})
        if name not in files or revision != self.endpoint.commits[repo]:
            self._refuse("EntryNotFound")
            return
        content = self.endpoint.lies.get(name, files[name])
        etag = _etag(files[name])
        headers = {"ETag": f'"{etag}"', "X-Repo-Commit": revision, "Accept-Ranges": "bytes"}
        asked = self.headers.get("Range")
        start = int(asked.removeprefix("bytes=").partition("-")[0]) if asked and with_body else 0
        if start:
            self.endpoint.ranges.append(asked or "")
            headers["Content-Range"] = f"bytes {start}-{len(content) - 1}/{len(content)}"
        self._send(206 if start else 200, content[start:], headers, with_body=with_body)

    def _send(self, code: int, content: bytes, headers: dict[str, str], *, with_body: bool = True) -> None:
        self.send_response(code)
        for name, value in {**headers, "Content-Length": str(len(content))}.items():
            self.send_header(name, value)
        self.end_headers()
        limit = self.endpoint.break_after
        if with_body and limit is not None and len(content) > _MOST_SMALL:
            self.endpoint.break_after, self.endpoint.is_down = None, True
            self.wfile.write(content[:limit])
            self.wfile.flush()
            self.connection.close()
            self.close_connection = True
        elif with_body:
            self.wfile.write(content)

    def _refuse(self, code: str) -> None:
        self._send(404, b"{}", {"X-Error-Code": code, "X-Error-Message": "no"}, with_body=self.command == "GET")


def _sibling(name: str, content: bytes) -> dict[str, Any]:
    blob = hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()
    about: dict[str, Any] = {"rfilename": name, "size": len(content), "blobId": blob}
    if len(content) > _MOST_SMALL:
        about["lfs"] = {"sha256": hashlib.sha256(content).hexdigest(), "size": len(content), "pointerSize": 134}
    return about


def _etag(content: bytes) -> str:
    if len(content) > _MOST_SMALL:
        return hashlib.sha256(content).hexdigest()
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()
