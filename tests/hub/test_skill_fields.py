"""Name, description, keywords and language, from the many ways in which they are written."""

import pytest
from support.hubs.skill_reader import parse_text, problem_codes, read_skill, skill_file, skill_md

from hub_index.hub.skill.skill import parse_skill
from hub_index.hub.text import TEXT_VERSION, embedding_text
from hub_index.limits import MAX_DESCRIPTION_CHARS, MAX_KEYWORDS_CHARS, MAX_NAME_CHARS


def keywords(*fields: str) -> tuple[str, ...]:
    return read_skill(skill_md("name: tidy-logs", "description: Sorts log files.", *fields)).keywords


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        (["tags: [logs, tidy]"], ("logs", "tidy")),
        (["tags:", "  - logs", "  - tidy"], ("logs", "tidy")),
        (["tags: logs, tidy; month"], ("logs", "tidy", "month")),
        (["tags: 日志，整理、月份"], ("日志", "整理", "月份")),
        (["tags: log files"], ("log files",)),
        (["Keywords: logs"], ("logs",)),
        (["metadata:", "  tags: [logs]", "  keywords: tidy"], ("logs", "tidy")),
        (["metadata:", "  agent:", "    tags: [logs]"], ("logs",)),
        (['metadata: {"agent": {"tags": ["logs"]}}'], ("logs",)),
        (["category: files", "categories: [disks]"], ("files", "disks")),
        (["triggers:", "  words: [clean up, full disk]", "  threshold: 0.6"], ("clean up", "full disk")),
        (["triggers: clean|sort"], ("clean", "sort")),
        (["when_to_use: When the disk is full, or nearly so."], ("When the disk is full, or nearly so.",)),
        (["When-To-Use: When the disk is full."], ("When the disk is full.",)),
        (["tags: [Logs, logs, LOGS, tidy]"], ("Logs", "tidy")),
        (["tags: [2024, 1.10, no]"], ("2024", "1.10", "no")),
        (["tags: ~"], ()),
    ],
)
def test_keywords_come_from_every_place_and_spelling(fields: list[str], expected: tuple[str, ...]) -> None:
    """Tags, keywords, metadata, category, triggers and when-to-use all count, each word once, in order."""
    assert keywords(*fields) == expected


def test_keywords_survive_a_broken_value_elsewhere() -> None:
    """A colon in another field costs neither list, nor map, nor broken list; a map that is broken itself gives none."""
    assert keywords("license: see: below", "tags: [logs, tidy]", "metadata:", "  tags: [month]") == (
        "logs",
        "tidy",
        "month",
    )
    assert keywords("tags: [logs, tidy", "author: me") == ("logs", "tidy")
    assert keywords("metadata:", "  tags: [logs, tidy]", "  broken: a: b") == ()


def test_keywords_stop_at_their_cap() -> None:
    """A record's keywords stay within the cap, and the author hears of it."""
    content = skill_md("name: a", "description: b", "tags: [" + ", ".join(f"word{n:05}" for n in range(1000)) + "]")
    skill = read_skill(content)
    assert sum(map(len, skill.keywords)) <= MAX_KEYWORDS_CHARS
    assert len(skill.keywords) > 200
    assert "keywords-too-long" in problem_codes(content)


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        (["tags: logs, tidy"], "logs, tidy"),
        (["tags: [logs, tidy]"], ""),
        (["keywords: k1 k2", "tags: t1"], "k1 k2"),
        (["keywords: [k1]", "tags: t1"], "t1"),
        (["Tags: t1"], "t1"),
        (["metadata:", "  tags: t1"], ""),
    ],
)
def test_only_keywords_written_as_a_string_are_embedded(fields: list[str], expected: str) -> None:
    """The embedding text takes the author's string, as the Axon client does, and no list."""
    skill = read_skill(skill_md("name: a", "description: b", *fields))
    assert skill.text_keywords == expected
    assert embedding_text(skill).text == "name: a\ndescription: b" + (f"\nkeywords: {expected}" if expected else "")
    assert TEXT_VERSION == 1


def test_lower_case_keys_win_over_other_spellings() -> None:
    """`name` is taken though `Name` stands before it, and the pair is reported."""
    content = skill_md("Name: Loud", "name: quiet", "description: b")
    assert read_skill(content).name == "quiet"
    assert problem_codes(content) == ["duplicate-key"]


@pytest.mark.parametrize(
    ("key", "limit"), [("name", MAX_NAME_CHARS), ("description", MAX_DESCRIPTION_CHARS)], ids=["name", "description"]
)
def test_both_sides_of_a_length_cap(key: str, limit: int) -> None:
    """A value as long as its cap passes unchanged; one character more is cut and reported."""
    other = "description: b" if key == "name" else "name: a"
    fitting, longer = skill_md(f"{key}: {'x' * limit}", other), skill_md(f"{key}: {'x' * (limit + 1)}", other)
    assert getattr(read_skill(fitting), key) == getattr(read_skill(longer), key) == "x" * limit
    assert f"{key}-cut" not in problem_codes(fitting)
    assert f"{key}-cut" in problem_codes(longer)


def test_a_document_needs_no_frontmatter_and_is_named_by_its_id() -> None:
    """Workflows and commands without a name take their id, and no repair is reported."""
    parsed = parse_skill(skill_file("workflows:sub:W2", kind="document"), b"# Title\n\nhello\n")
    assert parsed.skill is not None
    assert (parsed.skill.name, parsed.skill.description, parsed.skill.path) == (
        "workflows:sub:W2",
        "hello",
        "workflows",
    )
    assert {problem.level for problem in parsed.problems} == {"advice"}
    described = parse_skill(skill_file("commands:c1", kind="document"), b"---\ndescription: Runs it.\n---\nGo.\n")
    assert described.problems == ()


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("# H\n\n> quote line\ntext\n", "> quote line"),
        ("<!-- note -->\n\n---\n***\nText here.\n", "Text here."),
        ("<!-- note\nstill a note -->\nText here.\n", "Text here."),
        ("```\ncode\n```\nText here.\n", "Text here."),
        ("- first point\n- second\n", "- first point"),
        ("Title\n-----\n\nText here.\n", "Text here."),
        ("# Only a heading #\n", "Only a heading"),
        ("```sh\nrun it\n```\n", "run it"),
    ],
)
def test_the_first_readable_line_stands_for_a_missing_description(body: str, expected: str) -> None:
    """Headings, rules, comments and code fences are passed over; a placeholder such as `---` never comes out."""
    assert read_skill(skill_md("name: a", body=body)).description == expected


def test_a_name_alone_is_enough() -> None:
    """A file with nothing but a name is indexed by it."""
    assert read_skill(skill_md("name: tidy-logs", body="")).description == "tidy-logs"


def test_the_body_is_the_text_after_the_frontmatter() -> None:
    """Rules in the body do not end it, and where the block is text between two rules it belongs to the body."""
    assert read_skill("---\nname: a\n---\nOne.\n\n---\n\nTwo.\n").body == "One.\n\n---\n\nTwo."
    assert "Just text." in read_skill("---\nJust text.\n---\nMore.\n").body


def test_problems_are_sorted_by_line_and_bounded() -> None:
    """A file of nothing but broken values has a report of bounded length."""
    problems = parse_text("---\n" + "a: b: c\n" * 5_000 + "---\nText.\n").problems
    assert 1 < len(problems) <= 100
    assert [problem.line for problem in problems] == sorted(problem.line for problem in problems)
