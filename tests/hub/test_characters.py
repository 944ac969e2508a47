"""What is hidden goes, what is written stays."""

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hub_index.base.characters import (
    clean_line,
    clean_text,
    has_forbidden,
    is_hidden,
    is_plain,
    is_plain_utf8,
    short_line,
)

KEPT = [
    "plain ASCII",
    "café, Ångström, naïve",
    "中文，日本語、한국어",
    "full-width\u3000space and no-break\u00a0space",
    "👩\u200d💻 codes",
    "👩🏽\u200d🤝\u200d👨🏿 together",
    "🏳\ufe0f\u200d🌈 and ❤\ufe0f and 1\ufe0f\u20e3",
    "🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f is Scotland",
    "می\u200cخواهم",  # Persian needs the non-joiner
    "क्\u200dष",  # and Hindi the joiner
    "葛\U000e0100城",  # a variant of an ideograph
    "two\nlines",
]
REMOVED = [
    ("a\u200bb", "ab"),
    ("a\ufeffb", "ab"),
    ("a\u2060b\u00adc", "abc"),
    ("x\u202eevil\u202c", "xevil"),
    ("x\u2066y\u2069", "xy"),
    ("click\U000e0049\U000e0047", "click"),
    ("🏴\U000e0078\U000e0079\U000e007f", "🏴"),
    ("a\u200db", "ab"),
    ("中\u200d文", "中文"),
    ("👩\u200d\u200d💻", "👩\u200d💻"),
    ("😀\ufe00\ufe01\ufe02", "😀\ufe00"),
    ("😀\U000e0100\U000e0101", "😀"),
    (" \ufe0f", " "),
    ("\x1b]52;c;eA==\x07", "]52;c;eA=="),
    ("\x1b[31mred\x9b0m", "[31mred0m"),
    ("nul\0 del\x7f", "nul del"),
    ("tab\there\rthere\u2028yonder\x85", "tab here there yonder "),
    ("\ud83d half", "\ufffd half"),
    ("\ufffe\uffff\U0001ffff", ""),
]


@pytest.mark.parametrize("text", KEPT)
def test_writing_and_emoji_pass(text: str) -> None:
    """CJK, accents, emoji with their joiners, and scripts that need joiners stay as they are."""
    assert clean_text(text).text == text
    assert clean_text(text).removed == ()


@pytest.mark.parametrize(("text", "expected"), REMOVED)
def test_what_is_hidden_is_removed(text: str, expected: str) -> None:
    """Controls, zero width, bidi, tag characters and smuggled selectors go; white space controls become spaces."""
    assert clean_text(text).text == expected


def test_removed_characters_are_told() -> None:
    """A report can name what was taken out, in order; replaced white space is not a loss."""
    assert clean_text("a\u200b\tb\u202e").removed == ("\u200b", "\u202e")


def test_keep_decides_which_controls_stay() -> None:
    """A body keeps tabs, a name not even newlines."""
    assert clean_text("a\tb\nc", keep="\n\t").text == "a\tb\nc"
    assert clean_text("a\tb\nc", keep="").text == "a b c"
    assert clean_line("  a \n\n b\u200b ") == "a b"


def test_a_short_line_is_clean_and_within_its_length() -> None:
    """What a message quotes of an outsider is one line; what is cut off is shown by an ellipsis."""
    assert short_line("a\n\x1b[31mb \u200b") == "a [31mb"
    assert short_line("x" * 60) == "x" * 60
    assert short_line("word " * 60, 10) == "word word…"


@given(st.text())
def test_cleaning_twice_changes_nothing(text: str) -> None:
    """Cleaning is idempotent and never leaves a control."""
    once = clean_text(text).text
    assert clean_text(once).text == once
    assert not any((char < " " or "\x7f" <= char < "\xa0") and char != "\n" for char in once)


@given(st.text(st.characters(codec="utf-8")))
def test_the_quick_looks_never_pass_what_cleaning_would_remove(text: str) -> None:
    """Text that a quick look calls plain has nothing hidden but, at most, the selector of emoji."""
    if is_plain(text):
        assert not any(map(is_hidden, text))
    if is_plain_utf8(text.encode()):
        assert not any(is_hidden(char) and char not in "\t\n\r\ufe0f" for char in text)


def test_the_printer_can_afford_it() -> None:
    """Importing it loads its own packages and the table of characters, which every search loads."""
    script = (
        "import sys; had = set(sys.modules); import hub_index.base.characters; print(*sorted({*sys.modules} - had))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == [
        "hub_index",
        "hub_index.base",
        "hub_index.base.characters",
        "unicodedata",
    ]


def test_a_flag_around_another_flag_hides_no_tag_characters() -> None:
    """Tags that a flag is taken out of are no flag: they are refused, as the schema refuses them."""
    england, scotland = ("".join(chr(0xE0000 + ord(c)) for c in area) + "\U000e007f" for area in ("gbeng", "gbsct"))
    flag = "\U0001f3f4"
    assert not has_forbidden(flag + england + flag + scotland)
    assert has_forbidden(flag + flag + england + scotland)
