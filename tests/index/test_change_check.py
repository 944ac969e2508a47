"""The check of a change: nearest existing skills, with and without the base's index, and what would be embedded."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from support.hubs.change_world import PULL_REQUEST, check, make_hub, publish, work
from support.hubs.hub_maker import HubMaker
from support.models.fake_encoder import FakeEncoder

from hub_index.embedding.cache.vector_cache import VectorCache
from hub_index.errors import ConfigError
from hub_index.index import nearest
from hub_index.index.build import build_index
from hub_index.index.build_tools import BuildOptions, BuildTools
from hub_index.index.change_check import ChangeCheck, CheckTools, check_change


@pytest.fixture
def hub(tmp_path: Path) -> HubMaker:
    """A hub of four skills on main, without an index; nothing is committed on `work` yet."""
    return make_hub(tmp_path / "hub")


@pytest.fixture
def encoder() -> FakeEncoder:
    """Stands for the embedded model; its vectors follow from the text."""
    return FakeEncoder()


def neighbours(answer: ChangeCheck) -> dict[str, tuple[str, float]]:
    found = {skill.file.id: skill.nearest for skill in answer.skills}
    return {id_: (near.file.id, near.similarity) for id_, near in found.items() if near is not None}


def expected(encoder: FakeEncoder, new: str, existing: dict[str, str]) -> tuple[str, float]:
    """The nearest by hand."""
    cosines = {id_: float(encoder.vector(text) @ encoder.vector(new)) for id_, text in existing.items()}
    best = max(cosines, key=lambda id_: cosines[id_])
    return best, round(cosines[best], 4)


TEXTS = {f"skill-{n:02}": f"name: skill-{n:02}\ndescription: Does thing number {n}." for n in range(4)}
NEW = "name: new\ndescription: Paints a fence."


def test_the_nearest_comes_from_the_base_s_index_and_only_the_new_text_is_embedded(
    hub: HubMaker, encoder: FakeEncoder
) -> None:
    """What is published need not be embedded again."""
    publish(hub, encoder)
    work(hub).skill("new", "Paints a fence.")
    hub.commit()
    answer = check(hub, encoder)
    assert neighbours(answer) == {"new": expected(encoder, NEW, TEXTS)}
    assert encoder.texts == [NEW]


def test_an_index_with_a_constant_part_is_used_as_well(hub: HubMaker) -> None:
    """The Axon client's index holds the embedded model's vectors, lifted."""
    encoder = FakeEncoder("local:usem3", 512)
    publish(hub, encoder, model_alias="openai:usem3-axon")
    work(hub).skill("new", "Paints a fence.")
    hub.commit()
    found = neighbours(check(hub, encoder))["new"]
    assert (found[0], encoder.texts) == (expected(encoder, NEW, TEXTS)[0], [NEW])
    assert abs(found[1] - expected(encoder, NEW, TEXTS)[1]) < 1e-3


@pytest.mark.parametrize("has_foreign_index", [False, True])
def test_without_an_index_of_the_embedded_model_the_base_is_embedded_once(
    hub: HubMaker, encoder: FakeEncoder, tmp_path: Path, has_foreign_index: bool
) -> None:
    """A second check takes every vector from the user's cache."""
    if has_foreign_index:
        publish(hub, FakeEncoder("fake:other", 4))
    work(hub).skill("new", "Paints a fence.")
    hub.commit()
    first = check(hub, encoder, VectorCache(tmp_path / "cache"))
    assert neighbours(first) == {"new": expected(encoder, NEW, TEXTS)}
    assert sorted(encoder.texts) == sorted([NEW, *TEXTS.values()])
    encoder.texts.clear()
    assert check(hub, encoder, VectorCache(tmp_path / "cache")) == first
    assert encoder.texts == []


def test_what_the_base_s_index_lacks_is_embedded(hub: HubMaker, encoder: FakeEncoder) -> None:
    """An index that is a few commits behind is still worth using."""
    publish(hub, encoder)
    hub.skill("late", "Came after the index.")
    hub.commit()
    hub.git("branch", "-f", "work")
    work(hub).skill("new", "Paints a fence.")
    hub.commit()
    assert "new" in neighbours(check(hub, encoder))
    assert encoder.texts == ["name: late\ndescription: Came after the index.", NEW]


def test_a_broken_index_of_the_base_is_a_notice(hub: HubMaker, encoder: FakeEncoder) -> None:
    """A pull request is answered all the same."""
    publish(hub, encoder)
    hub.write("search/vectors.f32", b"x" * 128)
    hub.commit()
    hub.git("branch", "-f", "work")
    work(hub).skill("new", "Paints a fence.")
    hub.commit()
    answer = check(hub, encoder)
    assert neighbours(answer) == {"new": expected(encoder, NEW, TEXTS)}
    assert any("index cannot be used" in notice for notice in answer.notices)


def test_an_index_that_the_branch_brings_is_not_believed(hub: HubMaker, encoder: FakeEncoder) -> None:
    """A stranger's vectors could make any skill look new."""
    work(hub).skill("new", "Paints a fence.")
    hub.commit()
    build_index(hub.root, BuildOptions(), BuildTools(encoder_for=lambda _: encoder))
    hub.commit()
    encoder.texts.clear()
    check(hub, encoder)
    assert len(encoder.texts) == 5


def test_too_many_skills_are_not_embedded_for_a_comparison(
    hub: HubMaker, encoder: FakeEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without an index a large hub gets no nearest skill, and is told why; both sides of the limit."""
    work(hub).skill("new", "Paints a fence.")
    hub.commit()
    monkeypatch.setattr(nearest, "MAX_COMPARED_SKILLS", 4)
    assert "new" in neighbours(check(hub, encoder))
    monkeypatch.setattr(nearest, "MAX_COMPARED_SKILLS", 3)
    answer = check(hub, encoder)
    assert (neighbours(answer), len(answer.notices)) == ({}, 1)
    assert "no nearest skill is named" in answer.notices[0]
    hub.skills(8)
    hub.commit()
    assert "skills are new" in check(hub, encoder).notices[0]


def test_edited_moved_and_unreadable_skills_have_no_false_neighbour(hub: HubMaker, encoder: FakeEncoder) -> None:
    """A skill that moved is not a copy of itself, and its text need not be embedded again."""
    work(hub)
    hub.git("mv", "skills/skill-00", "skills/moved")
    hub.skill("skill-01", "Does another thing.")
    hub.write("skills/empty/SKILL.md", "")
    hub.commit()
    answer = check(hub, encoder)
    kinds = [(skill.file.id, skill.change) for skill in answer.skills]
    assert kinds == [("empty", "added"), ("moved", "added"), ("skill-00", "removed"), ("skill-01", "edited")]
    assert list(neighbours(answer)) == ["moved"]
    assert neighbours(answer)["moved"][1] < 0.99
    assert answer.estimate is not None
    assert answer.estimate.texts == 1


def test_a_copy_under_another_name_is_very_like(hub: HubMaker, encoder: FakeEncoder) -> None:
    """It is a note, not a problem: two skills may be meant to be alike."""
    work(hub).skill("copy", "Does thing number 2.", name="skill-02")
    hub.commit()
    answer = check(hub, encoder)
    (copy,) = answer.skills
    assert copy.nearest is not None
    assert (copy.nearest.file.id, copy.nearest.similarity, copy.nearest.is_very_like) == ("skill-02", 1.0, True)
    assert answer.is_passed(strict=False)
    assert not replace(copy.nearest, similarity=0.95).is_very_like


def test_nothing_is_embedded_where_nothing_is_new(hub: HubMaker, encoder: FakeEncoder) -> None:
    """A body that changed changes no text."""
    work(hub).skill("skill-00", "Does thing number 0.", body="Another body.\n")
    hub.commit()
    answer = check(hub, encoder)
    assert (encoder.texts, answer.estimate and answer.estimate.texts) == ([], 0)


def test_an_author_s_own_settings_do_not_stop_a_check(hub: HubMaker, encoder: FakeEncoder) -> None:
    """Whoever writes a skill need not be able to build: the estimate is missing, and a notice says why."""

    def refuse(_model: str | None) -> FakeEncoder:
        raise ConfigError("set provider, model and key together")

    work(hub).skill("new", "Paints a fence.")
    hub.commit()
    answer = check_change(hub.root, PULL_REQUEST, CheckTools(refuse, lambda: encoder))
    assert (answer.estimate, answer.is_passed(strict=False)) == (None, True)
    assert "key together" in answer.notices[0]


def test_a_model_that_does_not_exist_is_the_hub_s_fault(hub: HubMaker, encoder: FakeEncoder) -> None:
    """Every build of this branch would fail."""
    work(hub).write("hub-index.toml", 'model = "nobody:nothing"\n')
    hub.commit()
    with pytest.raises(ConfigError, match="nobody"):
        check(hub, encoder)


def test_the_level_of_a_problem_decides(hub: HubMaker, encoder: FakeEncoder) -> None:
    """Advice fails only with strict; a warning always."""
    work(hub).skill("new", "Paints.")
    hub.commit()
    advised = check(hub, encoder)
    assert {problem.level for problem in advised.problems} == {"advice"}
    assert (advised.is_passed(strict=False), advised.is_passed(strict=True)) == (True, False)
    hub.write("skills/new/SKILL.md", "Paints a fence.\n")
    hub.commit()
    assert not check(hub, encoder).is_passed(strict=False)


def test_vectors_are_compared_in_one_order(
    hub: HubMaker, encoder: FakeEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of two equal neighbours the first id is named, in every run."""
    monkeypatch.setattr(encoder, "vector", lambda _text: np.eye(8, dtype=np.float32)[0])
    work(hub).skill("new", "Paints a fence.")
    hub.commit()
    assert neighbours(check(hub, encoder)) == {"new": ("skill-00", 1.0)}


def test_a_published_index_and_an_embedded_base_give_the_same_answer(tmp_path: Path) -> None:
    """With the real embedded model as well as with a fake one."""
    from hub_index.embedding.local import LocalEncoder

    hub = HubMaker(tmp_path / "hub")
    hub.skill("boats", "Folds paper boats for children.")
    hub.skill("sql", "Finds slow queries of a database.")
    hub.commit()
    hub.git("checkout", "-q", "-b", "work")
    hub.skill("hats", "Folds paper hats for children.")
    hub.commit()
    tools = CheckTools(lambda _: LocalEncoder(), LocalEncoder)
    bare = neighbours(check_change(hub.root, PULL_REQUEST, tools))
    hub.git("checkout", "-q", "main")
    build_index(hub.root, BuildOptions(), BuildTools(encoder_for=lambda _: LocalEncoder()))
    hub.commit("index")
    hub.git("checkout", "-q", "work")
    hub.git("rebase", "-q", "main")
    assert neighbours(check_change(hub.root, PULL_REQUEST, tools)) == bare
    assert bare["hats"][0] == "boats"
