"""Spans: the passages of a body that fit, with line numbers; words choose, the embedded model puts them in order."""

from pathlib import Path

import pytest
from support.hubs.hub_maker import HubMaker
from support.models.model_copy import model_cache

from hub_index.limits import MAX_SPAN_CHARS
from hub_index.service import open_service
from hub_index.service.hubs.open_hubs import HubPlace
from hub_index.service.reading.passages import Passage, find_headings, make_span, split_passages
from hub_index.service.requests import FindRequest
from hub_index.service.service import Service

_BODY = """\
# Vehicles

The car needs fuel and oil.

## Dogs

A dog, a puppy or a hound wants a walk, and so does the car.

## Boats

Boats float. A car does not.

## Trains

A car of a train is a carriage.
"""


def test_passages_are_blocks_with_their_heading() -> None:
    """Blank lines part them, a heading goes with what follows, a long block is several."""
    lines = ["# A", "", "one", "two", "", "- x", "- y", "## B", "three", *["line"] * 14, ""]
    spans = [(passage.start, passage.end) for passage in split_passages(lines)]
    assert spans == [(1, 4), (6, 7), (8, 19), (20, 23)]
    assert split_passages([]) == split_passages(["", " "]) == []


@pytest.mark.parametrize("fence", ["```", "~~~", "````"])
def test_a_comment_in_a_code_fence_is_no_heading(fence: str) -> None:
    """It starts no passage, also before a blank line; after the fence headings are headings again."""
    inside = ["cd hub", "# build it", "make", "# the end", "", "ls", "```" if fence == "````" else ""]
    lines = [f"{fence}sh", *inside, fence]
    after = ["## A", "", "one", "Run ```make``` here:", "```make```", "## B", "two"]
    spans = [(passage.start, passage.end) for passage in split_passages([*lines, *after])]
    assert spans[0] == (1, 5)
    assert [start for start, _ in spans[-2:]] == [10, 15]
    assert [heading.text for heading in find_headings([*lines, *after])] == ["A", "B"]


def test_a_span_has_its_context_and_a_cap() -> None:
    """Lines around it as far as there are some; what is too long ends in an ellipsis."""
    lines = ["a", "b", "c", "x" * 10_000]
    assert (make_span(lines, Passage(2, 2), 1).text, make_span(lines, Passage(1, 1), 9).start) == ("a\nb\nc", 1)
    text = make_span(lines, Passage(4, 4), 0).text
    assert (len(text), text[-1]) == (MAX_SPAN_CHARS, "…")


def test_words_choose_at_most_three_passages(one: Service) -> None:
    """A model behind an API is not asked for passages; the words of the query decide, with the file's line numbers."""
    hit = one.find(FindRequest("index scans that cost writes", 1, "keyword", include_text=True))[0]
    assert 1 <= len(hit.spans) <= 3
    first = hit.spans[0]
    assert first.text.startswith("## Judge the indexes")
    body = (Path(one.hubs[0].folder) / hit.file).read_text().split("\n")
    assert body[first.start - 1 : first.end] == first.text.split("\n")
    assert one.find(FindRequest("foreign key", 1, "keyword"))[0].spans == ()


@pytest.fixture(scope="module")
def embedded(tmp_path_factory: pytest.TempPathFactory) -> Service:
    """A plain folder with one skill, embedded by the embedded model."""
    folder = tmp_path_factory.mktemp("spans") / ".claude"
    HubMaker(folder / "skills").skill("vehicles", "Cars, boats and dogs.", body=_BODY)
    (folder / "skills/.git").rename(folder / "git")  # a folder without git
    place = HubPlace("mine", str(folder / "skills"))
    return open_service([place], home=folder / "axon", cache_dir=model_cache(), embed="now")


def test_the_embedded_model_puts_passages_in_order(embedded: Service) -> None:
    """`car` stands in four passages; three are kept, and the one about driving comes before the others."""
    spans = embedded.find(FindRequest("my car has run out of petrol", 1, include_text=True))[0].spans
    assert len(spans) == 3
    assert "fuel" in spans[0].text


def test_spans_count_towards_the_budget(embedded: Service) -> None:
    """A hit with long passages may not fit where the hit alone does."""
    assert len(embedded.find(FindRequest("car", 1, max_tokens=60))) == 1
    assert embedded.find(FindRequest("car", 1, max_tokens=60, include_text=True, context_lines=5)).omitted == (
        "vehicles",
    )
