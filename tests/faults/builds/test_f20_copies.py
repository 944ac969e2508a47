"""F20 (the hub's side): stuffing is capped, and copies of another description are reported."""

from support.hubs.skill_reader import problem_codes, read_skill, skill_file, skill_md

from hub_index.hub.lint import check_copies
from hub_index.limits import MAX_DESCRIPTION_CHARS, MAX_KEYWORDS_CHARS
from hub_index.record import Record


def test_f20_a_stuffed_skill_is_cut_to_the_caps_and_reported() -> None:
    """Neither description nor keywords grow beyond their caps, whatever is written."""
    content = skill_md(
        "name: seo", "description: " + "best tool " * 2_000, "tags: [" + "best tool, " * 3 + "x" * 9_000 + "]"
    )
    skill = read_skill(content)
    assert len(skill.description) <= MAX_DESCRIPTION_CHARS
    assert sum(map(len, skill.keywords)) <= MAX_KEYWORDS_CHARS
    assert {"description-cut", "keywords-too-long"} <= set(problem_codes(content))


def test_f20_a_repeated_keyword_counts_once() -> None:
    """Saying it a thousand times adds nothing."""
    assert read_skill(skill_md("name: a", "description: b", "tags: " + "best, " * 300)).keywords == ("best",)


def test_f20_each_copy_names_the_first_that_had_the_description() -> None:
    """Case and white space do not hide a copy; the original itself is not reported; records serve as well as skills."""
    texts = {"a": "Sorts old files.", "b": "sorts  OLD files.", "c": "Something else.", "d": "Sorts old files."}
    described = [(skill_file(key), Record(key, f"skills/{key}", key, text, "", ""), 3) for key, text in texts.items()]
    problems = check_copies(described)
    assert [(problem.path, problem.level, problem.code) for problem in problems] == [
        ("skills/b/SKILL.md", "advice", "description-copied"),
        ("skills/d/SKILL.md", "advice", "description-copied"),
    ]
    assert all("`a`" in problem.reason for problem in problems)
