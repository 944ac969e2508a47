"""Near copies of a better hit fold into it: `+3 like it`, `also_like`, `--no-fold`, in every mode and integration."""

import json
from pathlib import Path

import pytest
from support.processes.cli_runner import hub_index_here
from support.searches.search_world import SearchWorld, WordEncoder, ids, make_world
from support.servers.service_world import ServiceWorld
from support.servers.serving_world import serving

from hub_index.client import HubClient
from hub_index.record import Record
from hub_index.search.ranking.steps.fold import are_near_copies
from hub_index.serve.mcp.calls import ToolCalls
from hub_index.service.requests import FindRequest

_ABOUT = "Remove the signs of machine writing from a text, so that it reads as if a person wrote it by hand."
_COPIES = ("human-text", "human-text-2", "team/human-text", "more/human-text")
_SKILLS = {
    **{id_: (_ABOUT, f"# Text\nThe body of {id_}.\n") for id_ in _COPIES},
    "text-count": ("Count the words of a text.", "# Words\n"),
    "text-speech": ("Read a text aloud as a person would.", "# Speech\n"),
    "check-in": ("Check in a guest of the text hotel.", ""),
    "check-out": ("Check out a guest of the text hotel.", ""),
}
_MODES = ["keyword", "semantic", "hybrid"]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> SearchWorld:
    """Four skills that are copies, and four that are not."""
    return make_world(tmp_path_factory.mktemp("world"), _SKILLS)


@pytest.fixture(scope="module")
def hubs(tmp_path_factory: pytest.TempPathFactory) -> ServiceWorld:
    """Two hubs; the second has one more copy and the first's own skill, word for word."""
    made = ServiceWorld(tmp_path_factory.mktemp("hubs"), WordEncoder())
    made.add_hub("left", _SKILLS)
    made.add_hub("right", {"human-text": _SKILLS["human-text"], "fork/human-text": (f"{_ABOUT} Forked.", "# Fork\n")})
    return made


@pytest.mark.parametrize("mode", _MODES)
def test_copies_are_one_hit_that_names_them(world: SearchWorld, mode: str) -> None:
    """The best of them, at its place; the others stand in `also_like`, best first, and nowhere else."""
    with world.open() as index:
        plain = ids(index.search("make a text human again", 8, mode, fold=False).hits)
        found = index.search("make a text human again", 8, mode)
    copies = [id_ for id_ in plain if id_ in _COPIES]
    assert len(copies) == 4
    assert ids(found.hits) == [id_ for id_ in plain if id_ not in copies[1:]]
    assert [[place.id for place in hit.also_like] for hit in found if hit.also_like] == [copies[1:]]


@pytest.mark.parametrize("mode", _MODES)
def test_k_is_still_k_hits(world: SearchWorld, mode: str) -> None:
    """The room that copies leave is for others, however many copies stand first."""
    with world.open() as index:
        for k in (1, 2, 3):
            assert len(index.search("text", k, mode).hits) == k


@pytest.mark.parametrize("mode", _MODES)
def test_many_copies_leave_no_page_short(tmp_path: Path, mode: str) -> None:
    """Forty copies before the others are one hit; a longer answer begins with the shorter one."""
    skills = {f"same-{n}/reader": ("Read a file of numbers and draw a chart of it.", "") for n in range(40)}
    others = {f"other{n}": (f"Draw {word}, not of numbers.", "") for n, word in enumerate(("maps", "trees", "cats"))}
    with make_world(tmp_path, skills | others).open() as index:
        found = index.search("read numbers and draw a chart", 3, mode)
        more = index.search("read numbers and draw a chart", 4, mode)
    assert len(found.hits) == 3
    assert len(found[0].also_like) == 39
    assert ids(more.hits)[:3] == ids(found.hits)


def test_a_search_by_meaning_keeps_what_the_query_names(world: SearchWorld) -> None:
    """It puts nothing first for its name, and folds no such skill away either."""
    with world.open() as index:
        found = index.search("human-text", 8, "semantic")
    assert {"human-text", "team/human-text", "more/human-text"} <= set(ids(found.hits))


@pytest.mark.parametrize("mode", ["keyword", "hybrid"])
def test_a_copy_that_the_query_names_is_a_hit(world: SearchWorld, mode: str) -> None:
    """An exact name or id is never folded away; the others fold into it."""
    with world.open() as index:
        found = index.search("human-text-2", 8, mode)
        twice = index.search("human-text", 8, mode)  # three skills have this name
    assert found[0].id == "human-text-2"
    assert len(found[0].also_like) == 3
    assert set(ids(twice.hits)[:3]) == {"human-text", "team/human-text", "more/human-text"}


def test_a_copy_of_a_skill_that_is_gone_takes_over(tmp_path: Path) -> None:
    """A hit whose file was deleted hands its place to a copy; copies that are gone are not named."""
    world = make_world(tmp_path, _SKILLS)
    with world.open() as index:
        best = index.search("text human", 1)[0]
    for gone in (best.id, best.also_like[-1].id):
        (world.hub / "skills" / gone / "SKILL.md").unlink()
    with world.open() as index:
        hit = index.search("text human", 1)[0]
    assert (hit.id, *[place.id for place in hit.also_like]) == tuple(place.id for place in best.also_like[:-1])


def test_filters_see_the_copies(hubs: ServiceWorld) -> None:
    """A copy in the folder that is asked for is found, although a better one lies elsewhere."""
    with hubs.open("left") as service:
        best = service.find(FindRequest("text human", 1))[0].id
        found = service.find(FindRequest("text human", 9, path="skills/team"))
        kept = service.find(FindRequest("text human", 9, path="skills"))
    assert best != "team/human-text"
    assert ids(found.hits) == ["team/human-text"]
    assert len(kept[0].also_like) == 3


@pytest.mark.parametrize("options", [{}, {"mode": "keyword"}, {"diverse": True}, {"fusion": "rrf"}, {"recency": True}])
def test_copies_of_several_hubs_fold_into_one(hubs: ServiceWorld, options: dict[str, object]) -> None:
    """The same skill is in `also_in`, a near copy in `also_like` with its hub; each skill is named once."""
    with hubs.open("left", "right") as service:
        found = service.find(FindRequest("a text human again", 9, **options))  # type: ignore[arg-type]
        plain = service.find(FindRequest("a text human again", 9, fold=False, **options))  # type: ignore[arg-type]
    hit = next(hit for hit in found if hit.also_like)
    places = [(hit.hub, hit.id), *[(place.hub, place.id) for place in (*hit.also_in, *hit.also_like)]]
    assert sorted(places) == sorted(
        [("right", "human-text"), ("right", "fork/human-text"), *[("left", c) for c in _COPIES]]
    )
    assert len(found.hits) == len(_SKILLS) - 3
    assert not any(hit.also_like for hit in plain)


def test_every_integration_says_it(hubs: ServiceWorld, tmp_path: Path) -> None:
    """JSON, HTTP, JSON-RPC, MCP, the client and plain lines name the copies; each can be asked not to fold."""
    with hubs.open("left") as service, serving(service=service) as world:
        posted = world.post("/search", {"query": "text human", "k": 1}).value["hits"][0]
        unfolded = world.ask("GET", "/search?q=text%20human&k=1&fold=false").value["hits"][0]
        called = world.post(
            "/rpc", {"jsonrpc": "2.0", "id": 1, "method": "search.hybrid", "params": {"query": "text human"}}
        )
        described = json.dumps(world.ask("GET", "/openapi.json").value["paths"]["/search"])
        told = ToolCalls(service, 20.0).call("find_skills", {"query": "text human", "k": 1})
        with HubClient(world.url) as remote:
            decoded = remote.search("text human", k=1)[0]
            apart = remote.search("text human", k=1, fold=False)[0]
    assert len(posted["also_like"]) == 3
    assert posted["also_like"][0] == {
        "hub": "left",
        "id": decoded.also_like[0].id,
        "uri": f"skill://left/skills/{decoded.also_like[0].id}/SKILL.md",
    }
    assert called.value["result"]["items"][0]["alsoLike"] == posted["also_like"]
    assert (told.structured_content or {})["hits"][0]["also_like"] == [place["uri"] for place in posted["also_like"]]
    assert "; like it: “" in str(told.content)
    assert [place.id for place in decoded.also_like] == [place["id"] for place in posted["also_like"]]
    assert "also_like" not in unfolded
    assert apart.also_like == ()
    assert described.count("near copies") == 2
    command = ("search", "text human", "--keyword", "--hub", str(hubs.root / "left"), "--k", "2")
    environment = {"HUB_INDEX_CACHE": str(tmp_path / "cache"), "AXON_HOME": str(tmp_path)}
    assert "(+3 like it)" in hub_index_here(*command, env=environment).out
    assert "like it " in hub_index_here(*command, "--explain", env=environment).out
    assert "like it" not in hub_index_here(*command, "--no-fold", env=environment).out
    assert json.loads(hub_index_here(*command, "--json", env=environment).out)["hits"][0]["also_like"]


_LONG = "Automate {} tasks through one gateway. Always search the tools first, for their schemas change every week."


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (("check-in", "Check in a guest"), ("check-out", "Check out a guest")),
        (("pdf-to-word", "Convert PDF files to Word files"), ("word-to-pdf", "Convert Word files to PDF files")),
        (("vault-automation", _LONG.format("Vault")), ("chat-automation", _LONG.format("Chat"))),
        (("plot-a", _LONG), ("plot-b", _LONG)),
        (("react-help", _LONG), ("vue-help", _LONG)),
        (
            ("chinese", "Write Chinese as people do."),
            ("traditional-chinese", "Write Traditional Chinese as people do."),
        ),
        (
            ("解不等式", "求解一元一次不等式，支持解以负数开头。"),
            ("解不等式二", "求解一元一次不等式，支持解不以负数开头。"),
        ),
        (("deploy", ""), ("deploy", "")),
        (("deploy", "Deploy."), ("deploy", "Deploy the website of the shop to the cloud and tell the team about it.")),
    ],
)
def test_skills_that_differ_in_what_they_do_are_no_copies(first: tuple[str, str], second: tuple[str, str]) -> None:
    """Another direction, another product in one template, an opposite: their words are as alike as copies' are."""
    assert not are_near_copies(_record(*first), _record(*second))


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (("humanizer", _ABOUT), ("humanizer-pro", _ABOUT)),
        (("referrals", _LONG), ("referral-program", _LONG)),
        (("notes", _LONG), ("notes", f"{_LONG} Use when this capability is needed.")),
        (("预测", "基于当前的情报数据预测未来的发展趋势。"), ("预测-2", "基于当前的情报数据预测未来的发展趋势。")),
    ],
)
def test_copies_are_told_by_their_words(first: tuple[str, str], second: tuple[str, str]) -> None:
    """A longer name, a sentence more under the same name: still the same skill."""
    assert are_near_copies(_record(*first), _record(*second))
    assert are_near_copies(_record(*second), _record(*first))


def _record(name: str, description: str) -> Record:
    return Record(name, f"skills/{name}", name, description, "", "", (), "")
