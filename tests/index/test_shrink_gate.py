"""A hub does not lose skills without a word: what the gate refuses, what it says, and what passes it."""

from pathlib import Path

import pytest
from support.builds.build_story import BuildStory, make_story

from hub_index.cli.main import main
from hub_index.errors import ShrinkRefused


def remove(story: BuildStory, count: int) -> None:
    """Takes the first skills away."""
    for number in range(count):
        story.hub.git("rm", "-q", "-r", f"skills/skill-{number:02}")
    story.hub.commit("remove")


@pytest.mark.parametrize(
    ("skills", "lost", "is_refused"),
    [(12, 4, False), (12, 5, True), (40, 4, False), (50, 5, False), (49, 5, True), (60, 6, False), (60, 9, True)],
)
def test_the_loss_of_more_than_a_tenth_and_at_least_five_is_refused(
    tmp_path: Path, skills: int, lost: int, is_refused: bool
) -> None:
    """Both sides of both limits; --allow-shrink passes, and a refusal leaves the old index."""
    story = make_story(tmp_path / "hub", skills=skills)
    story.build()
    before = story.files()
    remove(story, lost)
    if is_refused:
        with pytest.raises(
            ShrinkRefused, match=rf"{lost} of the previous index's {skills} skills would be lost.*shrink"
        ):
            story.build()
        assert story.files() == before
    assert story.build(allow_shrink=True).skills == skills - lost


def test_the_refusal_names_what_would_go(tmp_path: Path) -> None:
    """Ten ids and how many more, also for a plan."""
    story = make_story(tmp_path / "hub", skills=80)
    story.build()
    remove(story, 12)
    named = ", ".join(f"skill-{number:02}" for number in range(10))
    for dry_run in (False, True):
        with pytest.raises(ShrinkRefused, match=f": {named} and 2 more; if that is intentional"):
            story.build(dry_run=dry_run)
    remove_more = range(12, 50)
    for number in remove_more:
        story.hub.git("rm", "-q", "-r", f"skills/skill-{number:02}")
    story.hub.commit("remove")
    with pytest.raises(ShrinkRefused, match=f"only 30 of the previous index's 80 skills.*: {named} and 40 more"):
        story.build()


def test_a_publish_of_a_hub_that_lost_15_percent_makes_no_commit(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit 3 in one line, the branch stays; with --allow-shrink it moves."""
    story = make_story(tmp_path / "hub", skills=40)
    assert main(["publish", str(story.hub.root)]) == 0
    remove(story, 6)
    head = story.hub.git("rev-parse", "HEAD")
    capsys.readouterr()
    assert main(["publish", str(story.hub.root)]) == 3
    said = capsys.readouterr().err.strip()
    assert "6 of the previous index's 40 skills would be lost: skill-00" in said
    assert "\n" not in said
    assert story.hub.git("rev-parse", "HEAD") == head
    assert main(["publish", str(story.hub.root), "--allow-shrink"]) == 0


@pytest.mark.parametrize(("max_loss", "is_refused"), [("0", True), ("0.1", True), ("0.2", False), ("1", False)])
def test_a_hub_may_move_the_second_limit(tmp_path: Path, max_loss: str, is_refused: bool) -> None:
    """hub-index.toml says how much of a hub may go; the other limit stays."""
    story = make_story(tmp_path / "hub", skills=40)
    story.hub.write("hub-index.toml", f"max_loss = {max_loss}\n")
    story.hub.commit()
    story.build()
    remove(story, 6)
    if is_refused:
        with pytest.raises(ShrinkRefused, match="6 of"):
            story.build()
    else:
        story.build()
        for number in range(6, 30):
            story.hub.git("rm", "-q", "-r", f"skills/skill-{number:02}")
        story.hub.commit()
        with pytest.raises(ShrinkRefused, match="only 10 of"):
            story.build()


def test_skills_that_moved_are_not_lost(tmp_path: Path) -> None:
    """Ten skills get another folder and keep their texts; copies of a text that stays may go."""
    story = make_story(tmp_path / "hub", skills=20)
    for number in range(20):
        story.hub.skill(f"copies/{number}", "The same.", name="copy")
    story.hub.commit()
    story.build()
    for number in range(10):
        story.hub.git("mv", f"skills/skill-{number:02}", f"skills/moved-{number:02}")
    story.hub.git("rm", "-q", "-r", *(f"skills/copies/{number}" for number in range(1, 15)))
    story.hub.commit("move")
    assert len(story.build().removed) == 24


def test_a_new_skills_folder_that_hides_the_others_is_named(tmp_path: Path) -> None:
    """The message says why they would go, and the line that brings them back works."""
    story = make_story(tmp_path / "hub", skills=0)
    for number in range(20):
        root = "packs" if number % 2 else "more"
        story.hub.write(f"{root}/s{number:02}/SKILL.md", f"---\nname: s{number:02}\ndescription: Does {number}.\n---\n")
    story.hub.commit()
    story.build()
    story.hub.skills(15)
    story.hub.commit()
    line = 'roots = ["skills", "more", "packs"]'
    with pytest.raises(ShrinkRefused) as refusal:
        story.build()
    said = str(refusal.value)
    assert "a skills/ folder now hides 20 of them" in said
    assert f"`{line}` in hub-index.toml" in said
    story.hub.write("hub-index.toml", line + "\n")
    story.hub.commit()
    assert story.build().skills == 35


def test_a_first_build_a_new_model_and_changed_texts_pass(tmp_path: Path) -> None:
    """None of them takes an id away."""
    story = make_story(tmp_path / "hub", skills=12)
    assert story.build().changed
    for number in range(12):
        story.hub.skill(f"skill-{number:02}", f"Something else, {number}.")
    story.hub.commit()
    assert story.build().changed
