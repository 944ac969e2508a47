"""Several hubs at once: the order of one hub, the same skill once, other models by rank, a broken hub as a notice."""

from pathlib import Path

import pytest
from support.models.lent_dictionary import lend_dictionary
from support.searches.search_world import ids
from support.servers.service_world import ServiceWorld

from hub_index.errors import ConfigError, IndexMissing, SkillUnknown
from hub_index.service.hubs.choose_hubs import choose_places
from hub_index.service.hubs.hub_list import read_hub_list
from hub_index.service.hubs.open_hubs import HubPlace, is_hub_name, name_folder
from hub_index.service.requests import FindRequest, ListRequest, ReadRequest
from hub_index.service.service import Service

_QUERIES = ("slow database query", "slides from an outline", "写作", "http server in go", "db-advisor", "explain")


@pytest.mark.parametrize("query", _QUERIES)
@pytest.mark.parametrize("mode", ["keyword", "semantic", "hybrid"])
def test_two_halves_answer_as_the_whole(one: Service, both: Service, query: str, mode: str) -> None:
    """Words weigh as in one hub, so that hits stand in its order."""
    whole, halves = one.find(FindRequest(query, 5, mode)), both.find(FindRequest(query, 5, mode))
    assert ids(halves.hits) == ids(whole.hits)
    assert [hit.rank for hit in halves] == list(range(1, len(halves) + 1))


def test_a_hub_of_chinese_skills_is_not_behind_an_english_one(world: ServiceWorld) -> None:
    """What is presumed for another script goes by the English skills of the other hub."""
    world.add_hub("english", {f"note-{n}": ("Make a note.", "# Slides\nWrite slides.\n") for n in range(6)})
    world.add_hub("chinese", {"yan-shi": ("演示", "")})
    with world.open("english", "chinese") as service:
        found = service.find(FindRequest("slides", 3, "hybrid", explain=True))
    with world.open("chinese") as service:
        alone = service.find(FindRequest("slides", 3, "hybrid", explain=True))
    assert found[0].id == "yan-shi"
    assert found[0].reasons.presumed > 0 == alone[0].reasons.presumed
    assert found[0].score == pytest.approx(alone[0].score + found[0].reasons.presumed, abs=2e-6)


def test_english_words_are_looked_for_in_chinese_across_hubs(world: ServiceWorld) -> None:
    """Each hub has too few Chinese skills for that, and both together have enough: they answer as one hub does."""
    told = {
        f"wen-{place}": (text, "") for place, text in enumerate(("翻译文章", "天气预报", "绘制地图", "写诗", "备份"))
    }
    first = dict(list(told.items())[:3]) | {"notes": ("Make a note.", "")}
    world.add_hub("three", first)
    world.add_hub("two", {id_: told[id_] for id_ in told if id_ not in first})
    world.add_hub("five", told | first)
    lend_dictionary(world.root / "cache")
    request = FindRequest("translate the weather forecast", 5, "keyword", explain=True)
    with world.open("three", "two") as service:
        found = service.find(request)
    with world.open("five") as service:
        whole = service.find(request)
    assert ids(found.hits) == ids(whole.hits)
    assert {"wen-0", "wen-1"} <= set(ids(found.hits))
    assert [hit.reasons.translated for hit in found] == [hit.reasons.translated for hit in whole]
    with world.open("three") as service:
        assert not service.find(request).hits


def test_a_word_is_rare_as_all_hubs_together_have_it(world: ServiceWorld) -> None:
    """A word of two skills in each of two hubs scores, and makes hits as sure, as in one hub with the four skills."""
    halves = [
        {f"{side}-{n}": (f"Keep the {side} books {n}.", "# Steps\nWrites zugferd files.\n") for n in range(2)}
        | {f"{side}-note-{n}": (f"Make a {side} note {n}.", "# Steps\nWrites text files.\n") for n in range(4)}
        for side in ("east", "west")
    ]
    for name, skills in zip(("east", "west", "east-and-west"), (*halves, halves[0] | halves[1]), strict=True):
        world.add_hub(name, skills)
    request = FindRequest("zugferd", 4, "keyword")
    with world.open("east", "west") as service:
        found = service.find(request)
    with world.open("east-and-west") as service:
        whole = service.find(request)
    with world.open("east") as service:
        alone = service.find(request)
    assert ids(found.hits) == ids(whole.hits)
    assert [hit.score for hit in found] == pytest.approx([hit.score for hit in whole], rel=0.01)
    assert [hit.confidence for hit in found] == pytest.approx([hit.confidence for hit in whole], abs=0.01)
    assert alone[0].score > 1.5 * found[0].score


def test_nothing_is_offered_where_another_hub_has_a_strong_hit(world: ServiceWorld) -> None:
    """One hub would mend a word of the query; the other holds what is asked for."""
    fillers = {f"note-{n}": (f"Take note {n}.", "# Paper\n") for n in range(20)}
    world.add_hub("books", fillers | {"invoices": ("Write invoices.", "# Steps\nAsks for the sum.\n")})
    world.add_hub("forms", fillers | {"zugferd": ("Make zugferd, read zugferd.", "# Zugferd\nzugferd\n")})
    request = FindRequest("zugferd invoces", 3, "keyword")
    with world.open("books") as service:
        assert service.find(request).did_you_mean == "zugferd invoices"
    with world.open("books", "forms") as service:
        found = service.find(request)
    assert (found[0].id, found[0].weak, found.did_you_mean) == ("zugferd", False, "")


def test_diverse_hits_have_more_than_two_pages(both: Service) -> None:
    """Each page goes on where the one before it ended, until there is no other skill."""
    request = FindRequest("database plans", 1, "hybrid", diverse=True)
    found: list[str] = []
    for _ in range(5):
        page = both.find(request)
        found += ids(page.hits)
        request = request.replace(cursor=page.next_cursor)
    assert len(set(found)) == 5


@pytest.mark.parametrize("options", [{"fusion": "rrf"}, {"alpha": 0.3}, {"recency": True}, {"diverse": True}])
def test_orders_that_depend_on_all_hits_are_made_of_all(both: Service, options: dict[str, object]) -> None:
    """Ranks, shares, recency and likeness are worked out across the hubs; no skill comes twice."""
    found = both.find(FindRequest("database plans", 5, "hybrid", **options))  # type: ignore[arg-type]
    assert len(set(ids(found.hits))) == len(found.hits) == 5


def test_the_same_skill_is_one_hit_with_all_places(both: Service) -> None:
    """Text and body are equal in both hubs: one hit, which names the other place."""
    hit = both.find(FindRequest("explain plans for sql", 1))[0]
    assert (hit.id, hit.hub) == ("sql-explain", "left")
    assert [(place.hub, place.id) for place in hit.also_in] == [("right", "sql-explain")]


def test_skills_that_only_share_their_name_stay_apart(world: ServiceWorld) -> None:
    """Another body is another skill, even under the same id; a near copy is not called the same."""
    world.add_hub("twin", {"sql-explain": ("Generate EXPLAIN plans for SQL.", "# Something else\n")})
    with world.open("left", "twin") as service:
        folded = service.find(FindRequest("explain plans for sql", 1))[0]
        found = service.find(FindRequest("explain plans for sql", 2, fold=False))
    assert (folded.also_in, [place.hub for place in folded.also_like]) == ((), ["twin"])
    assert {(hit.hub, hit.id) for hit in found} == {("left", "sql-explain"), ("twin", "sql-explain")}


def test_hubs_of_other_models_are_merged_by_rank(world: ServiceWorld) -> None:
    """Scores of two spaces mean different things, so ranks decide, and the answer says so."""
    with world.open("one", "other") as service:
        found = service.find(FindRequest("make slides", 3))
    assert {hit.hub for hit in found.hits[:2]} == {"one", "other"}
    assert any("merged by rank" in notice for notice in found.notices)
    assert [hit.score for hit in found] == sorted([hit.score for hit in found], reverse=True)
    assert found.model_id == ""


def test_of_two_first_hits_the_better_match_by_words_goes_before(world: ServiceWorld) -> None:
    """Words weigh alike in all hubs, so the only skill that holds the word is first, whatever its hub's place."""
    for names in (("one", "other"), ("other", "one")):
        with world.open(*names) as service:
            assert ids(service.find(FindRequest("talk", 1)).hits) == ["ppt-helper"]


def test_a_query_is_embedded_once_for_all_hubs(world: ServiceWorld, both: Service) -> None:
    """Hubs of one model share the encoder, and what it is asked."""
    world.encoder.queries.clear()
    both.find(FindRequest("a question that nobody asked before", 3))
    assert world.encoder.queries == ["a question that nobody asked before"]


def test_a_hub_that_cannot_be_used_is_a_notice(world: ServiceWorld) -> None:
    """The others answer; where none can, its error is raised."""
    with world.open("one", "nowhere") as service:
        found = service.find(FindRequest("slides", 1))
        assert ids(found.hits) == ["ppt-maker"]
        assert any(notice.startswith("nowhere was left out: ") for notice in found.notices)
        assert any(notice.startswith("nowhere was left out: ") for notice in service.list(ListRequest()).notices)
        assert [hub.state for hub in service.status().hubs] == ["ready", "unusable"]
    with world.open("nowhere", "missing") as service, pytest.raises(IndexMissing):
        service.find(FindRequest("slides", 1))


def test_a_request_may_choose_hubs(both: Service) -> None:
    """Only the hubs that are named are searched."""
    assert {hit.hub for hit in both.find(FindRequest("database", 5, "semantic", hubs=("right",)))} == {"right"}


def test_hubs_toml_names_hubs(tmp_path: Path) -> None:
    """Folders and addresses by name, in the order of the file; a relative one only where it is."""
    lines = ('team = "https://example.invalid/hub.git"', f'mine = "{tmp_path / "mine"}"', 'project = ".claude/skills"')
    (tmp_path / "hubs.toml").write_text("[hubs]\n" + "\n".join(lines))
    team, mine, project = read_hub_list(str(tmp_path))
    assert (team.folder, team.address) == (str(tmp_path / "hubs/team"), "https://example.invalid/hub.git")
    assert (mine.folder, mine.address, project.is_relative) == (str(tmp_path / "mine"), "", True)
    assert [place.name for place in choose_places((), "", str(tmp_path))] == ["team", "mine"]
    (tmp_path / "repo").mkdir()
    assert [place.name for place in choose_places((), "", str(tmp_path))] == ["synced", "team", "mine"]
    assert choose_places(["mine"], "", str(tmp_path))[0].folder == str(tmp_path / "mine")


@pytest.mark.parametrize(
    "content",
    [
        "[hubs]\nBig = '/x'",
        "[hubs]\nworkflows = '/x'",
        "[hubs]\na = 5",
        "team = '/x'",
        "[hubs]\na = ''",
        "hubs = 3",
        "no toml",
        "x" * 70_000,
        "[hubs]\n" + "\n".join(f"h{number} = '/x'" for number in range(33)),
    ],
)
def test_a_wrong_hubs_toml_is_one_line(tmp_path: Path, content: str) -> None:
    """Names that cannot stand in a uri, values that are not texts, too many, too large, not TOML."""
    (tmp_path / "hubs.toml").write_text(content)
    with pytest.raises(ConfigError, match=r"hubs\.toml") as refusal:
        read_hub_list(str(tmp_path))
    assert "\n" not in str(refusal.value)


def test_a_wrong_hubs_toml_does_not_concern_folders(tmp_path: Path) -> None:
    """Whoever names folders alone is not stopped by a mistake in the list; whoever names one of it is."""
    (tmp_path / "hubs.toml").write_text("broken = [")
    assert [place.folder for place in choose_places([str(tmp_path)], "", str(tmp_path))] == [str(tmp_path)]
    with pytest.raises(ConfigError, match="is not TOML"):
        choose_places(["mine"], "", str(tmp_path))


def test_a_reserved_name_is_refused_for_what_it_is(tmp_path: Path) -> None:
    """`synced` is written as names are, so that another reason is given."""
    (tmp_path / "hubs.toml").write_text('[hubs]\nsynced = "x"\n')
    with pytest.raises(ConfigError, match="the name is reserved"):
        read_hub_list(str(tmp_path))


def test_folders_get_names_of_their_own(tmp_path: Path) -> None:
    """The last part of the path, made fit for a uri, with a number where it is taken."""
    assert name_folder(str(tmp_path / "Team Skills"), ()) == "team-skills"
    assert name_folder("/x/hub", ["hub", "hub-2"]) == "hub-3"
    assert all(is_hub_name(name_folder(text, ())) for text in ("/", "/x/workflows", "/x/中文", "/x/" + "a" * 300))
    names = [place.name for place in choose_places(["/a/hub", "/b/hub", "/a/hub"], "", str(tmp_path))]
    assert names == ["hub", "hub-2"]


def test_at_most_32_hubs(tmp_path: Path) -> None:
    """One more is refused."""
    folders = [f"/x/hub-{number}" for number in range(33)]
    assert len(choose_places(folders[:32], "", str(tmp_path))) == 32
    with pytest.raises(ConfigError, match="at most 32"):
        choose_places(folders, "", str(tmp_path))
    with pytest.raises(ConfigError, match="--index-dir"):
        choose_places(folders[:2], "/y", str(tmp_path))
    assert choose_places(folders[:1], "/y", str(tmp_path)) == (HubPlace("hub-0", "/x/hub-0", "/y"),)


def test_a_hub_that_cannot_be_read_hides_no_skill_of_the_others(world: ServiceWorld) -> None:
    """A skill that was found can be shown and read by its id; one that nobody has is unknown, whatever is wrong."""
    with world.open("gone", "left") as service:
        assert service.show("sql-explain").hub == "left"
        assert service.read(ReadRequest("sql-explain")).hub == "left"
        with pytest.raises(SkillUnknown):
            service.show("zzz:pdf")


def test_an_identical_skill_of_two_hubs_is_one_wherever_it_is_named(world: ServiceWorld) -> None:
    """What a search folds into one hit is no ambiguity for show and read; other copies still are."""
    with world.open("left", "right") as service:
        assert service.show("sql-explain").hub == "left"
        assert service.read(ReadRequest("sql-explain")).hub == "left"
    world.add_hub("third", {"sql-explain": ("Explain SQL in other words.", "# Other\n")})
    with (
        world.open("left", "third") as service,
        pytest.raises(SkillUnknown, match="“left:sql-explain”, “third:sql-explain”"),
    ):
        service.show("sql-explain")
