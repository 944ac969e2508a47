"""Chromium as `make page-test` finds it, and a tab that notices everything that a page must not do."""

import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

_PROJECT = Path(__file__).resolve().parents[3]
TOOLS = _PROJECT / ".venv/page"  # where `make page-test` puts Playwright and axe-core
AXE = TOOLS / "node_modules/axe-core/axe.min.js"
_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_PATIENCE_MS = 90_000  # every wait is for a condition; a machine that is busy may take its time
_OPTIONS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync", "--no-first-run"]


def find_chromium() -> str:
    """The browser's program; empty where there is none."""
    return next((path for name in _NAMES if (path := shutil.which(name))), "")


def start_browser() -> Iterator[Any]:
    """A running Chromium; skips, saying what is missing, where there is none."""
    if TOOLS.is_dir() and str(TOOLS) not in sys.path:
        sys.path.append(str(TOOLS))
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        pytest.skip("there is no Playwright: `make page-test` installs it")
    program = find_chromium()
    if not program:
        pytest.skip("there is no Chromium: install it (Debian: apt-get install chromium fonts-noto-cjk)")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=_OPTIONS)
        yield browser
        browser.close()


class Tab:
    """A page in the browser with what it did wrong: errors, dialogs, requests to elsewhere, content that jumped."""

    def __init__(self, page: Any, address: str) -> None:
        self.page = page
        self.address = address
        self.wrongs: list[str] = []
        page.on("pageerror", lambda error: self.wrongs.append(f"error: {error}"))
        page.on("console", self._hear)
        page.on("dialog", self._refuse)
        page.on("request", self._watch)

    def _hear(self, said: Any) -> None:
        if said.type == "error":
            self.wrongs.append(f"console: {said.text}")

    def _refuse(self, dialog: Any) -> None:
        self.wrongs.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def _watch(self, request: Any) -> None:
        if not request.url.startswith((self.address, "data:", "blob:")):
            self.wrongs.append(f"request: {request.url}")

    def open(self, route: str = "") -> None:
        """Opens a view and waits until something of it is there."""
        self.page.goto(self.address + route)
        self.page.wait_for_selector("#query, article.skill, .error")

    def search(self, text: str) -> list[str]:
        """Types a query; the names of the hits, once there are any."""
        self.page.fill("#query", text)
        self.page.wait_for_function(
            "text => new URLSearchParams(location.hash.slice(3)).get('q') === text"
            " && document.querySelector('.hits[aria-busy=false] .hit')",
            arg=text,
        )
        return self.names()

    def names(self) -> list[str]:
        """The names of the hits that are shown."""
        names: list[str] = self.page.eval_on_selector_all(".hit .name", "all => all.map(one => one.textContent)")
        return names

    def wait_for_model(self) -> None:
        """Waits until meaning is searched, too."""
        self.wait_for("document.querySelector('#model-state')?.dataset.state === 'ready'")
        self.wait_for("document.querySelector('.hits').ariaBusy !== 'true'")

    def wait_for_worker(self) -> None:
        """Waits until the service worker has kept the page and answers its requests."""
        self.wait_for("navigator.serviceWorker.ready.then(() => navigator.serviceWorker.controller !== null)")

    def wait_for(self, condition: str) -> None:
        """Waits until an expression is true; as a function, since the page's policy lets nobody evaluate a text."""
        self.page.wait_for_function(f"() => {condition}")


@contextmanager
def open_tab(browser: Any, address: str, **options: Any) -> Iterator[Tab]:
    """A tab with a store of its own."""
    context = browser.new_context(locale=options.pop("locale", "en-US"), **options)
    context.set_default_timeout(_PATIENCE_MS)
    try:
        yield Tab(context.new_page(), address)
    finally:
        context.close()
