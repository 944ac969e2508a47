"""Stories in Chromium of how the page looks and feels: any width, light and dark, on paper, with axe, and a big map."""

from pathlib import Path
from typing import Any

import pytest
from support.pages.page_browser import AXE, open_tab
from support.pages.page_server import PageServer

pytestmark = pytest.mark.page

_ROUTES = ("", "#/?q=database&mode=keyword", "#/skill/db-advisor")
_SHOWN = ".map canvas, .hit, .related li"
_WATCH_SHIFTS = (
    "window.shift = 0; new PerformanceObserver(list => "
    "list.getEntries().forEach(entry => entry.hadRecentInput || (window.shift += entry.value))"
    ").observe({type: 'layout-shift', buffered: true})"
)
_MAP_FRAMES = """async () => {
  const { MapCanvas } = await import(new URL("map_canvas.js", document.baseURI));
  const total = 25000;
  let seed = 1;
  const random = () => (seed = (seed * 16807) % 2147483647) / 2147483647;
  const places = Uint32Array.from({ length: 2 * total }, () => Math.floor(random() * 65535));
  const clusters = Uint8Array.from({ length: total }, () => Math.floor(random() * 24));
  const ids = Array.from({ length: total }, (_, at) => `skill-${at}`);
  const names = Array.from({ length: 24 }, (_, at) => `cluster ${at}`);
  const map = new MapCanvas({ ids, places, clusters }, names, () => {});
  document.body.append(map.element);
  map.paint();
  const context = map.canvas.getContext("2d");
  const plain = () => { for (let at = 0; at < total; at += 1) context.fillRect(at % 900, at % 400, 3, 3); };
  const time = (work) => { const start = performance.now(); work(); return performance.now() - start; };
  const times = { map: [], plain: [] };
  for (let round = 0; round < 15; round += 1) {
    times.plain.push(time(plain));
    context.getImageData(0, 0, 1, 1);
    times.map.push(time(() => map.paint()));
    context.getImageData(0, 0, 1, 1);
  }
  const median = (list) => list.sort((one, other) => one - other)[7];
  return median(times.map) / median(times.plain);
}"""


@pytest.mark.parametrize("width", [320, 390, 768, 1440, 2560])
def test_every_view_fits_every_width(browser: Any, server: PageServer, width: int) -> None:
    """No view needs a sideways scroll bar, from the narrowest telephone to a wall."""
    with open_tab(browser, server.address, viewport={"width": width, "height": 800}) as tab:
        for route in _ROUTES:
            tab.open(route)
            tab.page.wait_for_selector(_SHOWN)
            assert tab.page.evaluate("document.documentElement.scrollWidth <= innerWidth"), route
        assert tab.wrongs == []


@pytest.mark.parametrize(("scheme", "locale"), [("light", "en-US"), ("dark", "zh-CN")])
def test_nothing_jumps_and_axe_finds_nothing(browser: Any, server: PageServer, scheme: str, locale: str) -> None:
    """No layout shift worth a number; no violation on the front, in its list, among hits and on a skill's page."""
    if not AXE.exists():
        pytest.skip("there is no axe-core: `make page-test` installs it where npm is")
    with open_tab(browser, server.address, color_scheme=scheme, locale=locale) as tab:
        tab.page.add_init_script(_WATCH_SHIFTS)
        for route in _ROUTES:
            tab.page.goto("about:blank")
            tab.open(route)
            tab.page.wait_for_selector(_SHOWN)
            assert tab.page.evaluate("window.shift") < 0.1, route
            _check_axe(tab.page)
        tab.open()
        tab.page.locator(".more summary").click()
        tab.page.locator(".map button").first.click()
        tab.page.locator(".clusters summary").first.click()
        _check_axe(tab.page)
        assert [wrong for wrong in tab.wrongs if "about:blank" not in wrong] == []


def test_paper_gets_the_words_alone(browser: Any, server: PageServer) -> None:
    """Printed, a skill has its text and no buttons, boxes or maps."""
    with open_tab(browser, server.address) as tab:
        tab.open("#/skill/db-advisor")
        tab.page.wait_for_selector(".related li")
        tab.page.emulate_media(media="print")
        assert tab.page.locator(".markdown").is_visible()
        assert not tab.page.locator(".actions").is_visible()
        tab.page.emulate_media(media="screen")
        tab.open()
        tab.page.emulate_media(media="print")
        assert not tab.page.locator("[role=search]").is_visible()


def test_nothing_moves_for_those_who_asked_for_it(browser: Any, server: PageServer) -> None:
    """Scrolling is smooth only where the visitor has not asked for less motion, and nothing else is animated."""
    for wish, expected in (("reduce", "auto"), ("no-preference", "smooth")):
        with open_tab(browser, server.address, reduced_motion=wish) as tab:
            tab.open()
            assert tab.page.evaluate("getComputedStyle(document.documentElement).scrollBehavior") == expected
            assert tab.page.evaluate("document.getAnimations().length") == 0


def test_a_map_of_25000_skills_is_drawn_at_the_speed_of_its_points(browser: Any, server: PageServer) -> None:
    """A frame costs a few times what 25,000 bare squares cost, in the same run; names and colours are included."""
    with open_tab(browser, server.address) as tab:
        tab.open()
        assert tab.page.evaluate(_MAP_FRAMES) < 6


def test_a_point_of_the_map_leads_to_its_skill(browser: Any, server: PageServer) -> None:
    """The pointer finds a name, a click opens it; plus and minus zoom, and the wheel alone scrolls the page."""
    with open_tab(browser, server.address) as tab:
        tab.open()
        canvas = tab.page.locator(".map canvas")
        canvas.wait_for()
        canvas.scroll_into_view_if_needed()
        tab.page.get_by_role("button", name="Zoom in").click()
        tab.page.get_by_role("button", name="Zoom out").click()
        box = canvas.bounding_box()
        found = ""
        for step in range(400):
            x, y = 20 + (step * 37) % int(box["width"] - 40), 20 + (step * 23) % int(box["height"] - 40)
            canvas.hover(position={"x": x, "y": y})
            if found := tab.page.inner_text(".map-label").strip():
                canvas.click(position={"x": x, "y": y})
                break
        tab.page.wait_for_selector("article.skill")
        assert found.startswith(tab.page.inner_text(".facts dd >> nth=0"))


@pytest.mark.parametrize("locale", ["en-US", "zh-CN"])
@pytest.mark.parametrize("width", [320, 390, 768, 1440])
def test_no_choice_of_a_filter_is_cut(browser: Any, server: PageServer, width: int, locale: str) -> None:
    """Every list of choices is as wide as its widest one, and a date is shown whole."""
    cut = """all => all.filter(one => {
        const shown = one.offsetWidth;
        Object.assign(one.style, {width: 'max-content', maxWidth: 'none'});
        return one.offsetWidth > shown;
    }).map(one => [one.type, one.value, one.offsetWidth])"""
    with open_tab(browser, server.address, viewport={"width": width, "height": 900}, locale=locale) as tab:
        tab.open("#/?q=database&mode=keyword")
        assert tab.page.eval_on_selector_all(".filters select, .filters [type=date]", cut) == []


def test_a_chinese_interface_says_which_of_its_words_are_english(browser: Any, server: PageServer) -> None:
    """Problems are told in English: a screen reader is told so, and reads them in that voice."""
    with open_tab(browser, server.address, locale="zh-CN") as tab:
        tab.open()
        said = tab.page.eval_on_selector_all(".kinds summary [dir]", "all => all.map(one => one.lang)")
        assert said
        assert set(said) == {"en"}
        tab.page.click(".kinds summary")
        tab.page.click(".kinds details[open] a")
        tab.page.wait_for_selector(".problems")
        assert tab.page.locator(".problems li [lang=en]").count() == 2 * tab.page.locator(".problems li").count()


def test_screenshots_are_taken(browser: Any, server: PageServer, tmp_path: Path) -> None:
    """Every view at three widths, in both schemes and both languages: `--basetemp` says where they are kept."""
    for width in (390, 768, 1440):
        for scheme, locale in (("light", "en-US"), ("dark", "zh-CN")):
            size = {"width": width, "height": 900}
            with open_tab(browser, server.address, viewport=size, color_scheme=scheme, locale=locale) as tab:
                for name, route in zip(("front", "hits", "skill"), _ROUTES, strict=True):
                    tab.open(route)
                    tab.page.wait_for_selector(_SHOWN)
                    tab.page.screenshot(path=tmp_path / f"{name}-{width}-{scheme}-{locale}.png")
                assert tab.wrongs == []
    assert len(list(tmp_path.iterdir())) == 18


def _check_axe(page: Any) -> None:
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate("axe.run().then(r => r.violations.map(v => [v.id, v.nodes.map(n => n.html.slice(0, 200))]))")
    assert found == []
