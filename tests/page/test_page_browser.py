"""Stories in Chromium: what a visitor does."""

import os
import subprocess
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from support.pages.page_browser import open_tab
from support.pages.page_server import PageServer
from support.pages.page_world import PageWorld

pytestmark = pytest.mark.page

_QUERY = "how do I analyze database perf?"
_MARKDOWN = """\
Title
of it
=====

Part
----
~~old~~ [by name][R], [Short][], [bare][short] and ![seen][r]; [x][nobody], a[0][1], [bad][evil].

---

[r]: https://example.org/a "A title"
[short]: <https://example.org/b>
[evil]: javascript:alert(1)

```
[r]: kept
```
"""


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


def test_the_count_of_hits_says_how_many_are_weak(browser: Any, server: PageServer) -> None:
    """What is counted and what is listed agree: the good ones, and the weaker ones that follow them."""
    with open_tab(browser, server.address) as tab:
        tab.open("#/?mode=keyword")
        shown = len(tab.search("write tests"))
        weak = tab.page.locator(".hit.weak").count()
        assert 0 < weak < shown
        assert tab.page.inner_text(".summary").startswith(f"{shown - weak} of 77 skills found; weaker")
        assert tab.page.inner_text(".summary").endswith(f": {weak}")


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
        assert tab.page.locator(".cards section").count() == 2
        assert tab.page.locator(".tiles li").count() == 5
        tab.page.get_by_role("button", name="Show as a list").click()
        tab.page.locator(".clusters summary").first.click()
        tab.page.locator(".clusters a").first.click()
        tab.page.wait_for_selector("article.skill")
        assert tab.wrongs == []


def test_counts_lead_to_their_skills(browser: Any, server: PageServer) -> None:
    """Kinds and languages are filters; what changed last and problems by kind stand beside them."""
    with open_tab(browser, server.address) as tab:
        tab.open()
        tab.page.wait_for_selector(".tiles")
        colon = tab.page.locator(".cards details", has_text="an unquoted value holds ': '")
        colon.locator("summary").click()
        assert colon.locator("a").all_inner_texts() == ["laptop-checklist"]
        assert tab.page.locator(".cards section").first.locator("a").count() == 8
        tab.page.get_by_role("link", name="3 workflows").click()
        tab.page.wait_for_selector(".hit")
        assert {kind.inner_text() for kind in tab.page.locator(".hit .kind").all()} == {"workflow"}
        assert "kind=workflow" in tab.page.url
        assert tab.wrongs == []


def test_a_workflow_is_named_by_its_file(browser: Any, server: PageServer) -> None:
    """As on the command line: many share one folder; a skill's folder is its own."""
    with open_tab(browser, server.address) as tab:
        tab.open("#/?mode=keyword")
        tab.search("发布流程")
        assert tab.page.locator(".hit .path").first.inner_text() == "workflows/fabu-liucheng.md"
        tab.search("db-advisor")
        assert tab.page.locator(".hit .path").first.inner_text() == "skills/db-advisor"
        tab.open("#/skill/workflows:fabu-liucheng")
        copied = tab.page.get_by_role("button", name="Copy path").get_attribute("title")
        assert copied == "workflows/fabu-liucheng.md"


def test_a_skill_has_a_page_of_its_own(browser: Any, tmp_path: Path) -> None:
    """Facts, text, files at their revision, similar skills, problems with what to write instead, and copy buttons."""
    world = PageWorld(tmp_path)
    world.hub.skills(3)
    world.hub.skill("right", "Does the right thing.", name="left", body="# Title\n\nSee [more](docs/more.md).\n")
    world.hub.write("skills/right/docs/more.md", "# More\n")
    world.hub.git("remote", "add", "origin", "https://github.com/ann/skills.git")
    world.index()
    world.write()
    base = f"https://github.com/ann/skills/blob/{world.facts()['commit']}/skills/right/"
    with PageServer(world.folder) as server, open_tab(browser, server.address) as tab:
        tab.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        tab.open("#/skill/right")
        tab.page.wait_for_selector(".related li")
        assert tab.page.inner_text("h2") == "left"
        assert tab.page.title() == "left · Skills of skills"
        assert tab.page.locator(".markdown a").get_attribute("href") == base + "docs/more.md"
        linked = tab.page.eval_on_selector_all(".files a", "all => all.map(one => one.href)")
        assert linked == [base + "SKILL.md", base + "docs/more.md"]
        assert tab.page.locator(".related li").count() == 3
        assert "right" in tab.page.inner_text(".problems li p")  # what to write instead
        tab.page.get_by_role("button", name="Copy install line").click()
        tab.page.get_by_role("button", name="Copied").wait_for()
        copied = tab.page.evaluate("navigator.clipboard.readText()")
        assert copied.startswith(
            '(cd "$(mktemp -d)" && git clone --depth 1 -- https://github.com/ann/skills.git hub && '
        )
        tab.open("#/skill/nobody")
        assert "There is no skill nobody" in tab.page.inner_text("main")
        assert tab.wrongs == []


@pytest.mark.parametrize("remote", ["https://github.com/ann/skills.git", ""])
def test_the_install_line_works_when_it_is_pasted(browser: Any, tmp_path: Path, remote: str) -> None:
    """Anywhere where the hub's address is known, else in a clone, which its label says; twice, and for any name."""
    world = PageWorld(tmp_path)
    names = ["plain", "it's $(touch gone) -x", "-rf"]
    for name in names:
        world.hub.skill(name, f"Does {len(name)} things.", name="thing")
    if remote:
        world.hub.git("remote", "add", "origin", remote)
    world.index()
    world.write()
    label = "Copy install line" if remote else "Copy install line (for the root of a clone)"
    home, elsewhere = tmp_path / "home", tmp_path / "elsewhere"
    home.mkdir()
    elsewhere.mkdir()
    settings = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": f"url.{world.hub.root}.insteadOf"}
    settings |= {"GIT_CONFIG_VALUE_0": remote or "nothing:", "HOME": str(home), "TMPDIR": str(tmp_path)}
    with PageServer(world.folder) as server, open_tab(browser, server.address) as tab:
        for name in names:
            tab.open(f"#/skill/{quote(name, safe='')}")
            line = tab.page.get_by_role("button", name=label, exact=True).get_attribute("title")
            for _ in range(2):
                place = elsewhere if remote else world.hub.root
                subprocess.run(["sh", "-c", line], cwd=place, env={**os.environ, **settings}, check=True)
            assert [file.name for file in (home / ".claude/skills" / name).iterdir()] == ["SKILL.md"]
    assert not list(elsewhere.iterdir())
    assert not (world.hub.root / "gone").exists()


def test_common_markdown_is_rendered(browser: Any, tmp_path: Path) -> None:
    """Underlined headings, struck words and links by reference too; an undefined reference stays as written."""
    world = PageWorld(tmp_path)
    world.hub.skill("one", "Does one thing.", body=_MARKDOWN)
    world.index()
    world.write()
    with PageServer(world.folder) as server, open_tab(browser, server.address) as tab:
        tab.open("#/skill/one")
        text = tab.page.locator(".markdown")
        assert text.locator("h3").all_inner_texts() == ["Title of it"]
        assert text.locator("h4").all_inner_texts() == ["Part"]
        assert text.locator("del").all_inner_texts() == ["old"]
        links = text.locator("a").evaluate_all("all => all.map(one => [one.textContent, one.href])")
        assert links == [
            ["by name", "https://example.org/a"],
            ["Short", "https://example.org/b"],
            ["bare", "https://example.org/b"],
            ["seen", "https://example.org/a"],
        ]
        assert "[x][nobody]" in text.inner_text()
        assert "example.org" not in text.inner_text()
        assert text.locator("code").all_inner_texts() == ["[r]: kept"]
        assert text.locator("hr").count() == 1
        assert tab.wrongs == []


def test_a_screen_reader_is_told_what_happens(browser: Any, server: PageServer) -> None:
    """Landmarks and labels have their roles; the number of hits is announced, and focus follows to a skill's title."""
    with open_tab(browser, server.address) as tab:
        tab.open("#/?mode=keyword")
        page = tab.page
        for role in ("banner", "main", "contentinfo", "search"):
            assert page.get_by_role(role).count() == 1, role
        assert page.get_by_role("searchbox", name="Search skills").count() == 1
        names = tab.search("database")
        assert page.get_by_role("status").inner_text() == page.inner_text(".summary")
        assert page.get_by_role("list").locator("li").count() >= len(names)
        page.get_by_role("link", name=names[0], exact=True).click()
        page.wait_for_selector("article.skill")
        tab.wait_for("document.activeElement.tagName === 'H2'")


def test_whoever_does_not_want_the_model_never_loads_it(browser: Any, server: PageServer) -> None:
    """The size is told before; the choice is remembered, and no byte of the model is asked for again."""
    with open_tab(browser, server.address) as tab:
        tab.open()
        assert "MB" in tab.page.inner_text("#model-state")
        tab.page.uncheck("#use-model")
        tab.page.reload()
        tab.page.wait_for_selector("#query")
        assert not tab.page.is_checked("#use-model")
        assert tab.search("database")
        assert not [name for name in server.asked if name.startswith("data/model/")]
        tab.page.check("#use-model")
        tab.wait_for_model()


def test_a_hit_says_why_and_did_you_mean_leads_on(browser: Any, server: PageServer) -> None:
    """Each hit has its reasons; a typo has its correction, which is a link."""
    with open_tab(browser, server.address) as tab:
        tab.open("#/?mode=keyword")
        tab.search("database")
        tab.page.locator(".why summary").first.click()
        assert "words" in tab.page.locator(".why ul").first.inner_text()
        tab.search("databse backup")
        tab.page.locator(".summary a").click()
        tab.wait_for("document.querySelector('#query').value === 'database backup'")
