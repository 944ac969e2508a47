"""`--model-alias openai:usem3-axon`: vectors with a constant part, for clients with a fixed threshold."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from support.builds.build_story import BuildStory, make_story
from support.models.fake_encoder import FakeEncoder
from support.processes.cli_runner import hub_index

from hub_index.embedding import axon_lift as constant_part
from hub_index.embedding.axon_lift import AXON_MODEL, AXON_PART, lift, lower
from hub_index.embedding.cache.vector_cache import VectorCache
from hub_index.errors import ConfigError
from hub_index.index.build import build_index
from hub_index.index.build_tools import BuildOptions, BuildTools
from hub_index.index.folder.reading import read_files
from hub_index.index.format.validate import check_index


@pytest.fixture
def story(tmp_path: Path) -> BuildStory:
    """A hub of four skills and an encoder that passes for the embedded one."""
    made = make_story(tmp_path / "hub")
    made.encoder = FakeEncoder("local:usem3")
    return made


def test_lifting_keeps_the_order_and_lowering_gives_the_base_back() -> None:
    """cos → (1−a)·cos + a, norm 1, one number more; lowered again it is the base to the last digits of float32."""
    rows = np.stack([FakeEncoder(dim=512).vector(str(number)) for number in range(50)])
    lifted = lift(rows, 0.25)
    assert lifted.shape == (50, 513)
    assert lifted.dtype == np.float32
    assert np.abs(np.linalg.norm(lifted, axis=1) - 1).max() < 1e-6
    assert np.abs(lifted @ lifted.T - (0.75 * (rows @ rows.T) + 0.25)).max() < 1e-6
    assert np.abs(lower(lifted, 0.25) - rows).max() < 1e-7
    assert lift(rows[7], 0.25).tobytes() == lifted[7].tobytes()


def test_the_alias_publishes_one_number_more_in_a_space_of_its_own(story: BuildStory) -> None:
    """The manifest names the constant part, every row has it, and no other alias gets one."""
    story.build(model_alias="openai:other")
    plain = story.manifest()
    assert "constant_part" not in plain
    base = np.frombuffer((story.folder / "vectors.f32").read_bytes(), "<f4").reshape(-1, 8)

    story.build(model_alias=AXON_MODEL)
    lifted = story.manifest()
    assert (lifted["model_id"], lifted["dim"], lifted["constant_part"]) == (AXON_MODEL, 9, AXON_PART)
    assert (lifted["count"], lifted["vector_bytes"]) == (4, 4 * 9 * 4)
    assert lifted["space"] not in (plain["space"], story.encoder.space)
    assert (story.folder / "vectors.f32").read_bytes() == lift(base, AXON_PART).tobytes()
    check_index(read_files(story.folder))


def test_an_unchanged_hub_writes_nothing(story: BuildStory) -> None:
    """The second build embeds nothing and leaves every byte."""
    story.build(model_alias=AXON_MODEL)
    before = story.files()
    report = story.build(model_alias=AXON_MODEL)
    assert (report.changed, story.encoder.texts, story.files()) == (False, [], before)


def test_an_index_that_grew_has_the_bytes_of_one_built_from_nothing(story: BuildStory, tmp_path: Path) -> None:
    """Lifted rows are reused as they are, and only the new text is embedded."""
    story.build(model_alias=AXON_MODEL)
    story.hub.skill("later", "Came later.")
    story.hub.commit("one more")
    report = story.build(model_alias=AXON_MODEL)
    assert (report.embedded, report.reused) == (1, 4)
    fresh = tmp_path / "fresh"
    story.build(model_alias=AXON_MODEL, out=fresh)
    assert (fresh / "vectors.f32").read_bytes() == (story.folder / "vectors.f32").read_bytes()


def test_another_constant_part_is_another_space(story: BuildStory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows with another constant part are never reused: each is lifted anew, and the report says why."""
    story.build(model_alias=AXON_MODEL)
    before = story.manifest()
    monkeypatch.setattr(constant_part, "AXON_PART", 0.5)
    report = story.build(model_alias=AXON_MODEL)
    assert (report.changed, report.reused, report.embedded) == (True, 0, 4)
    assert any("another form" in notice for notice in report.notices)
    after = story.manifest()
    assert (after["constant_part"], after["space"] == before["space"]) == (0.5, False)
    check_index(read_files(story.folder))


def test_the_cache_holds_base_vectors(story: BuildStory, tmp_path: Path) -> None:
    """From plain to lifted and back again nothing is embedded twice."""
    tools = BuildTools(encoder_for=lambda _: story.encoder, cache=VectorCache(tmp_path / "cache"))
    build_index(story.hub.root, BuildOptions(), tools)
    plain = story.files()["vectors.f32"]
    story.encoder.texts.clear()
    build_index(story.hub.root, BuildOptions(model_alias=AXON_MODEL), tools)
    lifted = story.files()["vectors.f32"]
    build_index(story.hub.root, BuildOptions(), tools)
    assert (story.encoder.texts, story.files()["vectors.f32"]) == ([], plain)
    build_index(story.hub.root, BuildOptions(model_alias=AXON_MODEL, force=True), replace(tools, cache=None))
    assert story.files()["vectors.f32"] == lifted


@pytest.mark.parametrize(("model", "alias"), [("openai:text-embedding-3-small", AXON_MODEL), (AXON_MODEL, None)])
def test_only_the_embedded_model_is_lifted(story: BuildStory, model: str, alias: str | None) -> None:
    """The constant part was measured for one model: another that would publish under its name is refused, unpaid."""
    story.encoder = FakeEncoder(model)
    with pytest.raises(ConfigError, match="--model local:usem3 --model-alias openai:usem3-axon"):
        story.build(model_alias=alias)
    assert (story.encoder.texts, story.files()) == ([], {})


def test_an_empty_hub_can_be_lifted(story: BuildStory) -> None:
    """No row at all is right, too: the length is known without one."""
    story.hub.git("rm", "-r", "-q", "skills")
    story.hub.commit("nothing left")
    story.build(model_alias=AXON_MODEL, allow_shrink=True)
    assert (story.manifest()["dim"], story.manifest()["count"]) == (9, 0)
    check_index(read_files(story.folder))


def test_pruning_keeps_the_base_vectors_of_a_lifted_index(tmp_path: Path) -> None:
    """`cache prune --keep` knows that a lifted index is made of the embedded model's own vectors."""
    story = make_story(tmp_path / "hub")
    cache = tmp_path / "cache"
    assert hub_index("build", story.hub.root, "--model-alias", AXON_MODEL, "--cache", cache).code == 0
    assert hub_index("cache", "prune", "--cache", cache, "--keep", story.folder).code == 0
    again = hub_index("build", story.hub.root, "--cache", cache)
    assert (again.code, "0 embedded" in again.out) == (0, True)


def test_a_hub_may_name_its_alias(story: BuildStory) -> None:
    """A plain build keeps what the hub says, the command line wins, and vectors of another model are not called so."""
    story.hub.write("hub-index.toml", f'model_alias = "{AXON_MODEL}"\n')
    story.hub.commit()
    story.build()
    assert (story.manifest()["model_id"], story.manifest()["dim"]) == (AXON_MODEL, 9)
    assert not story.build().changed
    story.build(model_alias="openai:other")
    assert (story.manifest()["model_id"], story.manifest()["dim"]) == ("openai:other", 8)
    story.encoder = FakeEncoder("openai:m")
    story.build()
    assert story.manifest()["model_id"] == "openai:m"
