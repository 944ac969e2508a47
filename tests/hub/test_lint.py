"""The specification's rules, and copies within a hub."""

import time
from dataclasses import replace

import pytest
from support.hubs.skill_reader import read_skill, skill_file, skill_md

from hub_index.hub.lint import check_copies, check_specification
from hub_index.hub.skill.skill import WrittenLines
from hub_index.models import Problem, Skill, SkillFile

GOOD = skill_md(
    "name: tidy-logs",
    "description: Sorts old log files into folders by month. Use when a disk is full.",
    body="Read the folder, group the files by month, move each group, and say what was moved and where it is now.",
)

WRITTEN = WrittenLines(name=2, description=3, body=5)


def advice(skill: Skill, file: SkillFile | None = None) -> dict[str, Problem]:
    return {problem.code: problem for problem in check_specification(file or skill_file(), skill, WRITTEN)}


def test_a_skill_within_the_specification_gets_no_advice() -> None:
    """Name in kebab case and equal to the folder, description of good length, a body: nothing to say."""
    assert advice(read_skill(GOOD)) == {}


def test_another_spelling_of_the_file_s_name_is_indexed_with_the_advice_to_rename_it() -> None:
    """skill.md counts for us, but not for every agent."""
    file = replace(skill_file(), file="skills/tidy-logs/skill.md")
    assert advice(read_skill(GOOD), file)["file-name"].fix == "rename the file to SKILL.md"


@pytest.mark.parametrize(
    "name", ["Tidy Logs", "tidy_logs", "tidy--logs", "-tidy", "tidy-", "整理", "tidy.logs", "TIDY"]
)
def test_a_name_outside_a_z_0_9_and_single_hyphens(name: str) -> None:
    """The advice names what to write: the folder, which is allowed."""
    found = advice(replace(read_skill(GOOD), name=name))
    assert found["name-not-kebab"].fix == "write `name: tidy-logs`"
    assert found["name-not-kebab"].level == "advice"


def test_both_sides_of_the_specification_s_lengths() -> None:
    """64 and 1,024 characters pass, one more does not."""
    skill = read_skill(GOOD)
    file = skill_file("a" * 64)
    assert advice(replace(skill, name="a" * 64, description="do it! " * 146 + "d!"), file) == {}
    assert set(advice(replace(skill, name="a" * 65, description="do it! " * 146 + "do!"), skill_file("a" * 65))) == {
        "name-too-long",
        "description-too-long",
    }


def test_a_name_that_cannot_be_kept_is_still_answered() -> None:
    """Where neither name nor folder has a letter to keep, the advice still gives a valid name."""
    found = advice(replace(read_skill(GOOD), name="整理日志"), skill_file("日志"))
    assert found["name-not-kebab"].fix == "write `name: a-short-name` and rename the folder to `a-short-name`"


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"description": "Sorts logs."}, "description-short"),
        ({"description": "Sorts files older than <days> days into folders."}, "description-angle-brackets"),
        ({"body": ""}, "body-empty"),
        ({"body": "Sort them."}, "body-short"),
    ],
)
def test_what_is_allowed_but_unwise(change: dict[str, str], code: str) -> None:
    """Short descriptions, markup in them and missing instructions are pointed out."""
    assert set(advice(replace(read_skill(GOOD), **change))) == {code}  # type: ignore[arg-type]


def test_a_large_file_is_pointed_out() -> None:
    """Over 100 kB an agent loads too much."""
    assert set(advice(read_skill(GOOD), skill_file(size=100_001))) == {"file-large"}
    assert advice(read_skill(GOOD), skill_file(size=100_000)) == {}


def test_documents_may_be_named_as_they_like() -> None:
    """The rules of names are those of skills, not of workflows and commands."""
    skill = replace(read_skill(GOOD), name="My Workflow")
    assert advice(skill, skill_file("workflows:w1", kind="document")) == {}


def test_the_root_skill_has_no_folder_to_be_equal_to() -> None:
    """A SKILL.md at the hub's root may have any valid name."""
    root = SkillFile("root", ".", "SKILL.md", "skill", "0" * 40, 100)
    assert advice(read_skill(GOOD), root) == {}


def test_copies_stay_linear() -> None:
    """25,000 skills of which 15,000 are copies give 14,999 problems in well under a second or two."""
    skill = read_skill(GOOD)
    described = [
        (skill_file(f"s{n}"), replace(skill, id=f"s{n}", description="Same." if n < 15_000 else f"Unlike {n}."), 3)
        for n in range(25_000)
    ]
    started = time.process_time()
    problems = check_copies(described)
    assert len(problems) == 14_999
    assert time.process_time() - started < 2


def test_one_word_is_not_called_words() -> None:
    """Counts are written as people write them."""
    skill = read_skill(GOOD)
    assert advice(replace(skill, body="x"))["body-short"].reason == "the body is only 1 word long"
    assert advice(replace(skill, body="x y"))["body-short"].reason == "the body is only 2 words long"
    assert advice(replace(skill, description="x"))["description-short"].reason == "the description is only 1 word long"


@pytest.mark.parametrize(
    "description",
    [
        "Sorts logs by month",
        "按月份整理旧日志",
        "查看天气 and more",
        "ログを月ごとに整理する",
        "로그 파일을 정리합니다",
        "จัดเรียงไฟล์บันทึก",
        "Сортирует старые журналы здесь",
    ],
)
def test_a_sentence_of_any_script_is_not_short(description: str) -> None:
    """Words are counted, and ideographs or letters where a script is written without spaces."""
    assert advice(replace(read_skill(GOOD), description=description)) == {}


@pytest.mark.parametrize(
    "description", ["Sorts old logfiles", "整理旧日志", "天气", "ログ整理", "정리", "เรียงไฟล์", "- ! -"]
)
def test_a_few_words_of_any_script_are_short(description: str) -> None:
    """What hardly says more than the name does is pointed out."""
    assert set(advice(replace(read_skill(GOOD), description=description))) == {"description-short"}


@pytest.mark.parametrize(
    ("name", "folder", "fix"),
    [
        ("Tidy Logs", "tidy-logs", "write `name: tidy-logs`"),
        ("Something Else", "tidy-logs", "write `name: tidy-logs`"),
        ("x" * 65, "tidy-logs", "write `name: tidy-logs`"),
        ("X" * 65, "tidy-logs", "write `name: tidy-logs`"),
        ("tidy-logs", "Tidy Logs", "rename the folder to `tidy-logs`"),
        ("Tidy Logs", "Tidy Logs", "write `name: tidy-logs` and rename the folder to `tidy-logs`"),
        ("Tidy", "2024", 'write `name: "2024"`'),
        ("Tidy", "null", 'write `name: "null"`'),
    ],
)
def test_a_name_has_one_problem_and_its_fix_leaves_none(name: str, folder: str, fix: str) -> None:
    """Spelling, length and folder are mended by the same line, so that they are one problem."""
    (problem,) = advice(replace(read_skill(GOOD), name=name), skill_file(folder)).values()
    assert problem.fix == fix


def test_advice_stands_on_the_line_it_is_about() -> None:
    """Name, description and body have their own lines; the file as a whole has none."""
    skill = replace(read_skill(GOOD), name="Tidy", description="Sorts <logs>.", body="")
    found = check_specification(skill_file(size=100_001), skill, WRITTEN)
    assert [(problem.line, problem.code) for problem in found] == [
        (0, "file-large"),
        (2, "name-not-kebab"),
        (3, "description-short"),
        (3, "description-angle-brackets"),
        (5, "body-empty"),
    ]
