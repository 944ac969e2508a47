"""Stories in Chromium about visits without a server: what the first visit loaded is there when the server has gone."""

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
from support.pages.page_browser import Tab, open_tab
from support.pages.page_server import PageServer
from support.servers.serving_world import serving

from hub_index.cli.wiring.page_wiring import find_site

pytestmark = pytest.mark.page

_QUERY = "how do I analyze database perf?"
_LOADED = ["data/terms/", "data/records/", "data/vectors.bin", "data/model/model.bin", "data/model/rows/"]


@contextmanager
def _plain(site: Path) -> Iterator[str]:
    """A static file server without Range requests, as Python's own."""
    with PageServer(site) as server:
        yield server.address


@contextmanager
def _plain_with_range(site: Path) -> Iterator[str]:
    with PageServer(site, has_range=True) as server:
        yield server.address


@contextmanager
def _serve_page(site: Path) -> Iterator[str]:
    """`hub-index serve --page DIR`."""
    with serving(site=find_site(str(site), None, None)) as world:
        yield f"{world.url}/page/"


@pytest.mark.parametrize("serve", [_plain, _plain_with_range, _serve_page])
def test_a_first_visit_is_enough_for_the_next_without_a_server(
    browser: Any, example_site: Path, serve: Callable[[Path], AbstractContextManager[str]]
) -> None:
    """By words and by meaning: what was loaded before the service worker ran is kept as well."""
    with ExitStack() as running:
        address = running.enter_context(serve(example_site))
        with open_tab(browser, address) as tab:
            tab.open()
            tab.search(_QUERY)
            tab.wait_for_model()
            expected = tab.search(f"{_QUERY} ")
            _wait_until_kept(tab)
            running.close()
            tab.page.reload()
            tab.page.wait_for_selector(".hit")
            tab.wait_for_model()
            assert tab.names() == expected
            assert tab.page.locator(".error").count() == 0
            assert tab.wrongs == []


def test_a_page_that_cannot_be_kept_says_so(browser: Any, server: PageServer) -> None:
    """In the console, with the reason; it is searched all the same."""
    server.missing.add("page_files.json")
    with open_tab(browser, server.address) as tab:
        tab.open()
        assert tab.search("database")
        end_s = time.monotonic() + 90
        while not any("offline" in wrong for wrong in tab.wrongs):
            assert time.monotonic() < end_s
            tab.page.wait_for_timeout(50)


def _wait_until_kept(tab: Tab) -> None:
    """Waits until the store has some of all that a search by words and meaning loads."""
    tab.wait_for_worker()
    tab.page.wait_for_function(
        "async names => { const urls = []; for (const name of await caches.keys()) "
        "urls.push(...(await (await caches.open(name)).keys()).map(({url}) => url)); "
        "return names.every(name => urls.some(url => url.includes(name))); }",
        arg=_LOADED,
    )
