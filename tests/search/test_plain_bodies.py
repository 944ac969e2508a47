"""The words of a body are the same, whether its file is made text first or not."""

import random
from pathlib import Path

import pytest

from hub_index.hub.skill.block_split import find_plain_body
from hub_index.limits import MAX_BODY_CHARS
from hub_index.record import Record
from hub_index.search.lexical.prepared import encode_record, tokenize_body
from hub_index.search.lexical.preparing import NO_BODY, body_of, record_task, run_task

_SKILLS = sorted((Path(__file__).parents[1] / "skills").glob("*/*"))
_PIECES = (
    b"---\n", b"---", b"--- \t\n", b"----\n", b"\n", b"\r\n", b"name: a\n", b"description: Sorts logs.\n", b"# Head\n",
    b" ", b"--- x\n", b"```\n", b"words and PowerPoint\n", "数据库\u3000备份 a\u00a0b\n".encode(), b"\x1b[31m\n", b"\0",
    "caf\u00e9 na\u200bive\n".encode(), b"\xe2A\x80\x94\n", b"\xff\xfe", "—".encode(), b"\xef\xbb\xbf",
    "e\u0301 \U0001f3f4\n".encode(),
)  # fmt: skip


def check(content: bytes, folder: Path) -> bool:
    """Fails where a file's words are not those of its text; whether it was one that need not be made text."""
    (folder / "SKILL.md").write_bytes(content)
    stored = encode_record(Record("id", "p", "name", "description"))
    outcome = run_task(record_task(stored, str(folder), "SKILL.md", NO_BODY, ""))
    assert outcome is not None
    assert outcome[1].rpartition(b"\x1f")[2] == b" ".join(tokenize_body(body_of(content))), content
    return find_plain_body(content) >= 0


@pytest.mark.parametrize("file", [path for path in _SKILLS if path.is_file()], ids=lambda path: path.parent.name)
def test_an_irregular_file_has_the_words_of_its_text(file: Path, tmp_path: Path) -> None:
    """Each way to be broken that the tests know."""
    check(file.read_bytes(), tmp_path)


def test_any_file_has_the_words_of_its_text(tmp_path: Path) -> None:
    """Fences, signs, encodings and hidden characters in any order, behind a proper beginning in half of the files."""
    chance = random.Random(3)
    plain = 0
    for number in range(3_000):
        head = b"---\nname: a\n---\n" if number % 2 else b""
        plain += check(head + b"".join(chance.choices(_PIECES, k=chance.randrange(12))), tmp_path)
    assert 1_000 < plain < 2_500


@pytest.mark.parametrize("filler", [b"a ", "é ".encode(), "数据".encode()])
@pytest.mark.parametrize("more", [-1, 0, 1, 5_000])
def test_a_long_file_has_the_words_of_its_text(tmp_path: Path, filler: bytes, more: int) -> None:
    """On both sides of the limit, in bytes and in characters."""
    for unit in (1, len(filler)):
        body = (filler * MAX_BODY_CHARS)[: unit * (MAX_BODY_CHARS + more)]
        assert check(b"---\nname: a\n---\n" + body, tmp_path)
