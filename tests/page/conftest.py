"""The page of the example hub, with its model, made once for all tests that read it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.models.lent_dictionary import lend_dictionary
from support.pages.page_browser import start_browser
from support.pages.page_server import PageServer

from hub_index.embedding.local import LocalEncoder
from hub_index.page.hub_page import write_hub_page
from hub_index.search.lexical.translation.translator import Translator

_PROJECT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def example_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the page; tests do not change it."""
    folder = tmp_path_factory.mktemp("page") / "site"
    cache = folder.parent / "cache"
    lend_dictionary(cache)
    encoder = LocalEncoder(cache)
    try:
        write_hub_page(
            _PROJECT / "examples/hub", folder, encoder, Translator(str(cache)), index_dir=_PROJECT / "artifacts"
        )
    finally:
        encoder.close()
    return folder


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """One browser for all stories."""
    yield from start_browser()


@pytest.fixture
def server(example_site: Path) -> Iterator[PageServer]:
    """The example hub's page, below a sub-path."""
    with PageServer(example_site) as server:
        yield server
