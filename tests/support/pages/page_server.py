"""A page below a sub-path of a plain file server that can lose or damage files, and remembers what was asked for."""

import re
import sys
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any

_PREFIX = "/some/where"


class _Handler(SimpleHTTPRequestHandler):
    """Serves the folder; the server says which files are lost or damaged."""

    server: "PageServer"

    def do_GET(self) -> None:
        name = self.path.split("?")[0].removeprefix(_PREFIX).lstrip("/")
        self.server.asked.append(name)
        self.path = "/" + name
        if name in self.server.missing or not self.server.is_up:
            self.send_error(404)
        elif self.server.has_range and (wanted := re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers["Range"] or "")):
            self._send_part(name, int(wanted[1]), int(wanted[2]))
        elif name in self.server.damaged:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"nonsense")
        else:
            super().do_GET()

    def _send_part(self, name: str, first: int, last: int) -> None:
        content = Path(self.directory, name).read_bytes()
        part = content[first : last + 1]
        self.server.parts.append((name, len(part)))
        self.send_response(206)
        self.send_header("Content-Range", f"bytes {first}-{last}/{len(content)}")
        self.send_header("Content-Length", str(len(part)))
        self.end_headers()
        self.wfile.write(bytes(len(part)) if name in self.server.damaged else part)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class calls it so
        """Nothing is printed."""


class PageServer(ThreadingHTTPServer):
    """Runs as long as its `with`."""

    daemon_threads = True

    def __init__(self, folder: Path, *, has_range: bool = False) -> None:
        super().__init__(("127.0.0.1", 0), partial(_Handler, directory=str(folder)))
        self.folder = folder
        self.asked: list[str] = []
        self.missing: set[str] = set()
        self.damaged: set[str] = set()
        self.is_up = True
        self.has_range = has_range  # Python's own file server has not
        self.parts: list[tuple[str, int]] = []  # file and bytes of each part that was sent

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}{_PREFIX}/"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A browser that leaves in the middle of a file is no error."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)

    def __enter__(self) -> "PageServer":
        threading.Thread(target=self.serve_forever, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.shutdown()
        self.server_close()
