"""Stories in Chromium where something is hostile, broken, refused or away: a sentence that helps, and words."""

import gzip
import json
import shutil
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from support.pages.page_browser import open_tab
from support.pages.page_server import PageServer
from support.pages.page_world import PageWorld, make_page_world

pytestmark = pytest.mark.page

_MARKUP = "<img src=x onerror=alert(1)><script>alert(2)</script><svg onload=alert(3)>"
_BODY = f"""\
# {_MARKUP}
[click](javascript:alert(4)) [data](data:text/html,<script>alert(5)</script>) ![x](https://example.org/x.png)
[vb](vbscript:x) <a href="javascript:alert(6)" onclick="alert(7)">raw</a> [j](JaVaScRiPt:alert(8))
<iframe src='//evil.example'></iframe><style>body {{ display: none }}</style><meta http-equiv=refresh content=0>

| {_MARKUP} | [x](javascript:alert(9)) |
|---|---|
| `{_MARKUP}` | **{_MARKUP}** |
"""


def test_a_hostile_hub_runs_nothing(browser: Any, tmp_path: Path) -> None:
    """Markup and links of its words are shown as text, in the list, on the skill's page and in the plain list."""
    world = PageWorld(tmp_path)
    world.hub.skill("evil", f"'{_MARKUP} evil'", name=f"'{_MARKUP}'", body=_BODY)
    world.index()
    world.write()
    with PageServer(world.folder) as server, open_tab(browser, server.address) as tab:
        tab.open()
        tab.search("evil")
        tab.open("#/skill/evil")
        assert "<script>" in tab.page.inner_text("article.skill")
        forbidden = "main img, main script, main iframe, main style, main meta, main svg, [onclick], [onerror]"
        assert tab.page.locator(forbidden).count() == 0
        addresses = tab.page.eval_on_selector_all("main a", "all => all.map(one => one.getAttribute('href'))")
        assert all(address.startswith(("#/", "https://", "http://", "mailto:")) for address in addresses)
        tab.page.goto(server.address + "skills.html")
        assert tab.page.locator("img, script, svg").count() == 0
        assert tab.wrongs == []


def test_endless_names_and_turned_writing_keep_their_place(browser: Any, tmp_path: Path) -> None:
    """A name of 5,000 characters makes no sideways scroll bar, and a sign that turns writing ends with its name."""
    world = PageWorld(tmp_path)
    world.hub.skill("long", "'unusual " + "x" * 900 + "'", name="y" * 5_000, body="z" * 20_000 + "\n\n" + "*" * 9_000)
    world.hub.skill("turned", '"unusual \\u202Eabc"', name='"\\u202Eevil"')
    world.index()
    world.write()
    narrow = {"width": 320, "height": 700}
    with PageServer(world.folder) as server, open_tab(browser, server.address, viewport=narrow) as tab:
        tab.open()
        assert len(tab.search("unusual")) == 2
        for route in ("#/skill/long", "#/skill/turned", "#/?q=unusual"):
            tab.open(route)
            assert tab.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        isolated = tab.page.eval_on_selector(".hit .name", "one => getComputedStyle(one).unicodeBidi")
        assert isolated == "isolate"
        assert tab.wrongs == []


def test_a_damaged_or_missing_file_is_named(browser: Any, server: PageServer, example_site: Path) -> None:
    """What cannot be read is said in one sentence; the words go on where the model is broken."""
    server.damaged |= {"data/bodies/0000.bin"}
    server.missing |= {"data/model/model.bin"}
    with open_tab(browser, server.address) as tab:
        tab.open()
        assert tab.search("database")
        tab.wait_for("document.querySelector('#model-state').dataset.state === 'failed'")
        assert "data/model/model.bin is missing on the server" in tab.page.inner_text(".model")
        first = json.loads(gzip.decompress((example_site / "data/ids.bin").read_bytes()))[0]
        tab.page.goto(f"{server.address}#/skill/{quote(first, safe='')}")
        tab.page.wait_for_selector(".error")
        assert "data/bodies/0000.bin is damaged" in tab.page.inner_text(".error")
    server.damaged |= {"data/documents.bin"}
    with open_tab(browser, server.address) as tab:
        tab.page.goto(server.address + "#/?q=database")
        tab.page.wait_for_selector(".error")
        assert "data/documents.bin is damaged" in tab.page.inner_text(".error")


def test_one_damaged_file_of_records_hides_no_hit(browser: Any, server: PageServer) -> None:
    """Hits of intact files are shown whole, the others by their ids, and the sentence names the file."""
    links = "all => all.map(one => one.getAttribute('href'))"
    with open_tab(browser, server.address) as tab:
        tab.open("#/?mode=keyword")
        tab.search("发布流程")
        expected = tab.page.eval_on_selector_all(".hit .name", links)
    server.damaged |= {"data/records/0000.bin"}
    with open_tab(browser, server.address) as tab:
        tab.open("#/?mode=keyword")
        tab.search("发布流程")
        assert tab.page.eval_on_selector_all(".hit .name", links) == expected
        assert "data/records/0000.bin is damaged" in tab.page.inner_text(".summary .error")
        texts = tab.page.eval_on_selector_all(".hit p", "all => all.map(one => one.textContent)")
        assert 0 < sum(map(bool, texts)) < len(expected)
        server.damaged.clear()
        tab.search("发布流程 ")
        assert tab.page.locator(".error").count() == 0


@pytest.mark.parametrize("trouble", ["missing", "damaged"])
def test_a_bad_shard_of_words_leaves_the_box_and_other_words(browser: Any, server: PageServer, trouble: str) -> None:
    """The sentence names the file and is the only one; once it is mended the same words are answered."""
    setattr(server, trouble, {"data/terms/0000.bin"})
    with open_tab(browser, server.address) as tab:
        tab.open("#/?mode=keyword")
        tab.page.fill("#query", "database")
        tab.page.wait_for_selector(".summary .error")
        said = tab.page.inner_text(".summary")
        assert said.startswith(f"data/terms/0000.bin is {trouble} on the server")
        assert said.endswith("or build the page again.")
        setattr(server, trouble, set())
        tab.page.fill("#query", "databas")
        tab.page.wait_for_selector(".hit")
        assert tab.page.locator(".error").count() == 0


def test_damage_that_was_mended_is_forgotten(browser: Any, server: PageServer) -> None:
    """A damaged answer that the service worker has kept is asked for anew: a visitor is not left with it."""
    with open_tab(browser, server.address) as tab:
        tab.open()
        tab.wait_for_worker()
        server.damaged |= {f"data/bodies/{number:04}.bin" for number in range(10)}
        tab.page.goto(server.address + "#/skill/db-advisor")
        tab.page.wait_for_selector(".error")
        assert "is damaged" in tab.page.inner_text(".error")
        server.damaged.clear()
        tab.page.reload()
        tab.page.wait_for_selector("article.skill")


@pytest.mark.parametrize("trouble", ["missing", "damaged"])
def test_a_lost_list_of_data_is_said_at_once(browser: Any, server: PageServer, trouble: str) -> None:
    """Without page.json nothing can start: which file to look for is said."""
    setattr(server, trouble, {"data/page.json"})
    with open_tab(browser, server.address) as tab:
        tab.open()
        assert f"data/page.json is {trouble}" in tab.page.inner_text(".error")


def test_the_page_works_offline_after_the_first_visit(browser: Any, server: PageServer) -> None:
    """What was loaded once answers again without a server; what was not is named."""
    with open_tab(browser, server.address) as tab:
        tab.open()
        tab.wait_for_worker()
        tab.search("database")
        tab.page.context.set_offline(True)
        tab.page.reload()
        tab.page.wait_for_selector(".hit")
        assert "db-advisor" in tab.names()
        assert tab.wrongs == []
        tab.page.fill("#query", "zebra giraffe")
        tab.page.wait_for_selector(".summary .error, .summary:not(:empty)")
        tab.wait_for("document.querySelector('.summary').textContent.match(/offline|Nothing/)")


def test_a_new_revision_replaces_what_was_kept(browser: Any, tmp_path: Path) -> None:
    """A returning visitor sees the new skills without a word of damage; what did not change is not asked for."""
    world = make_page_world(tmp_path, 200)
    world.write()
    with PageServer(world.folder) as server, open_tab(browser, server.address) as tab:
        tab.open("#/?q=number")
        tab.page.wait_for_selector(".hit")
        tab.wait_for_worker()
        tab.page.reload()
        tab.page.wait_for_selector(".hit")
        world.hub.skill("zebra", "Feeds a zebra.")
        world.index()
        world.write()
        server.asked.clear()
        tab.page.reload()
        tab.page.wait_for_selector(".hit")
        assert tab.search("zebra") == ["zebra"]
        assert "data/records/0000.bin" not in server.asked
        assert tab.page.locator(".error").count() == 0


@pytest.mark.parametrize(
    "refusal",
    [
        "delete window.Worker",
        "delete window.WebAssembly",
        "delete Navigator.prototype.serviceWorker",
        "for (const name of ['localStorage', 'sessionStorage', 'indexedDB', 'caches']) "
        "Object.defineProperty(window, name, {get() { throw new DOMException('no', 'SecurityError') }})",
    ],
)
def test_a_browser_that_refuses_something_still_searches(browser: Any, server: PageServer, refusal: str) -> None:
    """Without workers, WebAssembly, storage or service workers only comfort is lost."""
    with open_tab(browser, server.address) as tab:
        tab.page.add_init_script(refusal)
        tab.open()
        assert tab.search("database")
        assert tab.wrongs == []


def test_a_page_without_its_model_says_so(browser: Any, tmp_path: Path) -> None:
    """It searches by words alone, and no switch offers what is not there."""
    world = make_page_world(tmp_path)
    world.write()
    with PageServer(world.folder) as server, open_tab(browser, server.address) as tab:
        tab.open()
        assert "made without its model" in tab.page.inner_text(".model")
        assert tab.page.locator("#use-model").count() == 0
        assert tab.search("number")


def test_a_page_opened_from_a_file_says_what_to_do(browser: Any, example_site: Path, tmp_path: Path) -> None:
    """Browsers run no modules from files: the page says so and offers the plain list."""
    shutil.copytree(example_site, tmp_path / "copied", ignore=shutil.ignore_patterns("data"))
    with open_tab(browser, "file:") as tab:
        tab.page.goto((tmp_path / "copied/index.html").as_uri())
        tab.page.wait_for_selector("#start", state="visible")
        assert "http.server" in tab.page.inner_text("#start")
        tab.page.click("#start a")
        assert "Skills of" in tab.page.inner_text("h1")
