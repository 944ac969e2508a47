"""The documents hold together: every link leads somewhere, every page is listed, the reference is the parsers'."""

import re
from pathlib import Path
from urllib.parse import unquote

import pytest

from docs.reference.make_reference import PAGE, make_reference, read_parser
from hub_index.cli.main import VERBS

_PROJECT = Path(__file__).resolve().parents[2]
_DOCS = _PROJECT / "docs"
_PAGES = sorted([*_PROJECT.glob("*.md"), *_DOCS.rglob("*.md"), *(_PROJECT / "artifacts").glob("*.md")])
_REFERENCE = ("README.md", "format.md", "reference.md")  # pages of docs/ that are looked up, not followed


def _without_blocks(page: Path) -> str:
    return re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)


def _anchors(page: Path) -> set[str]:
    """The fragments that GitHub gives to a page's headings."""
    headings = re.findall(r"^#+ (.+)$", _without_blocks(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", _PAGES, ids=lambda page: str(page.relative_to(_PROJECT)))
def test_every_link_leads_to_a_file_of_this_repository_and_to_a_heading_of_it(page: Path) -> None:
    """Links to other hosts are not followed; a picture is a link, too."""
    for target in re.findall(r"\]\(([^)\s]+)\)", _without_blocks(page)):
        if target.startswith(("https://", "http://", "mailto:")):
            continue
        path, _, fragment = unquote(target).partition("#")
        linked = (page.parent / path).resolve() if path else page
        assert linked.exists(), f"{page.name}: {target}"
        assert linked.is_relative_to(_PROJECT), f"{page.name}: {target}"
        if fragment:
            assert fragment in _anchors(linked), f"{page.name}: {target}"


def test_the_index_lists_every_page() -> None:
    """docs/README.md leads to all of them in one step."""
    text = (_DOCS / "README.md").read_text(encoding="utf-8")
    listed = {(_DOCS / path).resolve() for path in re.findall(r"\]\(([^)#\s]+)", text)}
    assert set(_DOCS.rglob("*.md")) - {_DOCS / "README.md"} <= listed


@pytest.mark.parametrize(
    "page", [page for page in sorted(_DOCS.glob("*.md")) if page.name not in _REFERENCE], ids=lambda page: page.stem
)
def test_a_page_for_a_task_begins_with_what_to_type(page: Path) -> None:
    """A block of code stands within the first twelve lines."""
    assert any(line.startswith("```") for line in page.read_text(encoding="utf-8").splitlines()[:12])


def test_the_reference_is_what_the_parsers_say() -> None:
    """`make docs` writes it; a new command or option that is not in it fails here."""
    assert PAGE.read_text(encoding="utf-8") == make_reference() + "\n", "run `make docs`"


def test_the_reference_has_every_command_and_every_option() -> None:
    """Options are looked for as a reader would: in the section of their command."""
    sections = dict(re.findall(r"^## (\w+)\n(.*?)(?=^## |\Z)", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL))
    assert set(sections) == set(VERBS)
    for command in VERBS:
        for action in read_parser(command)._actions:
            for name in action.option_strings:
                if action.dest not in ("help", "debug", "quiet") and action.help != "==SUPPRESS==":
                    assert name in sections[command], f"{command} {name}"
