"""The check of a change knows what a build would refuse, an index that is edited by hand, and another model."""

from pathlib import Path

import pytest
from support.hubs.change_world import PULL_REQUEST, check, make_hub, publish, work
from support.hubs.hub_maker import HubMaker
from support.models.fake_encoder import FakeEncoder

from hub_index.cli.text.check_formats import as_text
from hub_index.errors import ShrinkRefused
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


def codes(answer: ChangeCheck) -> dict[str, str]:
    return {problem.code: problem.level for problem in answer.problems}


@pytest.mark.parametrize(("removed", "is_refused"), [(4, False), (5, True)])
def test_what_a_build_would_refuse_as_a_loss_is_a_warning(
    hub: HubMaker, encoder: FakeEncoder, removed: int, is_refused: bool
) -> None:
    """The gate of a build is asked before a merge: skills that are left out by the settings are lost like others."""
    hub.skills(12)
    hub.commit()
    publish(hub, encoder)
    left_out = ", ".join(f'"skills/skill-{number:02}/**"' for number in range(removed))
    work(hub).write("hub-index.toml", f"exclude = [{left_out}]\n")
    hub.commit()
    answer = check(hub, encoder)
    assert answer.is_passed(strict=False) is not is_refused
    if is_refused:
        (problem,) = answer.problems
        assert (problem.code, problem.path) == ("shrinks", "hub-index.toml")
        assert "5 of the previous index's 12 skills would be lost: skill-00, " in problem.reason
        with pytest.raises(ShrinkRefused):
            build_index(hub.root, BuildOptions(), BuildTools(encoder_for=lambda _: encoder))


def test_skills_that_only_move_are_not_lost(hub: HubMaker, encoder: FakeEncoder) -> None:
    """Their texts live on under other ids."""
    hub.skills(12)
    hub.commit()
    publish(hub, encoder)
    work(hub).git("mv", "skills", "moved")
    hub.git("mv", "moved", "skills-of-old")
    hub.write("hub-index.toml", 'roots = ["skills-of-old"]\n')
    hub.commit()
    assert "shrinks" not in codes(check(hub, encoder))


def test_an_index_that_is_edited_by_hand_is_a_warning(hub: HubMaker, encoder: FakeEncoder) -> None:
    """Whoever searches would believe it; one that fits the branch's own skills is only mentioned."""
    publish(hub, encoder)
    work(hub).write("search/skills.jsonl", "garbage\n")
    (hub.root / "search/vectors.f32").unlink()
    hub.commit()
    (problem,) = check(hub, encoder).problems
    assert (problem.level, problem.code, problem.path) == ("warning", "index-edited", "search/skills.jsonl")
    assert "search/skills.jsonl, search/vectors.f32, and what is there cannot be used" in problem.reason
    hub.git("reset", "-q", "--hard", "main")
    hub.skill("new", "Paints a fence with two colours of paint, when a fence is old.")
    hub.commit()
    build_index(hub.root, BuildOptions(), BuildTools(encoder_for=lambda _: encoder))
    hub.commit()
    assert codes(check(hub, encoder))["index-edited"] == "advice"
    hub.skill("newer", "Paints a second fence.")
    hub.commit()
    assert codes(check(hub, encoder))["index-edited"] == "warning"


def test_another_model_embeds_every_text(hub: HubMaker, encoder: FakeEncoder) -> None:
    """The price is that of the whole hub, and a notice says why; to name the model that is used already is free."""
    publish(hub, encoder)
    encoders = {None: encoder, "local:usem3": encoder, "openai:x": FakeEncoder("openai:x", 4)}
    tools = CheckTools(lambda model: encoders[model], lambda: encoder)
    axon, other = 'model_alias = "openai:usem3-axon"', 'model = "openai:x"'
    for settings, texts in (('model = "local:usem3"', 0), ('model_alias = "openai:y"', 0), (axon, 4), (other, 4)):
        work(hub).write("hub-index.toml", settings)
        hub.commit()
        answer = check_change(hub.root, PULL_REQUEST, tools)
        assert answer.estimate is not None
        assert (answer.estimate.texts, len(answer.notices)) == (texts, 1 if texts else 0)
        assert ("to embed: 4 texts" in as_text(answer)) is (texts == 4)
    assert "another model (openai:x)" in answer.notices[0]
