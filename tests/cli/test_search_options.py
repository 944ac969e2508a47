"""What `hub-index search` says about its query and its options."""

import pytest

from hub_index.cli.verbs.search import parse


def test_help_describes_the_query(capsys: pytest.CaptureFixture[str]) -> None:
    """Every piece of syntax, the limit of --k and the scale of the scores stand in --help."""
    with pytest.raises(SystemExit) as raised:
        parse(["--help"])
    assert raised.value.code == 0
    told = capsys.readouterr().out
    words = ['"slow query"', "+must", "-not", "AND", "OR", "NOT", "post*", "name:", "tag:", "path:", "lang:", "since:"]
    assert [word for word in [*words, "-- -word", "10000", "keyword from 0 up"] if word not in told] == []


def test_a_query_may_begin_with_a_minus() -> None:
    """After `--` nothing is an option."""
    assert parse(["--k", "3", "--", "-mysql", "postgres"]).query == ["-mysql", "postgres"]


@pytest.mark.parametrize(
    "arguments",
    [
        ["pdf", "--force"],
        ["pdf", "--keyword", "--alpha", "0.5"],
        ["pdf", "--semantic", "--alpha", "0.5"],
        ["pdf", "--alpha", "2"],
        ["pdf", "--index"],
        [],
    ],
)
def test_an_option_without_effect_is_a_usage_error(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing that was asked for is left out silently."""
    with pytest.raises(SystemExit) as raised:
        parse(arguments)
    assert raised.value.code == 2
    assert "; see `hub-index search --help`" in capsys.readouterr().err
