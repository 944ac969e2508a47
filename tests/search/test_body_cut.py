"""A long body is cut at the same character, whoever reads it: a build, the command line's index, a checkout's file."""

from pathlib import Path

import pytest
from support.hubs.skill_reader import read_skill, skill_file, skill_md

from hub_index.limits import MAX_BODY_CHARS
from hub_index.record import Record
from hub_index.search.lexical.prepared import encode_record
from hub_index.search.lexical.preparing import NO_BODY, body_of, file_task, record_task, run_task

_FIELDS = "name: tidy-logs", "description: Sorts old log files into folders."
_LAST = "lastword"


def long_skill(before: str) -> bytes:
    """A skill whose body, without the lines before it, has its last word that counts right before the limit."""
    filler = ("filler " * MAX_BODY_CHARS)[: MAX_BODY_CHARS - len(_LAST) - 1] + " "
    return skill_md(*_FIELDS, body=f"{before}{filler}{_LAST} beyond\n").encode()


@pytest.mark.parametrize("before", ["", "\n", "\n\n\n\n"])
def test_a_body_is_cut_where_a_build_cuts_it(before: str) -> None:
    """The line feeds before a body do not count among its characters."""
    content = long_skill(before)
    cut = body_of(content)
    assert cut == read_skill(content).body[:MAX_BODY_CHARS]
    assert cut.endswith(f" {_LAST}")


@pytest.mark.parametrize("before", ["", "\n\n\n\n"])
def test_a_record_and_a_file_without_one_have_the_same_tokens(tmp_path: Path, before: str) -> None:
    """Whether a skill is in the index already or only in the checkout, its words are the same."""
    content = long_skill(before)
    file, skill = skill_file(size=len(content)), read_skill(content)
    (tmp_path / file.file).parent.mkdir(parents=True)
    (tmp_path / file.file).write_bytes(content)
    record = Record(skill.id, skill.path, skill.name, skill.description, keywords=skill.keywords, lang=skill.lang)
    known = run_task(record_task(encode_record(record), str(tmp_path), file.file, NO_BODY, ""))
    alone = run_task(file_task(file, str(tmp_path), NO_BODY, ""))
    assert known is not None
    assert known == alone
    assert _LAST.encode() in known[1]
    assert b"beyond" not in known[1]
