"""Folders of skills without an index: words at once, meaning after they were embedded into the user's cache."""

import shutil
import time
from pathlib import Path

import pytest
from support.models.model_copy import model_cache
from support.processes.cli_runner import hub_index_here
from support.searches.search_world import ids

from hub_index.embedding.local import LocalEncoder
from hub_index.errors import IndexMissing
from hub_index.service import open_service
from hub_index.service.folders.folder_index import index_dir_of, place_of, plan_folder
from hub_index.service.hubs.open_hubs import HubPlace, is_plain_folder
from hub_index.service.requests import FindRequest
from hub_index.service.service import Service


@pytest.fixture(name="model_cache")
def shared_model_cache() -> Path:
    """A cache folder that holds the embedded model's copy."""
    return model_cache()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two skills as an agent keeps them."""
    write(tmp_path / ".claude/skills", "knitting", "Knit a scarf from wool.")
    write(tmp_path / ".claude/skills", "baking", "Bake bread with sourdough.")
    return tmp_path / ".claude/skills"


def write(folder: Path, name: str, description: str) -> None:
    """Puts a skill into a plain folder."""
    (folder / name).mkdir(parents=True, exist_ok=True)
    (folder / name / "SKILL.md").write_text(f"---\nname: {name}\ndescription: {description}\n---\n\n# {name}\n")


def open_folder(folder: Path, cache: Path, embed: str) -> Service:
    """A service on a plain folder."""
    place = HubPlace("mine", str(folder))
    return open_service([place], home=folder.parent / "axon", cache_dir=cache, embed=embed)


def wait_until_ready(service: Service) -> None:
    """Waits for the work in the background; a minute is for a machine that is very busy."""
    end_s = time.monotonic() + 60
    while service.hubs[0].is_embedding and time.monotonic() < end_s:
        time.sleep(0.01)


def test_a_folder_is_found_by_meaning(folder: Path, model_cache: Path) -> None:
    """Embedded before the answer, kept in the cache, and nothing is written into the folder."""
    before = sorted(folder.rglob("*"))
    with open_folder(folder, model_cache, "now") as service:
        found = service.find(FindRequest("我想烤面包", 1))
    assert (found.mode, ids(found.hits)) == ("hybrid", ["baking"])
    assert sorted(folder.rglob("*")) == before
    assert Path(index_dir_of(place_of(str(model_cache), str(folder)))).is_dir()


def test_a_search_by_words_says_what_the_folder_lacks(folder: Path) -> None:
    """Not that it should be synced, which a plain folder never is."""
    done = hub_index_here("search", "bread", "--keyword", "--hub", str(folder))
    assert "holds no index; a search by meaning makes one" in done.err
    assert "sync" not in done.err


def test_a_folder_that_is_too_large_is_left_out_of_an_answer(
    folder: Path, model_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A home folder by mistake hides no other hub; alone it is told with what to do."""
    write(folder.parent / "small", "weaving", "Weave a scarf.")
    monkeypatch.setattr("hub_index.search.checkout.files.MAX_WALKED_FILES", 2)
    places = [HubPlace("large", str(folder)), HubPlace("small", str(folder.parent / "small"))]
    with open_service(places, home=folder.parent / "axon", cache_dir=model_cache, embed="never") as service:
        found = service.find(FindRequest("scarf", 2))
        assert ids(found.hits) == ["weaving"]
        assert any("large was left out" in text and "more than 2 files" in text for text in found.notices)
    with open_folder(folder, model_cache, "now") as alone, pytest.raises(IndexMissing, match="more than 2 files"):
        alone.find(FindRequest("scarf", 2))


def test_words_answer_while_it_is_embedded_behind(folder: Path, model_cache: Path) -> None:
    """The first answer does not wait; it says why it is by words, and the next one is whole."""
    told: list[tuple[str, int, int]] = []
    with open_folder(folder, model_cache, "behind") as service:
        service.watch(lambda *progress: told.append(progress))
        with service.traffic.answer():  # type: ignore[union-attr] # somebody else is being answered
            first = service.find(FindRequest("bread", 1))
            status = service.status().hubs[0]
        assert (first.mode, ids(first.hits), told) == ("keyword", ["baking"], [])
        assert "being embedded" in first.fallback_reason
        assert status.state == "embedding"
        wait_until_ready(service)
        assert service.find(FindRequest("bread", 1)).mode == "hybrid"
    assert told == [("mine", 2, 2)]


def test_only_what_changed_is_read_and_embedded(folder: Path, model_cache: Path) -> None:
    """A new skill is one text to embed; the others keep their vectors; a removed one is gone."""
    with open_folder(folder, model_cache, "now") as service:
        service.find(FindRequest("bread", 1))
    write(folder, "juggling", "Juggle five balls.")
    shutil.rmtree(folder / "knitting")
    space = LocalEncoder(cache_dir=model_cache, workers=0).space
    plan = plan_folder(str(folder), place_of(str(model_cache), str(folder)), space)
    assert [record.id for record in plan.records] == ["baking", "juggling"]
    assert [text.split("\n")[0] for text in plan.texts.values()] == ["name: juggling"]
    with open_folder(folder, model_cache, "now") as service:
        assert ids(service.find(FindRequest("balls in the air", 5, "semantic")).hits) == ["juggling", "baking"]


def test_a_change_is_noticed_by_an_open_service(
    folder: Path, model_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever has the folder open finds the new skill at its next look."""
    monkeypatch.setattr("hub_index.service.folders.folder_hub._LOOK_AGAIN_S", 0.0)
    with open_folder(folder, model_cache, "now") as service:
        assert service.find(FindRequest("juggle", 1, "keyword")).hits == ()
        write(folder, "juggling", "Juggle five balls.")
        assert ids(service.find(FindRequest("juggle", 1)).hits) == ["juggling"]


def test_a_damaged_index_of_the_cache_is_made_again(folder: Path, model_cache: Path) -> None:
    """What lies in the cache is believed only if its digests are right."""
    with open_folder(folder, model_cache, "now") as service:
        service.find(FindRequest("bread", 1))
    place = Path(place_of(str(model_cache), str(folder)))
    (place / "index/vectors.f32").write_bytes(b"broken")
    write(folder, "juggling", "Juggle five balls.")
    with open_folder(folder, model_cache, "now") as service:
        assert service.find(FindRequest("bread", 1, "semantic"))[0].id == "baking"


def test_a_cache_that_others_may_write_is_not_used(folder: Path, tmp_path: Path) -> None:
    """Then words answer, and the answer says why."""
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared").chmod(0o777)
    with open_folder(folder, tmp_path / "shared", "now") as service:
        found = service.find(FindRequest("bread", 1))
    assert found.mode == "keyword"
    assert "others may write" in found.fallback_reason


def test_what_counts_as_a_plain_folder(folder: Path, tmp_path: Path) -> None:
    """No git and no index; inside of a repository only a program's own folder, or what hubs.toml lists."""
    assert is_plain_folder(HubPlace("a", str(folder)))
    assert not is_plain_folder(HubPlace("a", str(folder), index_dir="/x"))
    assert not is_plain_folder(HubPlace("a", str(tmp_path / "nowhere")))
    (tmp_path / ".git").mkdir()
    (tmp_path / "tools").mkdir()
    assert is_plain_folder(HubPlace("a", str(folder)))
    assert not is_plain_folder(HubPlace("a", str(tmp_path / "tools")))
    assert is_plain_folder(HubPlace("a", str(tmp_path / "tools"), is_listed=True))
