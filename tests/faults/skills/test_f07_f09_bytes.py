"""F07, F08, F09: how the bytes are written does not change what they say, and what cannot be read is told."""

import codecs
import itertools
import random
import unicodedata

import pytest
from support.hubs.skill_reader import parse_text, problem_codes, read_skill, skill_md, text_hash

PLAIN = "---\nname: tidy-logs\ndescription: |\n  Sorts old files.\n  By month.\ntags: logs, tidy\n---\nText."


@pytest.mark.parametrize(
    ("mark", "line_end", "final"), list(itertools.product(["", "\ufeff"], ["\n", "\r\n", "\r"], ["", "\n"]))
)
def test_f07_one_hash_for_every_spelling_of_lines(mark: str, line_end: str, final: str) -> None:
    """BOM or none, three line ends, with and without a final newline: the text_hash is that of the plain form."""
    assert text_hash((mark + (PLAIN + final).replace("\n", line_end)).encode()) == text_hash(PLAIN)


@pytest.mark.parametrize("mark", [codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE])
def test_f08_what_is_not_text_in_utf_16_either_is_an_error(mark: bytes) -> None:
    """A mark of two bytes does not make a picture a skill: almost any bytes are letters then, but not only letters."""
    noise = random.Random(8)
    for size in (200, 5_000):
        parsed = parse_text(mark + noise.randbytes(size))
        assert parsed.skill is None
        assert [(problem.level, problem.code) for problem in parsed.problems] == [("error", "unreadable")]


@pytest.mark.parametrize(
    "text",
    [
        "短",
        "整理笔记，再写摘要。" * 9,
        "メモを整理する。" * 9,
        "메모를 정리합니다. " * 9,
        "Icons \ue0b0 in a prompt line",
    ],
)
def test_f08_any_script_in_utf_16_is_text(text: str) -> None:
    """What looks like noise byte by byte is a text; a few icons of a font do no harm, nor a last byte that is lost."""
    for cut in (None, -1):
        assert read_skill(f"\ufeff---\nname: x\ndescription: {text}\n---\n".encode("utf-16-le")[:cut]).name == "x"
        assert read_skill(f"\ufeff# Title\n\n{text}\n".encode("utf-16-be")[:cut]).description


def test_f08_utf_16_is_read_in_both_orders() -> None:
    """The byte order mark decides."""
    for encoding in ("utf-16-le", "utf-16-be"):
        content = f"\ufeff{PLAIN}".encode(encoding)
        assert text_hash(content) == text_hash(PLAIN)
        assert problem_codes(content) == ["utf-16"]
    assert read_skill("\ufeff---\nname: 整理\n---\n正文".encode("utf-16-be")).name == "整理"


def test_f08_the_byte_offset_of_what_is_not_utf_8_is_reported() -> None:
    """The first broken byte is named with its offset, its value and its line."""
    content = skill_md("name: a", "description: 整理 X files.").encode().replace(b"X", b"\xff\xfe")
    (problem,) = parse_text(content).problems
    assert (problem.code, problem.line, problem.level) == ("not-utf-8", 3, "warning")
    assert f"byte {content.index(0xFF)} (0xff)" in problem.reason
    assert read_skill(content).description == "整理 \ufffd\ufffd files."


def test_f08_gb_18030_is_recognised() -> None:
    """A Chinese legacy file keeps its characters, and the report names the encoding."""
    content = skill_md("name: a", "description: 整理旧的日志文件，按月份", body="").encode("gb18030")
    (problem,) = parse_text(content).problems
    assert read_skill(content).description == "整理旧的日志文件，按月份"
    assert "it was read as GB 18030" in problem.reason


@pytest.mark.parametrize("lost", [b"", b"\xd4"])
def test_f08_a_broken_chinese_file_is_not_taken_for_gb_18030(lost: bytes) -> None:
    """A pair of bytes of which one is lost, or of which both are no character, is reported and not guessed."""
    content = skill_md("name: a", "description: 整理旧的日志文件，按月份").encode("gb18030")
    broken = content.replace("月".encode("gb18030"), lost or b"\xff\xff", 1)
    (problem,) = parse_text(broken).problems
    assert "each broken byte was replaced" in problem.reason


@pytest.mark.parametrize("encoding", ["cp1252", "cp1250", "shift-jis", "utf-16-le", "utf-16-be", "utf-32"])
@pytest.mark.parametrize("front", ["---\nname: a\ndescription: Café, カフェ.\n---\n", ""])
def test_f08_any_other_encoding_is_reported_with_what_to_do(encoding: str, front: str) -> None:
    """UTF-16 without a mark, too: the file and its line are named, and the author is told to save it as UTF-8."""
    content = f"{front}# Café\n\nServes coffee. コーヒー\n".encode(encoding, "ignore")
    problems = parse_text(content).problems
    assert any("as UTF-8" in problem.fix for problem in problems)
    if front and encoding != "utf-32":  # its fences are no lines in any other encoding
        assert read_skill(content).name == "a"


def test_f08_nul_characters_are_removed_and_reported() -> None:
    """A description with NULs in it keeps its words."""
    content = skill_md("name: a", "description: Sorts\0\0 files.")
    assert read_skill(content).description == "Sorts files."
    assert problem_codes(content) == ["nul"]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b" \n\t\n",
        b"\0" * 100,
        bytes(range(128, 256)) * 20,
        b"\xff\xfe",
        b"\xef\xbb\xbf",
        b"---\n---\n",
        b"```\n```\n",
    ],
    ids=["empty", "blank", "nul", "binary", "only a mark", "only a BOM", "only fences", "only code fences"],
)
def test_f08_where_no_text_is_left_there_is_one_error_and_no_skill(content: bytes) -> None:
    """Nothing readable is not indexed, and says so once."""
    parsed = parse_text(content)
    assert parsed.skill is None
    assert [problem.level for problem in parsed.problems] == ["error"]


def test_f09_composed_and_decomposed_spellings_are_one_text() -> None:
    """NFC and NFD of name, description and keywords give the same hash and the same record."""
    text = skill_md("name: café-über", "description: Ångström für Élan, 한국어", "tags: naïve")
    composed, decomposed = (unicodedata.normalize(form, text) for form in ("NFC", "NFD"))
    assert composed != decomposed
    assert text_hash(composed) == text_hash(decomposed)
    assert read_skill(decomposed).keywords == ("naïve",)
    assert unicodedata.is_normalized("NFC", read_skill(decomposed).description)
