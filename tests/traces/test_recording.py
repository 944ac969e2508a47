"""What is recorded of searches and uses, and what is not."""

import json
import os
import stat
from pathlib import Path

import pytest
from support.searches.trace_world import SENTINEL, TraceWorld

from hub_index.errors import ConfigError
from hub_index.search.checkout.git_head import read_head
from hub_index.search.query.query import count_terms
from hub_index.traces.database import open_traces
from hub_index.traces.outcomes import read_outcomes
from hub_index.traces.recording import record_open
from hub_index.traces.trace_history import read_events, read_skill_uses, read_totals


def test_nothing_is_recorded_that_nobody_asked_for(traces: TraceWorld) -> None:
    """No file, no search_id; and `use` says how recording begins."""
    found = traces.command("search", "slow queries", "--keyword", "--json")
    assert "search_id" not in json.loads(found.out)
    refused = traces.command("use", "db-advisor")
    assert (refused.code, "AXON_TRACES=on" in refused.err) == (2, True)
    assert not os.path.exists(traces.folder)


def test_a_tracked_search_is_recorded_for_its_owner_alone(traces: TraceWorld) -> None:
    """Query, mode, filters, revision and what was shown with scores, in a file of mode 0600 in a folder of 0700."""
    found = json.loads(traces.command("search", "slow queries lang:en", "--keyword", "--json", AXON_TRACES="on").out)
    (event,) = read_events(traces.folder)
    assert event["search_id"] == found["search_id"]
    assert (event["kind"], event["query"], event["mode"]) == ("query", "slow queries lang:en", "keyword")
    assert event["shown"] == [{"skill": hit["id"], "score": hit["score"]} for hit in found["hits"]]
    assert event["filters"] == {"filters": ["lang:en"]}
    assert event["revision"] == read_head(str(traces.search.hub))
    assert stat.S_IMODE(os.stat(traces.database).st_mode) == 0o600
    assert stat.S_IMODE(os.stat(traces.folder).st_mode) == 0o700
    assert str(traces.search.hub).encode() not in traces.database.read_bytes()


def test_people_see_the_search_id_in_a_line_of_its_own(traces: TraceWorld) -> None:
    """After the hits, on stdout."""
    found = traces.command("search", "slow queries", "--keyword", "--track")
    (event,) = read_events(traces.folder)
    assert found.out.splitlines()[-1].strip() == f"search {event['search_id']}"


def test_a_skill_has_one_outcome_for_each_search(traces: TraceWorld) -> None:
    """Used and then accepted is accepted once; the last word on a search holds; without a search each counts."""
    first, second = traces.record("slow queries"), traces.record("sql database")
    for _ in range(2):
        traces.use("git-helper")
    for outcome in ("use", "accept"):
        traces.use("db-advisor", outcome, search_id=first.search_id)
    for outcome in ("accept", "reject"):
        traces.use("db-advisor", outcome, search_id=second.search_id)
    (use,) = read_skill_uses(traces.folder, traces.hub, "db-advisor")
    assert (use.accepts, use.rejects) == (1, 1)
    totals = read_totals(traces.folder)
    assert (totals.accepted_searches, totals.mean_accepted_place) == (1, 1.0)
    (never_shown,) = read_skill_uses(traces.folder, traces.hub, "git-helper")
    assert (never_shown.retrieval_count, never_shown.accepts) == (0, 2)
    assert len(read_outcomes(traces.folder, traces.hub)) == 4


def test_an_outcome_belongs_to_the_last_search_that_showed_the_skill(traces: TraceWorld) -> None:
    """Or to the one that is named; a search of another hub or none at all is refused."""
    first, second = traces.record("slow queries"), traces.record("sql database")
    assert traces.use("db-advisor").search_id == second.search_id
    assert traces.use("db-advisor", "reject", search_id=first.search_id).search_id == first.search_id
    assert traces.use("db-advisor", "use").kind == "use"
    with pytest.raises(ConfigError, match="no recorded search of that id"):
        traces.use("db-advisor", search_id="0" * 16)
    with pytest.raises(ConfigError, match="no outcome 'love'"):
        traces.use("db-advisor", "love")


def test_an_outcome_without_a_search_counts_for_the_skill_alone(traces: TraceWorld) -> None:
    """A search of yesterday is not what led to it."""
    traces.record("slow queries", days_ago=1)
    assert not traces.use("db-advisor").search_id
    assert read_skill_uses(traces.folder, traces.hub, "db-advisor")[0].accepts == 1


def test_the_last_word_on_a_skill_of_a_search_counts(traces: TraceWorld) -> None:
    """Accepted, used and then rejected is one rejection."""
    search = traces.record("slow queries").search_id
    for outcome in ("accept", "use", "reject"):
        traces.use("db-advisor", outcome, search_id=search)
    (found,) = read_outcomes(traces.folder, traces.hub)
    assert (found.skill, found.accepted, found.query) == ("db-advisor", False, "slow queries")
    assert found.words == frozenset(count_terms("slow queries"))
    assert found.vector is not None


def test_who_searches_again_at_once_has_not_found_it(traces: TraceWorld) -> None:
    """An opened skill, and a search within a minute: a quick return is recorded for that skill, once."""
    traces.record("slow queries")
    record_open(traces.folder, traces.hub, "db-advisor")
    traces.record("slow database")
    traces.record("slow sql")
    kinds = [event["kind"] for event in reversed(read_events(traces.folder))]
    assert kinds == ["query", "open", "query", "return", "query"]


def test_searches_far_apart_are_sessions_of_their_own(traces: TraceWorld) -> None:
    """Half an hour of silence ends one."""
    traces.record("slow queries", days_ago=1)
    traces.record("slides")
    traces.record("slides from an outline")
    assert read_totals(traces.folder).sessions == 2


def test_show_says_how_often_a_skill_was_found_and_accepted(traces: TraceWorld) -> None:
    """And is recorded as a look at it, where traces are on."""
    traces.record("slow queries", "db-advisor")
    shown = json.loads(traces.command("show", "db-advisor", "--json", AXON_TRACES="on").out)
    assert (shown["retrieval_count"], shown["acceptance"]) == (1, 1.0)
    assert shown["last_retrieved_at"].endswith("Z")
    assert read_events(traces.folder)[0]["kind"] == "open"


def test_use_and_stats_from_the_command_line(traces: TraceWorld) -> None:
    """The verb finds the skill by its path; stats count it; a skill that does not exist is an error."""
    traces.record("slow queries")
    said = traces.command("use", "skills/db-advisor/", "--outcome", "accept")
    assert (said.code, said.out.startswith("recorded: accept of db-advisor, search ")) == (0, True)
    stats = json.loads(traces.command("traces", "stats", "--json").out)
    assert (stats["searches"], stats["events"], stats["accepted_searches"]) == (1, {"accept": 1}, 1)
    assert stats["skills"][0]["retrieval_count"] == 1
    assert traces.command("use", "no-such-skill").code == 2


def test_the_words_of_a_query_stand_nowhere_but_in_the_traces(traces: TraceWorld, own_world: Path) -> None:
    """Not in the cache, the home or the hub; and after forgetting them not in the traces' bytes either."""
    told = traces.command("search", f"slow {SENTINEL} queries", "--keyword", "--track", AXON_LEARN="on")
    assert told.code == 0
    assert SENTINEL.encode() in traces.database.read_bytes()
    for folder in (own_world, traces.search.cache, traces.search.home):
        assert not [file for file in _files(folder) if SENTINEL.encode() in file.read_bytes()]
    assert traces.command("traces", "forget", "--query", SENTINEL.upper()).out == "forgotten searches: 1\n"
    assert not [file for file in _files(Path(traces.folder)) if SENTINEL.encode() in file.read_bytes()]


def test_old_traces_make_room(traces: TraceWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    """By age, and by size, the oldest first; what was just recorded stays."""
    from hub_index.traces import recording
    from hub_index.traces.retention import drop_old

    traces.record("slow queries", "db-advisor", days_ago=741)
    traces.record("slides", "ppt-maker", days_ago=10)
    assert [event["kind"] for event in read_events(traces.folder)] == ["accept", "query"]
    monkeypatch.setattr(recording, "drop_old", lambda connection, now_s: drop_old(connection, now_s, 60 * 1024))
    for number in range(40):
        traces.record(f"slides {number}", days_ago=(40 - number) / 24)
    queries = [event["query"] for event in read_events(traces.folder) if event["kind"] == "query"]
    assert queries[0] == "slides 39"
    assert "slides" not in queries
    with open_traces(traces.folder) as connection:
        assert connection.execute("SELECT count(*) FROM shown").fetchone()[0] <= 5 * len(queries)
    assert os.path.getsize(traces.database) < 150 * 1024


def _files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]
