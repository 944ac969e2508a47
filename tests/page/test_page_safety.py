"""A hub's words are untrusted: in the page they are text, and the page's own files fetch and run nothing else."""

import json
import re
from importlib.resources import files
from pathlib import Path

import pytest
from support.pages.page_world import PageWorld

_HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(2)>"
_WEB = {
    entry.name: entry.read_text(encoding="utf-8")
    for entry in (files("hub_index.page") / "web").iterdir()
    if entry.is_file()
}
_ALLOWED_ADDRESSES = ("http://localhost:8000", "http://www.w3.org/2000/svg")


def test_the_plain_list_escapes_every_word_of_the_hub(tmp_path: Path) -> None:
    """Markup in names, descriptions and folders is shown, not obeyed."""
    world = PageWorld(tmp_path)
    world.hub.skill("a&b", f"'{_HOSTILE}'", name="'<b>bold</b>'")
    world.index()
    world.write()
    page = (world.folder / "skills.html").read_text(encoding="utf-8")
    assert "<script" not in page
    assert "<img" not in page
    assert "<b>" not in page
    assert "&lt;script&gt;" in page


def test_the_plain_list_names_a_workflow_by_its_file(tmp_path: Path) -> None:
    """As the command line does: many share one folder."""
    world = PageWorld(tmp_path)
    world.hub.skills(1)
    world.hub.write("workflows/release.md", "---\nname: release\ndescription: Ships it.\n---\n")
    world.index()
    world.write()
    assert "<code>workflows/release.md</code>" in (world.folder / "skills.html").read_text(encoding="utf-8")


def test_a_hostile_hub_stands_in_data_files_only(tmp_path: Path) -> None:
    """No file that a browser runs or renders differs between a hostile hub's page and another's."""
    world = PageWorld(tmp_path)
    world.hub.skill("evil", f"'{_HOSTILE}'", body=f"# {_HOSTILE}\n[click](javascript:alert(3))\n")
    world.index()
    world.write()
    for name, content in _WEB.items():
        assert (world.folder / name).read_text(encoding="utf-8") == content
    assert json.loads(world.unpacked("records/0000.bin"))[0]["description"] == _HOSTILE


@pytest.mark.parametrize("name", sorted(name for name in _WEB if name != "licences.txt"))
def test_no_file_of_the_page_names_another_host(name: str) -> None:
    """Whatever the page needs stands beside it."""
    addresses = re.findall(r"(?:https?:)?//[a-z0-9-]+\.[a-z][^\s\"'`)<]*|https?://\w[^\s\"'`)<]*", _WEB[name])
    assert [address for address in addresses if not address.startswith(_ALLOWED_ADDRESSES)] == []


@pytest.mark.parametrize("name", sorted(name for name in _WEB if name.endswith((".js", ".html"))))
def test_no_file_of_the_page_takes_text_for_code(name: str) -> None:
    """No HTML from strings, no code from strings, no script, style or handler inside of the HTML."""
    text = _WEB[name]
    forbidden = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|\beval\(|new Function|srcdoc"
    assert not re.search(forbidden, text)
    if name.endswith(".html"):
        assert not re.search(r"<script(?![^>]* src=)|<style|\son\w+=|\sstyle=", text)


def test_the_page_forbids_everything_but_itself() -> None:
    """The policy stands in the page, because a file server sends none."""
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', _WEB["index.html"])
    assert policy is not None
    rules = dict(rule.strip().split(" ", 1) for rule in policy[1].split(";"))
    assert rules["default-src"] == "'none'"
    assert rules["script-src"] == rules["style-src"] == rules["connect-src"] == "'self'"
    assert "unsafe" not in policy[1]


def test_the_licences_are_on_the_page() -> None:
    """The project's and the model's licence stands there whole, and the dictionary is attributed."""
    project = Path(__file__).resolve().parents[2]
    assert _WEB["licences.txt"].endswith((project / "LICENSE").read_text(encoding="utf-8"))
    assert "CC-CEDICT" in _WEB["licences.txt"]
    assert 'href="licences.txt"' in _WEB["index.html"]
