"""Which index answers: the user's own, the hub's, or the checkout's files."""

import shutil
from pathlib import Path

import pytest
from support.searches.search_world import SearchWorld, WordEncoder, ids, make_world

from hub_index.errors import IndexMissing, IndexTooNew, ModelMismatch


@pytest.fixture
def world(tmp_path: Path) -> SearchWorld:
    """A synced hub with a fresh index."""
    return make_world(tmp_path)


def give_user_index(world: SearchWorld) -> Path:
    """Copies the hub's index into the user's own place."""
    return Path(shutil.copytree(world.hub / "search", world.home / "search"))


def test_the_users_own_index_comes_first(world: SearchWorld) -> None:
    """A valid and fresh index of the user's own is preferred."""
    own = give_user_index(world)
    assert world.open().search("slides").index_dir == str(own)
    assert world.open().search("slides", mode="keyword").index_dir == str(own)


@pytest.mark.parametrize("mode", ["keyword", "hybrid", "semantic"])
def test_a_broken_user_index_never_hides_a_good_one(world: SearchWorld, mode: str) -> None:
    """A user index that cannot be used makes way for the hub's."""
    own = give_user_index(world)
    (own / "skills.jsonl").write_bytes(b"{}\n")
    results = world.open().search("slides", mode=mode)
    assert (results.mode, results.index_dir) == (mode, str(world.hub / "search"))


@pytest.mark.parametrize("mode", ["keyword", "hybrid"])
def test_a_stale_user_index_never_hides_a_fresh_one(world: SearchWorld, mode: str) -> None:
    """When the hub has moved on and brought its index along, that one answers."""
    give_user_index(world)
    world.story.hub.skill("new-skill", "Translates poems into Latin.")
    world.story.hub.commit("new")
    world.story.build()
    results = world.open().search("poems in Latin", mode=mode)
    assert (results.index_dir, ids(results.hits)[0]) == (str(world.hub / "search"), "new-skill")


def test_a_stale_user_index_is_better_than_none_for_meaning(world: SearchWorld) -> None:
    """With no hub index the stale one is used with a notice; keyword reads the checkout, which is newer."""
    own = give_user_index(world)
    shutil.rmtree(world.hub / "search")
    world.story.hub.skill("new-skill", "Translates poems into Latin.")
    world.story.hub.commit("new")
    results = world.open().search("slides", mode="semantic")
    assert results.index_dir == str(own)
    assert any("changed since" in notice for notice in results.notices)
    assert ids(world.open().search("poems", mode="keyword").hits) == ["new-skill"]


def test_a_user_index_of_another_model_makes_way(world: SearchWorld) -> None:
    """Configured is what the hub's index was made with: the user's other one is passed over."""
    other = SearchWorld(world.home, world.cache, world.story, WordEncoder("fake:other"))
    world.story.encoder = other.encoder
    world.story.build(out=world.home / "search")
    assert world.open().search("slides").index_dir == str(world.hub / "search")
    assert other.open(model="fake:other").search("slides").index_dir == str(world.home / "search")


@pytest.mark.parametrize("mode", ["keyword", "hybrid"])
@pytest.mark.parametrize("configured", ["fake:words", "fake:third"], ids=["of the hub's", "of neither"])
def test_a_user_index_of_another_model_never_hides_a_valid_one(world: SearchWorld, mode: str, configured: str) -> None:
    """Where the user's own index is not of the configured model the hub's answers, by words if need be."""
    other = SearchWorld(world.home, world.cache, world.story, WordEncoder("fake:other"))
    world.story.encoder = other.encoder
    world.story.build(out=world.home / "search")
    assert world.open(model=configured).search("slides", mode=mode).index_dir == str(world.hub / "search")
    if configured == "fake:words":
        assert world.open().related("ppt-maker").index_dir == str(world.hub / "search")


def test_a_stale_user_index_never_hides_a_valid_one_of_another_model(world: SearchWorld) -> None:
    """The hub's index, whose model is not the configured one, answers by words; meaning is refused with the reason."""
    other = SearchWorld(world.home, world.cache, world.story, WordEncoder("fake:other"))
    hubs_own, world.story.encoder = world.story.encoder, other.encoder
    world.story.build(out=world.home / "search")
    world.story.encoder = hubs_own
    world.story.hub.skill("new-skill", "Translates poems into Latin.")
    world.story.hub.commit("new")
    world.story.build()
    found = other.open(model="fake:other").search("poems in Latin")
    assert (found.mode, found.index_dir, ids(found.hits)[0]) == ("keyword", str(world.hub / "search"), "new-skill")
    assert "fake:words" in found.fallback_reason
    with pytest.raises(ModelMismatch, match="fake:words"):
        other.open(model="fake:other").search("poems in Latin", mode="semantic")


def test_a_fresh_user_index_of_another_model_is_better_than_none_for_words(world: SearchWorld) -> None:
    """Words need no model: without a hub's index the user's own answers them."""
    own = give_user_index(world)
    shutil.rmtree(world.hub / "search")
    found = world.open(model="fake:other").search("slides")
    assert (found.mode, found.index_dir) == ("keyword", str(own))


def test_without_an_index_the_checkout_is_read(world: SearchWorld) -> None:
    """Keyword search needs no index, and says why it is keyword."""
    shutil.rmtree(world.hub / "search")
    for mode in ("auto", "hybrid", "keyword"):
        results = world.open().search("pg_stat_statements", mode=mode)
        assert (results.mode, results.index_dir, ids(results.hits)[:1]) == ("keyword", "", ["db-advisor"])
    assert world.open().search("slides").fallback_reason
    with pytest.raises(IndexMissing):
        world.open().search("slides", mode="semantic")


def test_uncommitted_edits_are_found_without_an_index(world: SearchWorld) -> None:
    """The checkout's files are read as they stand, and read again when they change."""
    shutil.rmtree(world.hub / "search")
    assert world.open().search("zymurgy").hits == ()
    world.story.hub.skill("brewing", "All about zymurgy.")
    assert ids(world.open().search("zymurgy").hits) == ["brewing"]


def test_links_in_the_checkout_are_not_followed(world: SearchWorld, tmp_path: Path) -> None:
    """A linked SKILL.md is not read, nor one behind a linked folder."""
    shutil.rmtree(world.hub / "search")
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "SKILL.md").write_text("---\nname: canary\ndescription: canary\n---\ncanary\n")
    (world.hub / "skills" / "linked").symlink_to(outside)
    (world.hub / "skills" / "odd").mkdir()
    (world.hub / "skills" / "odd" / "SKILL.md").symlink_to(outside / "SKILL.md")
    assert world.open().search("canary").hits == ()


def test_neither_index_nor_checkout(tmp_path: Path) -> None:
    """Nothing to read at all is an error that says what to do."""
    world = make_world(tmp_path, build=False)
    shutil.rmtree(world.hub)
    for mode in ("auto", "keyword", "hybrid"):
        with pytest.raises(IndexMissing, match="hub-index sync"):
            world.open().search("slides", mode=mode)


def test_an_index_too_new_is_passed_over(world: SearchWorld) -> None:
    """A later format falls back to the files, with the advice to upgrade."""
    manifest = world.hub / "search" / "index_manifest.json"
    manifest.write_text(manifest.read_text().replace('"index_version": 1', '"index_version": 9'))
    results = world.open().search("slides")
    assert (results.mode, results.index_dir) == ("keyword", "")
    assert "upgrade" in results.fallback_reason
    with pytest.raises(IndexTooNew):
        world.open().search("slides", mode="semantic")


def test_index_from_one_folder_and_bodies_from_another(world: SearchWorld, tmp_path: Path) -> None:
    """--index-dir and --hub together; --index-dir alone takes the checkout around it, if there is one."""
    moved = Path(shutil.move(world.hub / "search", tmp_path / "elsewhere"))
    both = world.open_hub(world.hub, moved)
    assert ids(both.search("pg_stat_statements", mode="keyword").hits)[:1] == ["db-advisor"]
    alone = world.open_hub(None, moved)
    assert alone.search("pg_stat_statements", mode="keyword").hits == ()
    assert ids(alone.search("slow queries", mode="keyword").hits)[0] == "db-advisor"


def test_the_hubs_own_output_folder_is_found(tmp_path: Path) -> None:
    """A hub may keep its index elsewhere; hub-index.toml says where."""
    world = make_world(tmp_path, build=False)
    world.story.hub.write("hub-index.toml", 'output = "public/index"\n')
    world.story.hub.commit("settings")
    world.story.build()
    assert world.open().search("slides").index_dir == str(world.hub / "public" / "index")


def test_nothing_configured_uses_the_indexs_own_model(world: SearchWorld) -> None:
    """Without a configured model the index's own is asked for; where it has no key, keyword answers and says so."""

    class Unkeyed(SearchWorld):
        def connect(self, model_id: str, dim: int) -> WordEncoder:
            if model_id == "local:usem3":
                return WordEncoder("local:usem3")
            return super().connect(model_id, dim)

    keyed = Unkeyed(world.home, world.cache, world.story, world.encoder)
    assert keyed.open(model="").search("slides").mode == "hybrid"
    unkeyed = Unkeyed(world.home, world.cache, world.story, WordEncoder("fake:else"))
    results = unkeyed.open(model="").search("slides")
    assert results.mode == "keyword"
    assert "AXON_EMBEDDINGS_API_KEY" in results.fallback_reason


def test_an_alias_does_not_hide_the_true_space(tmp_path: Path) -> None:
    """An index published under another model_id is still the embedded model's, if the space says so."""
    world = make_world(tmp_path, build=False)
    world.story.build(model_alias="openai:alias")

    class Embedded(SearchWorld):
        def connect(self, model_id: str, dim: int) -> WordEncoder:
            assert model_id == "local:usem3"
            return self.encoder

    results = Embedded(world.home, world.cache, world.story, world.encoder).open(model="").search("slides")
    assert (results.mode, results.model_id) == ("hybrid", "openai:alias")
    with pytest.raises(ModelMismatch):
        world.open(model="openai:else").search("slides", mode="semantic")


def test_a_named_folder_without_an_index_is_named(world: SearchWorld, tmp_path: Path) -> None:
    """The message says which folder, and a hub in place of its index folder is told apart."""
    for mode in ("keyword", "auto", "semantic"):
        with pytest.raises(IndexMissing, match=f"there is no folder {tmp_path}/nowhere; "):
            world.open_hub(None, tmp_path / "nowhere").search("slides", mode=mode)
        with pytest.raises(IndexMissing, match=f"no index in {world.hub}; .* --hub {world.hub}"):
            world.open_hub(None, world.hub).search("slides", mode=mode)
