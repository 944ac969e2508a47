"""The run's table: what strangers wrote is text in it, never Markdown."""

import re

from hub_index.index.reporting.report import BuildReport
from hub_index.index.reporting.summary import format_summary
from hub_index.models import Problem

HOSTILE = "a|b](http://x.invalid) ![i](y) <script>alert(1)</script> `code` @somebody #1\n| new | row |"


def make_report(**changes: object) -> BuildReport:
    return BuildReport(revision="0" * 40, model_id="local:usem3", skills=3, **changes)  # type: ignore[arg-type]


def test_the_table_names_what_a_maintainer_looks_for() -> None:
    """Added, edited, removed, problems, tokens, cost, seconds."""
    problem = Problem("warning", "skills/a/SKILL.md", 2, "yaml-colon", "a colon", "quote it")
    text = format_summary(
        make_report(added=("a", "b"), edited=("c",), embedded=3, tokens=42, cost_usd=0.5, problems=(problem,)),
        1.25,
        "main",
    )
    for line in (
        "| Added | 2: a, b |",
        "| Edited | 1: c |",
        "| Removed | 0 |",
        "| Cost | 0.5000 USD |",
        "| Seconds | 1.2 |",
    ):
        assert line in text
    assert "| Tokens | 42" in text
    assert "0 errors, 1 warning, 0 advice" in text
    assert "| warning | skills/a/SKILL.md, line 2 | a colon; quote it |" in text


def test_hostile_names_stay_inside_their_cell() -> None:
    """No link, image, HTML, mention, code span or new row comes out of a skill's id or a problem's reason."""
    problem = Problem("error", HOSTILE, 0, "x", HOSTILE, HOSTILE)
    text = format_summary(make_report(added=(HOSTILE,), problems=(problem,), notices=(HOSTILE,)), 1.0, "main")
    assert "<script>" not in text
    assert not re.search(r"(?<!\\)[\[\]`!@]", text)
    rows = [line for line in text.split("\n") if line.startswith("|")]
    assert {len(re.findall(r"(?<!\\)\|", row)) for row in rows} == {3, 4}
    assert not any(line.startswith("| new") for line in rows)


def test_an_unknown_price_is_unknown_and_never_nothing() -> None:
    """Tokens without a count and costs without a price say so."""
    text = format_summary(make_report(embedded=3), 1.0, "main")
    assert "| Tokens | unknown |" in text
    assert "| Cost | unknown |" in text


def test_texts_from_the_cache_are_not_counted_as_embedded() -> None:
    """Each text is counted in one row of the table only."""
    text = format_summary(make_report(embedded=5, from_cache=4, reused=2), 1.0, "main")
    assert "| Embedded | 1 text with local:usem3 |" in text.replace("\\", "")
    assert "| Reused | 2 vectors, 4 more from the cache |" in text
