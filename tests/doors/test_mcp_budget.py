"""How much of the tokens that were asked for reaches a reader, of the structure or of the text."""

import json
from collections.abc import Iterator

import pytest
from mcp.types import CallToolResult, TextContent
from support.searches.search_world import WordEncoder
from support.servers.service_world import ServiceWorld

from hub_index.serve.mcp.calls import ToolCalls
from hub_index.service.budget import estimate_tokens

LINE = "Check the slow query log, then explain each statement, and write down what its plan says.\n"
BIG = 1_900_000


@pytest.fixture(scope="module")
def calls(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ToolCalls]:
    """A hub of a long skill, of many alike, and of texts that were made to be long."""
    world = ServiceWorld(tmp_path_factory.mktemp("budget"), WordEncoder())
    skills = {
        f"slides-{n}": (f"Make slides for a talk, number {n}. {'Use it for pictures. ' * 6}", "") for n in range(30)
    }
    skills["long"] = ("Long.", "".join(f"## Part {n}\n\n{LINE * 6}\n" for n in range(60)))
    skills["one-heading"] = ("Heading.", f"# {'word ' * (BIG // 5)}\ntext\n")
    skills["tildes"] = ("Tildes.", "~" * BIG + "\nlast\n")
    world.add_hub("hub", skills)
    with world.open("hub") as service:
        yield ToolCalls(service, 20.0)


def text_of(result: CallToolResult) -> str:
    (part,) = result.content
    assert isinstance(part, TextContent)
    return part.text


def cost_of(result: CallToolResult) -> int:
    """What a client pays for the dearer of both parts."""
    structure = json.dumps(result.structured_content, ensure_ascii=False)
    return max(estimate_tokens(structure), estimate_tokens(text_of(result)))


@pytest.mark.parametrize(("max_tokens", "share"), [(1000, 0.65), (6000, 0.85), (20_000, 0.85)])
def test_most_of_a_budget_is_the_skills_text(calls: ToolCalls, max_tokens: int, share: float) -> None:
    """Structure and text are not added up: a client shows its agent one of them."""
    result = calls.call("read_skill", {"uri": "long", "max_tokens": max_tokens})
    shown = estimate_tokens(result.structured_content["text"])
    whole = estimate_tokens("".join(f"## Part {n}\n\n{LINE * 6}\n" for n in range(60)))
    assert cost_of(result) <= max_tokens
    assert shown >= share * min(max_tokens, whole)


@pytest.mark.parametrize(("max_tokens", "hits"), [(1000, 6), (2000, 12)])
def test_more_hits_fit_a_budget(calls: ToolCalls, max_tokens: int, hits: int) -> None:
    """Twice as many as where both parts were counted."""
    result = calls.call("find_skills", {"query": "make slides", "k": 30, "max_tokens": max_tokens})
    assert cost_of(result) <= max_tokens
    assert len(result.structured_content["hits"]) >= hits


@pytest.mark.parametrize("skill", ["one-heading", "tildes"])
@pytest.mark.parametrize("max_tokens", [300, 6000, 1_000_000])
def test_a_text_made_to_be_long_keeps_to_the_budget(calls: ToolCalls, skill: str, max_tokens: int) -> None:
    """A heading or a fence of two megabytes takes no more room than was given, and its time is bounded."""
    result = calls.call("read_skill", {"uri": skill, "max_tokens": max_tokens})
    assert cost_of(result) <= min(max_tokens, 200_000)
    text = text_of(result)
    fence = next(line for line in text.split("\n") if line.startswith("~~~"))
    assert set(fence) == {"~"}
    assert fence not in str(result.structured_content["text"])
    assert text.count(f"\n{fence}") == 2
