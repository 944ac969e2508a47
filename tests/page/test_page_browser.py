"""Stories in Chromium: what a visitor does, and what happens where something is missing, broken or hostile."""

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from support.page_browser import AXE, open_tab, start_browser
from support.page_server import PageServer
from support.page_world import PageWorld

pytestmark = pytest.mark.page

_QUERY = "how do I analyze database perf?"


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """One browser for all stories."""
    yield from start_browser()


@pytest.fixture
def server(example_site: Path) -> Iterator[PageServer]:
    """The example hub's page, below a sub-path."""
    with PageServer(example_site) as server:
        yield server


def test_a_visitor_searches_by_words_and_meaning_in_two_languages(browser: Any, server: PageServer) -> None:
    """The README's two queries find what they should, and the page asks nobody else for anything."""
    with open_tab(browser, server.address) as tab:
        tab.open()
        tab.search(_QUERY)
        tab.wait_for_model()
        assert "db" in " ".join(tab.search(_QUERY)[:3]) or "database" in " ".join(tab.names()[:3])
        assert tab.page.locator(".hit mark").count() > 0
        assert "skills found" in tab.page.inner_text(".summary")
        assert any(
            "ppt" in name or "slide" in name or "演示" in name
            for name in tab.search("我想制作一个ppt，哪些skill可用")[:3]
        )
        assert tab.wrongs == []


def test_the_interface_is_chinese_for_a_chinese_browser(browser: Any, server: PageServer) -> None:
    """Every label is, on a narrow dark screen without a sideways scroll bar."""
    narrow = {"width": 320, "height": 700}
    with open_tab(browser, server.address, locale="zh-CN", viewport=narrow, color_scheme="dark") as tab:
        tab.open()
        tab.search("数据库")
        assert "找到" in tab.page.inner_text(".summary")
        assert tab.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert tab.page.evaluate("document.documentElement.lang") == "zh"


def test_the_keyboard_is_enough(browser: Any, server: PageServer) -> None:
    """Slash, words, arrows, Enter, Escape: to a skill and back to the hits."""
    with open_tab(browser, server.address) as tab:
        tab.open("#/?mode=keyword")
        tab.page.keyboard.press("Escape")
        tab.page.evaluate("document.activeElement.blur()")
        tab.page.keyboard.press("/")
        names = tab.search("database")
        tab.page.keyboard.press("ArrowDown")
        assert tab.page.evaluate("document.activeElement.textContent") == names[0]
        tab.page.keyboard.press("Enter")
        tab.page.wait_for_selector("article.skill")
        assert tab.page.inner_text("article.skill h2") == names[0]
        tab.page.wait_for_selector(".related li")
        tab.page.keyboard.press("Escape")
        tab.page.wait_for_selector(".hit")
        assert tab.names() == names


def test_a_search_can_be_linked(browser: Any, server: PageServer) -> None:
    """Query, mode and filters stand in the address."""
    with open_tab(browser, server.address) as tab:
        tab.open("#/?q=数据库&lang=zh&mode=keyword")
        tab.page.wait_for_selector(".hit")
        assert tab.page.input_value("#query") == "数据库"


def test_the_hub_is_seen_at_a_glance_as_map_and_as_list(browser: Any, server: PageServer) -> None:
    """Cards and a map come first; the list of all skills leads to the same pages."""
    with open_tab(browser, server.address) as tab:
        tab.open()
        tab.page.wait_for_selector(".map canvas")
        assert tab.page.locator(".cards section").count() == 4
        tab.page.get_by_role("button", name="Show as a list").click()
        tab.page.locator(".clusters summary").first.click()
        tab.page.locator(".clusters a").first.click()
        tab.page.wait_for_selector("article.skill")
        assert tab.wrongs == []


def test_a_hostile_hub_runs_nothing(browser: Any, tmp_path: Path) -> None:
    """Markup and links of its words are shown as text, in the list, on the skill's page and in the plain list."""
    world = PageWorld(tmp_path)
    hostile = "<img src=x onerror=alert(1)><script>alert(2)</script>"
    body = (
        f"# {hostile}\n[click](javascript:alert(3)) ![x](https://example.org/x.png)\n<iframe src='//evil'></iframe>\n"
    )
    world.hub.skill("evil", f"'{hostile} evil'", body=body)
    world.index()
    world.write()
    with PageServer(world.folder) as server, open_tab(browser, server.address) as tab:
        tab.open()
        tab.search("evil")
        tab.open("#/skill/evil")
        assert "<script>" in tab.page.inner_text("article.skill")
        assert tab.page.locator("main img, main script, main iframe, a[href^=javascript]").count() == 0
        tab.page.goto(server.address + "skills.html")
        assert tab.page.locator("img, script").count() == 0
        assert tab.wrongs == []


def test_a_damaged_or_missing_file_is_named(browser: Any, server: PageServer, example_site: Path) -> None:
    """What cannot be read is said in one sentence; the words go on where the model is broken."""
    server.damaged |= {"data/bodies/0000.bin"}
    server.missing |= {"data/model/model.bin"}
    with open_tab(browser, server.address) as tab:
        tab.open()
        assert tab.search("database")
        tab.page.wait_for_function("document.querySelector('#model-state').textContent.includes('words alone')")
        first = json.loads(gzip.decompress((example_site / "data/ids.bin").read_bytes()))[0]
        tab.page.goto(f"{server.address}#/skill/{quote(first, safe='')}")
        tab.page.wait_for_selector(".error")
        assert "data/bodies/0000.bin is damaged" in tab.page.inner_text(".error")
    server.damaged |= {"data/documents.bin"}
    with open_tab(browser, server.address) as tab:
        tab.page.goto(server.address + "#/?q=database")
        tab.page.wait_for_selector(".error")
        assert "data/documents.bin is damaged" in tab.page.inner_text(".error")


def test_the_page_works_offline_after_the_first_visit(browser: Any, server: PageServer) -> None:
    """What was loaded once answers again without a server; what was not is named."""
    with open_tab(browser, server.address) as tab:
        tab.open()
        tab.page.wait_for_function(
            "navigator.serviceWorker.ready.then(() => navigator.serviceWorker.controller !== null)"
        )
        tab.page.reload()
        tab.page.wait_for_selector("#query")
        tab.search("database")
        tab.page.context.set_offline(True)
        tab.page.reload()
        tab.page.wait_for_selector(".hit")
        assert "db-advisor" in tab.names()
        assert tab.wrongs == []


@pytest.mark.parametrize(
    "refusal",
    [
        "delete window.Worker",
        "Object.defineProperty(window, 'localStorage', {get() { throw new DOMException('no', 'SecurityError') }})",
        "delete Navigator.prototype.serviceWorker",
    ],
)
def test_a_browser_that_refuses_something_still_searches(browser: Any, server: PageServer, refusal: str) -> None:
    """Without workers, storage or service workers only comfort is lost."""
    with open_tab(browser, server.address) as tab:
        tab.page.add_init_script(refusal)
        tab.open()
        assert tab.search("database")
        assert tab.wrongs == []


def test_a_page_opened_from_a_file_says_what_to_do(browser: Any, example_site: Path) -> None:
    """Browsers run no modules from files: the page says so and offers the plain list."""
    with open_tab(browser, "file:") as tab:
        tab.page.goto((example_site / "index.html").as_uri())
        tab.page.wait_for_selector("#start", state="visible")
        assert "http.server" in tab.page.inner_text("#start")
        tab.page.click("#start a")
        assert "Skills of hub" in tab.page.inner_text("h1")


def test_nothing_jumps_and_axe_finds_nothing(browser: Any, server: PageServer) -> None:
    """No layout shift worth a number; no violation on the front, among hits and on a skill's page, light and dark."""
    if not AXE.exists():
        pytest.skip("there is no axe-core: `make page-test` installs it where npm is")
    watch = (
        "window.shift = 0; new PerformanceObserver(list => "
        "list.getEntries().forEach(entry => entry.hadRecentInput || (window.shift += entry.value))"
        ").observe({type: 'layout-shift', buffered: true})"
    )
    for scheme in ("light", "dark"):
        with open_tab(browser, server.address, color_scheme=scheme) as tab:
            tab.page.add_init_script(watch)
            for route in ("", "#/?q=database&mode=keyword"):
                tab.open(route)
                tab.page.wait_for_selector(".map canvas, .hit")
                _check_axe(tab.page)
            assert tab.page.evaluate("window.shift") < 0.1
            tab.page.locator(".hit .name").first.click()
            tab.page.wait_for_selector(".related li")
            _check_axe(tab.page)


def _check_axe(page: Any) -> None:
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate("axe.run().then(r => r.violations.map(v => [v.id, v.nodes.map(n => n.html.slice(0, 200))]))")
    assert found == []
