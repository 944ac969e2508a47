"""`traces replay`: the user's own history decides whether learning is used."""

import json
import time

import numpy as np
import pytest
from support.searches.search_world import SKILLS
from support.searches.trace_world import TraceWorld

from hub_index.search.results import QueryVector
from hub_index.traces.database import open_traces
from hub_index.traces.events import SearchTrace, ShownSkill
from hub_index.traces.outcomes import read_outcomes
from hub_index.traces.recording import record_search
from hub_index.traces.replay import replay
from hub_index.traces.verdict import read_verdict, write_verdict


def remember(traces: TraceWorld, pairs: list[tuple[str, str]]) -> None:
    """Searches an hour apart, the last an hour ago, and what was accepted of each."""
    encoder = traces.search.encoder
    rows = []
    for number, (query, skill) in enumerate(pairs):
        at = time.time() - 3600 * (len(pairs) - number)
        vector = QueryVector(encoder.space, np.asarray(encoder.vector(query), dtype="<f4").tobytes())
        shown = (ShownSkill(skill, 1.0),)
        trace = SearchTrace(
            f"s{number:03}", at, traces.hub, "", query, tuple(query.split()), "hybrid", {}, shown, vector
        )
        if number == 0:
            record_search(traces.folder, trace)
        rows.append(trace)
    with open_traces(traces.folder) as connection:
        for trace in rows:
            values = (trace.search_id, "s", trace.at, trace.hub, "", trace.query, " ".join(trace.words), "hybrid", "{}")
            vector_values = (trace.vector.space, trace.vector.values) if trace.vector else ("", b"")
            connection.execute(
                "INSERT OR REPLACE INTO searches VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", (*values, *vector_values)
            )
            accept = (trace.search_id, "s", trace.at + 1, trace.hub, "accept", trace.shown[0].skill)
            connection.execute(
                "INSERT INTO events (search_id, session, at, hub, kind, skill) VALUES (?, ?, ?, ?, ?, ?)", accept
            )


def test_a_history_that_teaches_is_learnt_from(traces: TraceWorld) -> None:
    """What one user calls things differs from the hub's words: the later searches gain, and the verdict says so."""
    names = {"quarterly wombat": "go-server", "friday penguin": "ppt-maker", "alpine marmot": "sql-explain"}
    pairs = [(f"{words} {number}", skill) for number in range(12) for words, skill in names.items()]
    remember(traces, pairs)
    found = replay(traces.index, read_outcomes(traces.folder, traces.hub))
    assert (found.taught, found.asked) == (25, 11)
    memory = found.gains[0]
    assert memory.parts == ("memory",)
    assert memory.gain > 10
    verdict = found.verdict(1.0)
    assert "memory" in verdict.parts
    write_verdict(traces.folder, traces.hub, verdict)
    assert read_verdict(traces.folder, traces.hub) == verdict


def test_a_history_of_chance_is_not(traces: TraceWorld) -> None:
    """Skills accepted at random gain nothing that is more than chance."""
    rng = np.random.default_rng(7)
    skills = sorted(SKILLS)
    remember(traces, [(f"slow database query {number}", skills[rng.integers(len(skills))]) for number in range(60)])
    found = replay(traces.index, read_outcomes(traces.folder, traces.hub))
    assert not found.verdict(1.0).parts


def test_the_verb_says_what_it_found_or_what_is_missing(
    traces: TraceWorld, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Too few accepted searches are an error with what to do; else gains with their errors, and the verdict is kept."""
    from hub_index.cli.verbs import traces as verb

    monkeypatch.setenv("XDG_STATE_HOME", traces.folder.removesuffix("/hub-index"))
    monkeypatch.setattr(verb, "open_from", lambda *_: traces.index)
    assert "a replay needs 20" in traces.command("traces", "replay").err
    pairs = [
        (f"{words} {n}", skill) for n in range(12) for words, skill in (("wombat", "go-server"), ("emu", "ppt-maker"))
    ]
    remember(traces, pairs)
    assert verb.run(verb.parse(["replay", "--json"])) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["asked"] == 8
    assert [gain["parts"] for gain in told["gains"]] == [["memory"], ["prior"], ["memory", "prior"]]
    kept = read_verdict(traces.folder, traces.hub)
    assert kept is not None
    assert list(kept.parts) == told["verdict"] != []
    assert verb.run(verb.parse(["replay"])) == 0
    assert "AXON_LEARN=auto uses: memory" in capsys.readouterr().out
