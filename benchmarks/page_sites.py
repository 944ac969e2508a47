"""What the benchmarks of the page share: a hub with its index and its page, and the page's engine in node or Chromium.

The engine is called with the same modules that a visitor's browser loads; node stands in for the browser where only
answers count, and takes its files from the disk.
"""

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.hubs import unpack_hub
from benchmarks.measure import run
from hub_index.search import open_index
from hub_index.search.index import Index

_PROJECT = Path(__file__).resolve().parents[1]
_RUNNER = _PROJECT / "tests/page/engine_runner.mjs"
_TOOLS = _PROJECT / ".venv/page"  # where `make page-test` puts Playwright
_BROWSER_OPTIONS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
_IN_WORKER = """async calls => {
  const load = name => import(new URL(name, location.href).href);
  const client = new (await load("engine_client.js")).EngineClient();
  const here = new (await load("engine.js")).Engine(); // what no visitor asks for
  await here.call("open");
  await here.call("loadModel");
  const inside = {
    tokens: texts => texts.map(text => here.tokenizer.tokenize(text)),
    vector: async text => [...await here.model.embed(text)],
  };
  const answers = [];
  for (const [method, given] of calls) answers.push(await (inside[method]?.(given) ?? client.call(method, given)));
  return answers;
}"""

Calls = Sequence[tuple[str, Any]]


def make_site(archive: Path, place: Path) -> Path:
    """The folder of the page of the archive's hub; what stands in that place from an earlier run is used again."""
    hub, index, site = place / "hub", place / "index", place / "site"
    if not (hub / ".git").is_dir():
        unpack_hub(archive, hub)
    command = [sys.executable, "-m", "hub_index"]
    if not (index / "index_manifest.json").is_file():
        run([*command, "build", str(hub), "--out", str(index)])
    run([*command, "page", str(hub), "--index-dir", str(index), "--out", str(site)])
    return site


def open_made(place: Path) -> Index:
    """The same hub as the command line opens it."""
    return open_index(place / "index", place / "hub")


def call_in_node(site: Path, calls: Calls) -> list[Any]:
    """The answers of the page's engine in node."""
    (site.parent / "package.json").write_text('{"type": "module"}')  # or an older node takes .js for CommonJS
    command = ["node", str(_RUNNER), str(site)]
    done = subprocess.run(command, input=json.dumps(calls), check=True, capture_output=True, text=True)
    answers: list[Any] = json.loads(done.stdout)
    return answers


def call_in_chromium(site: Path, calls: Calls) -> list[Any]:
    """The answers of the page's engine in its Worker, in Chromium."""
    with start_chromium() as browser:
        return _call_in_page(browser, site, calls)


def _call_in_page(browser: Any, site: Path, calls: Calls) -> list[Any]:
    from support.pages.page_server import PageServer

    with PageServer(site) as server:
        page = browser.new_page()
        page.goto(server.address)
        answers: list[Any] = page.evaluate(_IN_WORKER, [list(call) for call in calls])
        return answers


@contextmanager
def start_chromium() -> Iterator[Any]:
    """The system's Chromium, driven by the Playwright of `make page-test`."""
    sys.path += [str(_TOOLS), str(_PROJECT / "tests")]
    from playwright.sync_api import sync_playwright
    from support.pages.page_browser import find_chromium

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=_BROWSER_OPTIONS)
        try:
            yield browser
        finally:
            browser.close()
