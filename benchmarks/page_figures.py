"""`python -m benchmarks.page_figures SITE [--set SET --others DIR]`: what a visitor of a page loads and waits for.

SITE is a page, SET holds `queries.jsonl` and `qrels.tsv` of the same hub, and DIR a `package.json` with `minisearch`
7.2.0 and `pagefind` 1.6.0, installed there: both are made from the same skills and asked the same, in the same run, in
Chromium. Text is sent compressed, as web hosts do. Times are this machine's: compare them with each other.
"""

import argparse
import gzip
import json
import subprocess
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.page_sites import start_chromium
from hub_index.hub.labels.labels import LabelledQuery, parse_labelled
from hub_index.search.words.tokens import has_cjk

_SCRIPT = Path(__file__).with_name("page_neighbours.mjs")
_FIRST = "database"
_TYPED = ("analyze slow queries", "make slides", "review a pull request", "send email", "weather")
_CHINESE = 100
_TYPES = {".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
_PACKED = (".html", ".js", ".css", ".svg", ".json", ".txt")
_OUR_ASK = """async () => {
  const { EngineClient } = await import(new URL("engine_client.js", location.href).href);
  const engine = new EngineClient();
  const request = { mode: "keyword", filters: {}, k: 10 };
  window.ask = async text => (await engine.call("search", { ...request, text })).hits.map(({ id }) => id);
}"""
_ASK_ONCE = """async text => {
  while (!window.ask) await new Promise(resolve => setTimeout(resolve, 5));
  await window.ask(text);
  return performance.now();
}"""
_TYPE = """async texts => {
  const times = [];
  for (const text of texts) {
    for (let end = 1; end <= text.length; end += 1) {
      const start = performance.now();
      await window.ask(text.slice(0, end));
      times.push(performance.now() - start);
    }
  }
  return times;
}"""
_ANSWER = (
    "async texts => { const found = []; for (const text of texts) found.push(await window.ask(text)); return found; }"
)


@dataclass(frozen=True, slots=True)
class Contender:
    """A site, and whether it is our page."""

    name: str
    folder: Path
    is_ours: bool


class _Server(ThreadingHTTPServer):
    """A folder over HTTP with text compressed; counts what it sends."""

    daemon_threads = True

    def __init__(self, folder: Path) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.folder = folder
        self.sent: dict[str, int] = {}
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def do_GET(self) -> None:
        name = self.path.split("?")[0].lstrip("/") or "index.html"
        path = self.server.folder / name
        content = path.read_bytes() if path.is_file() else b""
        self.send_response(200 if path.is_file() else 404)
        if path.suffix in _PACKED:
            content = gzip.compress(content, 6)
            self.send_header("Content-Encoding", "gzip")
        self.server.sent[name] = len(content)
        self.send_header("Content-Type", _TYPES.get(path.suffix, "application/octet-stream"))
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class calls it so
        """Nothing is printed."""


def main() -> None:
    """Prints a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("site", type=Path)
    parser.add_argument("--set", type=Path)
    parser.add_argument("--others", type=Path)
    given = parser.parse_args()
    contenders = [Contender("hub-index", given.site, is_ours=True)]
    if given.others:
        _make_others(given.site, given.others)
        contenders += [Contender(name, given.others / name, is_ours=False) for name in ("minisearch", "pagefind")]
    chinese = _chinese_queries(given.set) if given.set else []
    print("                      first view kB  to 1st answer kB  1st answer ms  key p95 ms   files  Chinese right")
    with start_chromium() as browser:
        for rate in (1, 4):
            for contender in contenders:
                print(_measure(browser, contender, chinese if rate == 1 else [], rate), flush=True)


def _measure(browser: Any, contender: Contender, chinese: Sequence[LabelledQuery], rate: int) -> str:
    context = browser.new_context(service_workers="block")
    page = context.new_page()
    server = _Server(contender.folder)
    if rate > 1:
        context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": rate})
        page.add_init_script("delete window.Worker")  # Chromium throttles no Worker: the engine runs in the page
    first_view = _first_view(page, server) if contender.is_ours else 0
    first_ms = _first_answer(page, server, is_ours=contender.is_ours)
    to_answer = sum(server.sent.values())
    times = page.evaluate(_TYPE, list(_TYPED))
    answers = page.evaluate(_ANSWER, [query.text for query in chinese]) if chinese else []
    right = [
        any(query.grades.get(id_.strip("/"), 0) > 0 for id_ in found)
        for query, found in zip(chinese, answers, strict=True)
    ]
    context.close()
    server.shutdown()
    files = sum(path.is_file() for path in contender.folder.rglob("*"))
    share = f"{sum(right)} of {len(right)}" if right else "-"
    return (
        f"{contender.name:<12} CPU/{rate}  {first_view / 1e3:>14,.0f} {to_answer / 1e3:>17,.0f} {first_ms:>14,.0f}"
        f" {float(np.percentile(times, 95)):>11,.1f} {files:>7,} {share:>14}"
    )


def _first_view(page: Any, server: _Server) -> int:
    page.goto(server.address)
    page.wait_for_selector("canvas, .error", timeout=120_000)
    page.wait_for_load_state("networkidle")
    size = sum(server.sent.values())
    page.goto("about:blank")
    return size


def _first_answer(page: Any, server: _Server, *, is_ours: bool) -> float:
    server.sent.clear()
    if is_ours:
        page.goto(f"{server.address}#/?q={_FIRST}&mode=keyword")
        page.wait_for_selector(".hit", timeout=120_000)
        took: float = page.evaluate("performance.now()")
        page.evaluate(_OUR_ASK)
        return took
    page.goto(server.address)
    return float(page.evaluate(_ASK_ONCE, _FIRST))


def _make_others(site: Path, folder: Path) -> None:
    """Both sites, from the page's own data: the same texts."""
    if (folder / "pagefind/pagefind").is_dir():
        return
    lines = "".join(json.dumps(document) + "\n" for document in _documents(site / "data"))
    subprocess.run(["node", str(_SCRIPT), str(folder)], input=lines, check=True, text=True)


def _documents(data: Path) -> Iterator[dict[str, str]]:
    bodies = (page for chunk in sorted(data.glob("bodies/*.bin")) for page in _read(chunk))
    records = (record for chunk in sorted(data.glob("records/*.bin")) for record in _read(chunk))
    for record, body in zip(records, bodies, strict=True):
        if record is not None:
            texts = {field: record[field] for field in ("id", "name", "description")}
            yield {**texts, "keywords": " ".join(record["keywords"]), "body": body["text"]}


def _read(path: Path) -> list[Any]:
    found: list[Any] = json.loads(gzip.decompress(path.read_bytes()))
    return found


def _chinese_queries(place: Path) -> list[LabelledQuery]:
    labelled = parse_labelled((place / "queries.jsonl").read_text("utf-8"), (place / "qrels.tsv").read_text("utf-8"))
    chinese = [query for query in labelled if has_cjk(query.text)]
    return [chinese[at * len(chinese) // _CHINESE] for at in range(min(_CHINESE, len(chinese)))]


if __name__ == "__main__":
    main()
