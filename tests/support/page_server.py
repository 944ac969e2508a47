"""A page below a sub-path of a plain file server that can lose or damage files, and remembers what was asked for."""

import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType

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
        elif name in self.server.damaged:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"nonsense")
        else:
            super().do_GET()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class calls it so
        """Nothing is printed."""


class PageServer(ThreadingHTTPServer):
    """Runs as long as its `with`."""

    daemon_threads = True

    def __init__(self, folder: Path) -> None:
        super().__init__(("127.0.0.1", 0), partial(_Handler, directory=str(folder)))
        self.asked: list[str] = []
        self.missing: set[str] = set()
        self.damaged: set[str] = set()
        self.is_up = True

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}{_PREFIX}/"

    def __enter__(self) -> "PageServer":
        threading.Thread(target=self.serve_forever, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.shutdown()
        self.server_close()
