"""F07, F08, F09: how the bytes are written does not change what they say, and what cannot be read is told."""

import codecs
import itertools
import random
import unicodedata

import pytest
from support.skill_reader import parse_text, problem_codes, read_skill, skill_md, text_hash

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
    """A byte order mark decides, and without one the NUL bytes do."""
    for encoding in ("utf-16", "utf-16-le", "utf-16-be", "utf-32"):
        content = PLAIN.encode(encoding)
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


@pytest.mark.parametrize(
    ("encoding", "description"),
    [("cp1252", "Résumé – the café’s naïve façade"), ("gb18030", "整理旧的日志文件，按月份"), ("latin-1", "café")],
)
def test_f08_well_known_encodings_are_recognised(encoding: str, description: str) -> None:
    """Western and Chinese legacy files keep their letters."""
    assert (
        read_skill(skill_md("name: a", f"description: {description}", body="").encode(encoding)).description
        == description
    )


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
