"""A story in Chromium: what another site's page reaches of a server on loopback, by a browser's own headers."""

from pathlib import Path
from typing import Any

import pytest
from support.pages.page_browser import open_tab
from support.pages.page_server import PageServer
from support.servers.serving_world import serving

from hub_index.serve.http.site import Site

pytestmark = pytest.mark.page

_REFUSED = "GET (another path) 403"


def test_another_sites_page_may_link_to_the_page_and_nothing_else(browser: Any, tmp_path: Path) -> None:
    """Its fetch without CORS and its frame are refused; a click on its link opens the page."""
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    ours.mkdir()
    theirs.mkdir()
    (ours / "index.html").write_text("<p id=here>here</p>")
    with (
        serving(site=Site(str(ours), lambda: ["index.html"])) as world,
        PageServer(theirs) as other,
        open_tab(browser, other.address.replace("127.0.0.1", "localhost")) as tab,
    ):
        (theirs / "index.html").write_text(f'<a href="{world.url}/">link</a>')
        tab.page.goto(tab.address)
        tab.page.evaluate("url => fetch(url, {mode: 'no-cors'})", f"{world.url}/healthz")
        assert world.lines == [_REFUSED]
        tab.page.evaluate(
            "url => new Promise(done => { const frame = document.createElement('iframe'); frame.onload = done; "
            "frame.src = url; document.body.append(frame); })",
            f"{world.url}/page/",
        )
        assert world.lines == [_REFUSED] * 2
        tab.page.click("a")
        tab.page.wait_for_selector("#here")
        assert world.lines[2:4] == ["GET / 307", "GET /page/ 200"]
