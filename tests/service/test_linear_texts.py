"""What a skill's text can make long takes time in proportion to it: a text four times as long, about four times."""

from collections.abc import Callable
from time import thread_time
from typing import Any

import pytest

from hub_index.base.characters import clean_line, escape_hidden, has_forbidden, nfc, quote_line
from hub_index.cli.terminal import cut_to_width, format_table, printable, wrap_to_width
from hub_index.hub.skill.language import detect_language
from hub_index.hub.skill.name_description import find_prose
from hub_index.hub.skill.scalars import unquote
from hub_index.hub.skill.skill import parse_skill
from hub_index.models import SkillFile
from hub_index.search.answer.explain import make_snippet
from hub_index.search.words.tokens import tokenize
from hub_index.serve.mcp.texts import list_headings, write_text
from hub_index.service.answers import SkillText
from hub_index.service.budget import estimate_tokens
from hub_index.service.reading.passages import find_headings, split_passages
from hub_index.service.reading.read_skill import shorten_text
from hub_index.service.reading.skill_files import body_line, split_lines
from hub_index.service.requests import Deadline

CHARS = 8_000
TIMES = 4
MOST = 10.0  # times as long for four times the text: 16 is quadratic
LEAST_S = 0.01  # what is shorter says nothing: the machine does other things as well
FILE = SkillFile("a", "skills/a", "skills/a/SKILL.md", "skill", "0" * 40, 10)
LINES = ["# h\n", "```\n", "~~~\n", "---\n", "\n---x", "- a\n", "a: b\n", '"a\n', "\n\n# ", "<!--", "[a](", "\\ud83d"]
SIGNS = ["~", "`", "#", "-", "*", " ", "\n", "[", "(", '"', "'", "<", "a", "\t ", "中", "a ", "a.", "\u202e", "\u200d"]
MARKS = ["\u0301\u0327", "e\u0301", "\u1100\u1161"]  # marks that a normal form puts in order, and letters that join


def answer_of(text: str) -> SkillText:
    """A whole text as `read` answers it."""
    lines = split_lines(text)
    names: dict[str, Any] = dict.fromkeys(("hub", "id", "uri", "name", "description", "path", "file"), "a")
    headings = find_headings(lines)
    return SkillText(**names, text=text, start=1, end=len(lines), total_lines=len(lines), headings=headings)


def parse(text: str, around: str) -> None:
    parse_skill(FILE, around.format(text).encode("utf-8", "replace"))


FUNCTIONS: dict[str, Callable[[str], object]] = {
    "a read text": lambda text: write_text(answer_of(text), None, 24),
    "headings": lambda text: list_headings(answer_of(text), 24),
    "passages": lambda text: split_passages(split_lines(text)),
    "a budget": lambda text: shorten_text(answer_of(text), len(text) // 2, Deadline()),
    "a small budget": lambda text: shorten_text(answer_of(text), 50, Deadline()),
    "tokens": estimate_tokens,
    "a body's beginning": lambda text: body_line(f"---\nname: a\n{text}", split_lines(text)),
    "a snippet": lambda text: make_snippet({"body": text, "description": text}, {"a"}),
    "words": tokenize,
    "a clean line": clean_line,
    "a quotation": quote_line,
    "JSON": escape_hidden,
    "forbidden signs": has_forbidden,
    "a normal form": nfc,
    "prose": find_prose,
    "a scalar": lambda text: unquote(f'"{text}'),
    "a language": lambda text: detect_language(text, text),
    "a body": lambda text: parse(text, "---\nname: a\n---\n{}"),
    "an open block": lambda text: parse(text, "---\nname: a\nx: {}"),
    "a description": lambda text: parse(text, "---\nname: a\ndescription: >-\n  {}\n---\n"),
    "keywords": lambda text: parse(text, "---\nname: a\nkeywords: {}\n---\n"),
    "printed lines": lambda text: wrap_to_width(text, 80),
    "a printed line": lambda text: cut_to_width(printable(text), 80),
    "a table": lambda text: format_table(["a", "b"], [[text, text]], 100),
}


def seconds(function: Callable[[str], object], text: str) -> float:
    start = thread_time()
    function(text)
    return thread_time() - start


@pytest.mark.parametrize("name", FUNCTIONS)
def test_time_grows_with_the_text(name: str) -> None:
    """Runs of a sign, lines that open something, marks without end: none costs more than its length."""
    function = FUNCTIONS[name]
    for unit in (*SIGNS, *LINES, *MARKS):
        short, long = (unit * (chars // len(unit)) for chars in (CHARS, TIMES * CHARS))
        ratios = (seconds(function, long) / max(LEAST_S, seconds(function, short)) for _ in range(3))
        assert any(ratio < MOST for ratio in ratios), unit
