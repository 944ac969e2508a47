"""`benchmarks.recorded_commands` compares what command lines print, without what differs from run to run."""

from datetime import UTC, datetime
from typing import Any

from benchmarks.recorded_commands import read_stories
from benchmarks.recorded_hubs import SCENARIOS
from benchmarks.recorded_text import Volatile, compare

_OUTCOME: dict[str, Any] = {"story": "plain/x", "at": 0, "command": "list", "code": 0, "out": "", "err": ""}


def test_every_story_has_a_hub_and_commands() -> None:
    """Some 800 command lines, each of them in a scenario that is there."""
    stories = read_stories()
    assert sum(len(story.lines) for story in stories) >= 400
    assert {story.scenario for story in stories} == set(SCENARIOS)
    assert len({story.name for story in stories}) == len(stories)


def test_what_differs_from_run_to_run_is_left_out() -> None:
    """Places, today's times, durations, ports and ids, but neither other times nor the hub's own commits."""
    volatile = Volatile((("/tmp/story", "WORK"),), frozenset({"f1a065331cb5" + "0" * 28}))
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    text = f"/tmp/story/hub at f1a065331cb5, then 0a1b2c3d4e5f, {now}, 2026-02-01, 1.25 s, http://127.0.0.1:40001/"
    hidden = "WORK/hub at f1a065331cb5, then ID, TODAY, 2026-02-01, N s, http://127.0.0.1:PORT/"
    assert volatile.hide(text) == hidden
    assert volatile.hide('"newest": 1763524800.182071,') == volatile.hide('"newest": 1763524801.5,')
    trace = "Traceback (most recent call last):\n  File 'a', line 3\n    raise\nValueError: no\n"
    assert volatile.hide(trace) == "Traceback (most recent call last):\nValueError: no\n"


def test_changed_words_and_exit_codes_are_listed() -> None:
    """Commands that print and end the same are not."""
    before = [_OUTCOME | {"out": "one skill\nof two\n"}, _OUTCOME | {"at": 1}]
    after = [_OUTCOME | {"out": "one hub\nof two\n", "code": 2}, _OUTCOME | {"at": 1}]
    assert list(compare(before, before)) == []
    assert list(compare(before, after)) == ["plain/x: list   exit 0 → 2", "    out: one [-skill-]{+hub+}"]
    assert len(list(compare(before, after[:1]))) == 3
