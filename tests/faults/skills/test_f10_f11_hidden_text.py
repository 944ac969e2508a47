"""F10 and F11: what is hidden in a file reaches no record, however it was written."""

import pytest
from support.hubs.skill_reader import problem_codes, read_skill, skill_md

from hub_index.base.characters import is_hidden

HIDDEN = ["\u200b", "\u202e", "\u2066", "\U000e0041", "\ufeff", "\x1b", "\x07", "\x9b", "\x7f", "\0", "\u2060", "\xad"]


@pytest.mark.parametrize("char", HIDDEN, ids=lambda char: f"U+{ord(char):04X}")
def test_f10_raw_hidden_characters_are_removed_and_reported(char: str) -> None:
    """In name, description, keywords and body alike, with one report."""
    content = skill_md(
        f"name: ti{char}dy", f"description: So{char}rts files.", f"tags: [lo{char}gs]", body=f"Te{char}xt."
    )
    skill = read_skill(content)
    assert (skill.name, skill.description, skill.keywords, skill.body) == ("tidy", "Sorts files.", ("logs",), "Text.")
    assert len(problem_codes(content)) == 1


@pytest.mark.parametrize(
    "escape", [r"\x1b", r"\e", r"\u202e", r"\U000E0041", r"\x9b", r"\0", r"\u200b", r"\a", r"\x7f"]
)
def test_f11_escapes_bring_nothing_back(escape: str) -> None:
    """A control that only appears after YAML's unescaping is removed and reported on its line."""
    content = skill_md(f'name: "ti{escape}dy"', f'description: "So{escape}rts files."', f'tags: ["lo{escape}gs"]')
    skill = read_skill(content)
    assert (skill.name, skill.description, skill.keywords) == ("tidy", "Sorts files.", ("logs",))
    assert len(problem_codes(content)) == 2


@pytest.mark.parametrize(
    "attack",
    [
        r"\e]52;c;ZXZpbA==\a",
        r"\e]8;;http://example.invalid\e\\click\e]8;;\e\\",
        r"\e[2J\e[1;1H",
        r"\x9b31m",
        r"\x90q\x9c",
    ],
)
def test_f11_terminal_escapes_leave_no_control_in_a_record(attack: str) -> None:
    """Clipboard, hyperlink, cursor and C1 sequences lose the bytes that make them work."""
    skill = read_skill(skill_md(f'name: "n{attack}"', f'description: "d {attack}"', f'keywords: "k {attack}"'))
    for text in (skill.name, skill.description, skill.text_keywords, *skill.keywords):
        assert not any(is_hidden(char) for char in text)


def test_f11_a_description_keeps_its_lines_and_a_name_has_one() -> None:
    """Newlines stay in descriptions only; tabs become spaces."""
    skill = read_skill(skill_md('name: "a\\nb\\tc"', 'description: "one\\ntwo\\tthree"'))
    assert (skill.name, skill.description) == ("a b c", "one\ntwo three")


def test_f10_writing_and_emoji_pass_unreported() -> None:
    """CJK, accents, emoji with joiners and flags are kept."""
    text = "整理日志 für café 👩\u200d💻 ❤\ufe0f 🏳\ufe0f\u200d🌈 می\u200cخواهم"
    content = skill_md("name: tidy", f"description: {text}", body=text)
    assert read_skill(content).description == text
    assert problem_codes(content) == []
