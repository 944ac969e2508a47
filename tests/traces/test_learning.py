"""What accepted and rejected skills change in later searches, and what they cannot."""

import math
import time

import pytest
from support.searches.search_world import ids
from support.searches.trace_world import TraceWorld

from hub_index.search.results import Results
from hub_index.settings import read_settings
from hub_index.traces.experience import find_experience
from hub_index.traces.learning import DECAY, MAX_PRIOR, LearntExperience
from hub_index.traces.outcomes import Outcome, read_outcomes
from hub_index.traces.verdict import Verdict, write_verdict

NOW_S = time.time()


def experience(traces: TraceWorld, *parts: str) -> LearntExperience:
    """What the recorded outcomes teach."""
    outcomes = read_outcomes(traces.folder, traces.hub)
    return LearntExperience(outcomes, time.time(), parts or ("memory", "prior"))


def ask(traces: TraceWorld, query: str, learnt: LearntExperience, mode: str = "hybrid") -> Results:
    """A search that was given something to learn from."""
    return traces.index.search(query, 5, mode, experience=learnt)


def outcome(skill: str, *, days_ago: float = 0.0, accepted: bool = True) -> Outcome:
    """An outcome that no search led to."""
    return Outcome(skill, accepted, NOW_S - days_ago * 86_400)


@pytest.mark.parametrize("mode", ["hybrid", "semantic", "keyword"])
def test_a_near_query_brings_back_what_was_accepted(traces: TraceWorld, mode: str) -> None:
    """Even a skill that neither its words nor its meaning would have found; other queries are as before."""
    last = "ppt-maker" if mode == "keyword" else traces.index.search("tune my query report", 5, mode)[-1].id
    traces.record("tune the query report", last, mode="hybrid" if mode == "keyword" else mode)  # which has shown it
    learnt = experience(traces, "memory")
    plain, found = (
        traces.index.search("tune my query report", 5, mode),
        ask(traces, "tune my query report", learnt, mode),
    )
    places = [ids(answer.hits).index(last) if last in ids(answer.hits) else 5 for answer in (plain, found)]
    assert places[1] < places[0]
    assert found[places[1]].reasons.boost > 0
    other = traces.index.search("powerpoint slides", 5, mode)
    assert ids(ask(traces, "powerpoint slides", learnt, mode).hits) == ids(other.hits)


def test_what_was_rejected_for_a_near_query_steps_back(traces: TraceWorld) -> None:
    """And what the query names exactly stays first all the same."""
    results = traces.record("explain a slow database query")
    best = results[0].id
    traces.use(best, "reject", search_id=results.search_id)
    learnt = experience(traces, "memory")
    assert ids(ask(traces, "explain a slow database query", learnt).hits)[0] != best
    named = traces.record("ppt-maker")
    traces.use("ppt-maker", "reject", search_id=named.search_id)
    assert ids(ask(traces, "ppt-maker", experience(traces)).hits)[0] == "ppt-maker"


def test_filters_hold_for_what_is_remembered(traces: TraceWorld) -> None:
    """A skill of another language is no answer, whatever was accepted."""
    traces.record("tune the warehouse report", "go-server")
    found = ask(traces, "tune the warehouse report lang:zh", experience(traces), "keyword")
    assert "go-server" not in ids(found.hits)


def test_the_prior_fades_as_the_formula_says() -> None:
    """confidence · exp(−decay · days since reinforced): a year, a day, and an accept that reinforces."""
    old = LearntExperience([outcome("old", days_ago=365)], NOW_S).favour(frozenset(), None, "")
    assert old.earned["old"] == pytest.approx(MAX_PRIOR * (1 / 3) * math.exp(-DECAY * 365), rel=1e-6)
    twice = [outcome("old", days_ago=365), outcome("old", days_ago=1)]
    reinforced = LearntExperience(twice, NOW_S).favour(frozenset(), None, "")
    assert reinforced.earned["old"] == pytest.approx(MAX_PRIOR * (2 / 4) * math.exp(-DECAY), rel=1e-6)
    rejected = LearntExperience([outcome("bad", accepted=False)], NOW_S).favour(frozenset(), None, "")
    assert rejected.earned["bad"] == pytest.approx(-MAX_PRIOR / 3)


def test_a_vote_of_memory_fades_too(traces: TraceWorld) -> None:
    """What was accepted a year ago moves less than what was accepted today."""
    traces.record("tune the warehouse report", "go-server", days_ago=365)
    old = experience(traces, "memory").favour(frozenset({"tune", "warehous", "report"}), None, "")
    weight = math.exp(-DECAY * 365)
    assert old.remembered["go-server"] == pytest.approx(0.45 * weight / (0.3 + weight), rel=1e-3)


def test_the_prior_never_lifts_a_skill_over_a_clearly_better_match(traces: TraceWorld) -> None:
    """A thousand accepts of everything that is shown behind it, and a thousand rejects of the first."""
    plain = traces.index.search("slow queries of a database", 5)
    first, second = plain[0], plain[1]
    assert first.score - second.score > 2 * MAX_PRIOR * first.score
    outcomes = [outcome(hit.id, accepted=hit is not first) for hit in plain for _ in range(1000)]
    learnt = LearntExperience(outcomes, NOW_S, ("prior",))
    assert ids(ask(traces, "slow queries of a database", learnt).hits)[0] == first.id


def test_hubs_learn_apart(traces: TraceWorld) -> None:
    """What was accepted in one hub says nothing about a skill of the same id in another."""
    traces.record("tune the warehouse report", "go-server")
    assert read_outcomes(traces.folder, "another hub") == []


def test_learning_is_off_until_a_replay_found_a_gain(traces: TraceWorld) -> None:
    """off and auto give nothing; then auto gives the parts that gained, and on gives all at once."""
    traces.record("tune the warehouse report", "go-server")

    def found(learn: str) -> LearntExperience | None:
        settings = read_settings({"AXON_LEARN": learn}).replace(state_folder=traces.folder)
        return find_experience(settings, traces.hub).experience

    assert (found("off"), found("auto")) == (None, None)
    write_verdict(traces.folder, traces.hub, Verdict((), -0.1, 0.5, 40, NOW_S))
    assert found("auto") is None
    write_verdict(traces.folder, traces.hub, Verdict(("prior",), 1.0, 0.2, 40, NOW_S))
    learnt, everything = found("auto"), found("on")
    assert learnt is not None
    assert everything is not None
    words = frozenset({"tune", "warehous", "report"})
    assert learnt.favour(words, None, "").remembered == {}
    assert set(everything.favour(words, None, "").remembered) == {"go-server"}
