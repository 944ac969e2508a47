"""Properties that hold for every file, whoever wrote it."""

import json
import unicodedata

from hypothesis import given, settings
from hypothesis import strategies as st
from support.hubs.skill_reader import parse_text, read_skill, skill_file, skill_md

from hub_index.base.characters import clean_text, is_hidden
from hub_index.hub.lint import check_specification

_PIECES = st.sampled_from(
    ["---", "\n", "name", "description", ": ", ":", '"', "'", "\\", "- ", "[", "]", "{", "}", "&a", "*a", "!t", "|",
     ">", ">-", "#", " ", "\t", "tags", "keywords", "metadata", "\r\n", "\r", "\ufeff", "\0", "\x1b[31m", "\u200b",
     "\u200d", "👩", "💻", "中", "e\u0301", "\\ud83d", "\\x1b", "\\u202e", "```", "<!--", "-->", "...", "%", "@",
     "`", "x", "~", "**", ",", "\u2028", "\x85", "\U000e0041", "\ufe0f", "====", "名称："]
)  # fmt: skip
_TEXTS = st.lists(_PIECES, max_size=50).map("".join)
_FILES = st.one_of(
    st.binary(max_size=200),
    _TEXTS.map(str.encode),
    _TEXTS.map(lambda text: f"---\n{text}".encode()),
    _TEXTS.map(lambda text: f"---\nname: {text}\ndescription: {text[::-1]}\n---\nbody".encode()),
    _TEXTS.map(lambda text: text.encode("utf-16")),
    st.tuples(_TEXTS, st.binary(max_size=20)).map(lambda pair: pair[0].encode() + pair[1]),
)


def is_safe(text: str, keep: str = "") -> bool:
    return clean_text(text, keep=keep).text == text and unicodedata.is_normalized("NFC", text)


@settings(max_examples=250, deadline=None)
@given(_FILES)
def test_any_bytes_give_a_safe_skill_or_one_error(content: bytes) -> None:
    """No exception; a record never holds a control but the newline of a description; None comes with one error."""
    parsed = parse_text(content)
    if parsed.skill is None:
        assert [problem.level for problem in parsed.problems] == ["error"]
        return
    skill = parsed.skill
    assert skill.name == skill.name.strip() != ""
    assert skill.description == skill.description.strip() != ""
    assert is_safe(skill.name)
    assert is_safe(skill.description, "\n")
    assert is_safe(skill.text_keywords, "\n")
    assert all(word and is_safe(word) for word in skill.keywords)
    assert not any(char < " " and char not in "\n\t" for char in skill.body)


@settings(max_examples=150, deadline=None)
@given(_FILES)
def test_any_report_is_safe_to_print_and_points_into_the_file(content: bytes) -> None:
    """Reasons and fixes quote the author's text without what hides in it; lines exist."""
    parsed = parse_text(content)
    advice = check_specification(skill_file(), parsed.skill, parsed.lines) if parsed.skill else []
    for problem in [*parsed.problems, *advice]:
        assert 0 <= problem.line <= content.count(b"\n") + content.count(b"\r") + 2
        assert not any(is_hidden(char) and char not in "\u200c\u200d\ufe0f" for char in problem.reason + problem.fix)


@settings(max_examples=150, deadline=None)
@given(_FILES)
def test_reading_is_idempotent(content: bytes) -> None:
    """A file written from what was read is read as the same, without a repair."""
    skill = parse_text(content).skill
    if skill is None:
        return
    name, description = json.dumps(skill.name, ensure_ascii=False), json.dumps(skill.description, ensure_ascii=False)
    again = read_skill(skill_md(f"name: {name}", f"description: {description}"))
    assert (again.name, again.description) == (skill.name, skill.description)
    assert read_skill(content) == skill
