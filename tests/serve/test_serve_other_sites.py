"""Web pages of other sites in a browser that reaches loopback: refused, but for links to the page itself."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from support.servers.serving_world import ServingWorld, serving

from hub_index.serve.http.site import Site

_FETCH = {"Sec_Fetch_Mode": "no-cors", "Sec_Fetch_Dest": "empty"}
_LINK = {"Sec_Fetch_Mode": "navigate", "Sec_Fetch_Dest": "document"}
_FRAME = {"Sec_Fetch_Mode": "navigate", "Sec_Fetch_Dest": "iframe"}


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServingWorld]:
    """A server of a page with one file, and of what every server has."""
    folder: Path = tmp_path_factory.mktemp("site")
    (folder / "index.html").write_text("<p>here</p>")
    with serving(site=Site(str(folder), lambda: ["index.html"])) as running:
        yield running


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
@pytest.mark.parametrize("path", ["/healthz", "/openapi.json", "/page/", "/", "/search?q=words"])
@pytest.mark.parametrize("how", [_FETCH, _FRAME, {}])
def test_a_request_of_another_sites_page_is_refused(
    world: ServingWorld, site: str, path: str, how: dict[str, str]
) -> None:
    """A GET without CORS has no Origin, but its browser says where it comes from."""
    assert world.ask("GET", path, None, Sec_Fetch_Site=site, **how).status == 403


@pytest.mark.parametrize(("path", "status"), [("/page/", 200), ("/page/index.html", 200), ("/", 307), ("/page", 307)])
@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_a_link_to_the_page_is_followed(world: ServingWorld, site: str, path: str, status: int) -> None:
    """In a chat, for one: the browser shows the page, and the other site learns nothing."""
    assert world.ask("GET", path, None, Sec_Fetch_Site=site, **_LINK).status == status


@pytest.mark.parametrize("path", ["/healthz", "/openapi.json", "/search?q=words", "/pages", "/page-files"])
def test_a_link_to_anything_else_is_refused(world: ServingWorld, path: str) -> None:
    """A window that another site opens could ask in its reader's name."""
    assert world.ask("GET", path, None, Sec_Fetch_Site="cross-site", **_LINK).status == 403


@pytest.mark.parametrize("site", ["same-origin", "none"])
def test_the_page_itself_and_its_reader_may_ask(world: ServingWorld, site: str) -> None:
    """`none` is an address that the reader typed."""
    assert world.ask("GET", "/healthz", None, Sec_Fetch_Site=site, **_LINK).status == 200
