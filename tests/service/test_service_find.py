"""find on one hub: what the index itself answers, with filters, pages, a budget and a verdict."""

from dataclasses import dataclass, field

import pytest
from support.builds.build_story import BuildStory
from support.searches.search_world import ids
from support.servers.service_world import ServiceWorld

from hub_index.errors import AnswerStopped, ConfigError
from hub_index.search import open_index
from hub_index.search.results import Hit, Results, encode_results
from hub_index.service.answers import SkillText, encode_status
from hub_index.service.requests import Deadline, FindRequest, ReadRequest
from hub_index.service.service import Service


def test_find_answers_as_the_index_does(one: Service, world: ServiceWorld) -> None:
    """The same ids, order and scores as `open_index`, and each hit names its hub and its address."""
    index = open_index(hub=world.root / "one", cache_dir=world.root / "cache", connect=world.connect)
    for mode in ("keyword", "semantic", "hybrid"):
        expected = index.search("slow database query", 4, mode)
        found = one.find(FindRequest("slow database query", 4, mode))
        assert [(hit.id, hit.score) for hit in found] == [(hit.id, hit.score) for hit in expected]
    assert found[0].hub == "one"
    assert found[0].uri == f"skill://one/skills/{found[0].id}/SKILL.md"


def test_the_json_has_the_hub_only_where_the_service_answers(one: Service, world: ServiceWorld) -> None:
    """`search --json` grows by keys, and none of the old ones changes."""
    index = open_index(hub=world.root / "one", cache_dir=world.root / "cache", connect=world.connect)
    plain = encode_results(index.search("slides", 1))
    grown = encode_results(one.find(FindRequest("slides", 1)))
    assert all(grown[key] == value for key, value in plain.items() if key != "hits")
    assert "hub" not in plain["hits"][0]  # type: ignore[index]
    assert grown["hits"][0]["hub"] == "one"  # type: ignore[index]


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({"path": "skills/go-server"}, ["go-server"]),
        ({"path": "skills/go"}, []),
        ({"lang": "zh"}, ["中文写作"]),
        ({"type": "workflow"}, []),
        ({"since": "2999"}, []),
    ],
)
def test_filters_leave_out_what_does_not_fit(one: Service, filters: dict[str, str], expected: list[str]) -> None:
    """A folder is a whole folder, a language its code, a type what the record is, a date a day or later."""
    assert ids(one.find(FindRequest("database slides server 写作", 5, **filters)).hits) == expected  # type: ignore[arg-type]


def test_pages_follow_each_other(one: Service) -> None:
    """`next_cursor` goes on where the page before ended, and only with the same request."""
    whole = one.find(FindRequest("database", 4, "semantic"))
    first = one.find(FindRequest("database", 2, "semantic"))
    second = one.find(FindRequest("database", 2, "semantic", cursor=first.next_cursor))
    assert ids(first.hits) + ids(second.hits) == ids(whole.hits)
    assert [hit.rank for hit in second] == [3, 4]
    with pytest.raises(ConfigError, match="cursor"):
        one.find(FindRequest("slides", 2, "semantic", cursor=first.next_cursor))


@pytest.mark.parametrize("change", ["come", "go"])
def test_a_cursor_is_refused_where_a_sync_moved_its_hit(world: ServiceWorld, change: str) -> None:
    """No hit comes twice and none is missed in silence: the caller is told to ask again from the first page."""
    name = f"synced-{change}"
    hub = world.add_hub(name, {f"topic-{n}": ("Tune a database. " + "Rest. " * n, "") for n in range(6)})
    with world.open(name) as service:
        first = service.find(FindRequest("database", 3, "keyword"))
        if change == "come":
            hub.skill("database", "database")
        else:
            hub.git("rm", "-q", "-r", f"skills/{first[2].id}")
        hub.commit("sync")
        BuildStory(hub, world.encoder).build()
        with pytest.raises(ConfigError, match="in another order than when this cursor was made; ask again"):
            service.find(FindRequest("database", 3, "keyword", cursor=first.next_cursor))
        again = service.find(FindRequest("database", 3, "keyword"))
        rest = service.find(FindRequest("database", 4, "keyword", cursor=again.next_cursor))
    assert len({*ids(again.hits), *ids(rest.hits)}) == {"come": 7, "go": 5}[change]


def test_a_budget_leaves_out_whole_hits_and_names_them(one: Service) -> None:
    """What has no room is not cut but named, and the next page begins with it."""
    whole = one.find(FindRequest("database", 4, "semantic"))
    small = one.find(FindRequest("database", 4, "semantic", max_tokens=100))
    assert 0 < len(small) < 4
    assert ids(small.hits) + list(small.omitted) == ids(whole.hits)
    after = one.find(FindRequest("database", 4, "semantic", cursor=small.next_cursor))
    assert after[0].id == small.omitted[0]
    none = one.find(FindRequest("database", 4, "semantic", max_tokens=50), cost_of=lambda _: 51)
    assert (len(none), none.verdict) == (0, whole.verdict)  # too small a budget is not "nothing fits"


def test_a_door_may_say_what_a_hit_costs(one: Service) -> None:
    """`cost_of` replaces our estimate."""
    assert len(one.find(FindRequest("database", 4, max_tokens=50), cost_of=lambda _: 25)) == 2


def test_a_minimum_of_confidence_is_no_silent_cut(one: Service) -> None:
    """A hit of a model that was never measured has no confidence and stays; words have one, from 0 to 1."""
    assert {hit.confidence for hit in one.find(FindRequest("database", 4, "semantic", min_confidence=0.9))} == {None}
    found = one.find(FindRequest("slow database index", 4, "keyword"))
    assert found.verdict == "strong"
    assert all(hit.confidence is not None and (hit.confidence < 0.5) == hit.weak for hit in found)
    assert one.find(FindRequest("db-advisor", 1, "keyword"))[0].confidence == 1.0


def test_nothing_found_is_a_verdict(one: Service) -> None:
    """No hit, no doubt."""
    assert one.find(FindRequest("+zzzz", 3, "keyword")).verdict == "none"


@pytest.mark.parametrize(
    "wrong",
    [
        {"query": ""},
        {"query": 5},
        {"query": "x" * 70_000},
        {"k": 0},
        {"k": True},
        {"k": 10_001},
        {"mode": "magic"},
        {"mode": ["keyword"]},
        {"hubs": "one"},
        {"hubs": ("nobody",)},
        {"hubs": ("x",) * 33},
        {"lang": "english please"},
        {"since": "yesterday"},
        {"type": "person"},
        {"path": "x" * 5_000},
        {"min_confidence": 2},
        {"min_confidence": float("nan")},
        {"min_score": "high"},
        {"max_tokens": 10},
        {"max_tokens": 10**9},
        {"context_lines": 51},
        {"cursor": "5-abc"},
        {"cursor": "x" * 200},
        {"fusion": "magic", "mode": "hybrid"},
    ],
)
def test_every_wrong_argument_is_one_line(one: Service, wrong: dict[str, object]) -> None:
    """A stranger's argument of any type or size is refused before anything is searched."""
    with pytest.raises(ConfigError) as refusal:
        one.find(FindRequest(**{"query": "slides", **wrong}))  # type: ignore[arg-type]
    assert "\n" not in str(refusal.value)
    assert len(str(refusal.value)) < 300


def test_a_deadline_and_a_cancel_end_the_work(one: Service) -> None:
    """Nobody waits for an answer that comes too late, or that nobody wants any more."""
    with pytest.raises(AnswerStopped, match="0 s"):
        one.find(FindRequest("slides"), Deadline(0.0))
    gone = Deadline(60.0)
    gone.cancel()
    with pytest.raises(AnswerStopped, match="gone"):
        one.find(FindRequest("slides"), gone)


def test_hub_revision_is_a_commit_and_nothing_else(both: Service) -> None:
    """An answer of several hubs names the digest over them; a commit is named by each hub's status alone."""
    found = both.find(FindRequest("slides"))
    answer, state = encode_results(found), encode_status(both.status())
    assert answer["hubs_digest"] == found.hubs_digest == both.hubs_digest() == state["hubs_digest"]
    assert "hub_revision" not in answer
    commits = [hub.hub_revision for hub in both.status().hubs]
    assert all(len(commit) == 40 for commit in commits)


def test_the_hubs_digest_changes_with_the_hub(world: ServiceWorld) -> None:
    """A commit is noticed without opening the service anew."""
    hub = world.add_hub("moving", {"a": ("Does a thing.", "# A\n")})
    with world.open("moving") as service:
        before = service.hubs_digest()
        assert service.hubs_digest() == before
        hub.skill("b", "Does another thing with zebras.")
        hub.commit("more")
        assert service.hubs_digest() != before
        assert "b" in ids(service.find(FindRequest("zebras", 3, "keyword")).hits)


@dataclass
class _Recorder:
    """Keeps what it is told, as a store of traces would."""

    seen: list[str] = field(default_factory=list)

    def record_find(self, request: FindRequest, results: Results) -> str:
        self.seen.append(request.query)
        return f"s{len(results)}"

    def record_read(self, request: ReadRequest, answer: SkillText) -> None:
        self.seen.append(answer.id)

    def record_use(self, search_id: str, hit: Hit, outcome: str) -> None:
        self.seen.append(hit.id)


def test_a_recorder_is_told_and_names_the_search(world: ServiceWorld) -> None:
    """With a recorder an answer has its search_id, also in JSON; reading is told too."""
    with world.open("one") as service:
        recorder = _Recorder()
        service.recorder = recorder
        found = service.find(FindRequest("slides", 1))
        service.read(ReadRequest("ppt-maker"))
        assert encode_results(found)["search_id"] == "s1"
        assert recorder.seen == ["slides", "ppt-maker"]
