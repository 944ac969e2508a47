"""The lexical cache under ten processes and kills at any moment: whole entries or none."""

import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

_CHILD = """
import random, sys
from hub_index.record import Record
from hub_index.search.lexical.build import LexicalDocument
from hub_index.search.lexical.cache.lexical_cache import open_lexical
from hub_index.search.lexical.cache.documents import source_of
import tantivy

def documents(state):
    for number in range(600):
        body = f"word{number % 50} common state{state if number in (7, 300) else 0} " * 20
        yield LexicalDocument(Record(f"{number:04}", "s", f"name {number}", "text"), body)

state = int(sys.argv[2])
index = open_lexical(sys.argv[1], f"state-{state}", lambda: source_of(documents(state)))
query = tantivy.Query.boolean_query(
    [(tantivy.Occur.Should, clause) for clause in index.weigh_terms({f"state{state}": 1.0}).clauses]
)
print(index.count, [hit.row for hit in index.search(query, 5)])
"""


def start(cache: Path, state: int) -> "subprocess.Popen[str]":
    """A process that opens the index of a state and asks it for what only this state holds."""
    command = [sys.executable, "-c", _CHILD, str(cache), str(state)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.mark.soak
def test_ten_processes_and_kills_never_give_a_wrong_answer(tmp_path: Path) -> None:
    """Each round ten processes open some states, and half of them are killed; whoever lives answers right."""
    chance = random.Random(3)
    for _ in range(12):
        children = [(state, start(tmp_path, state)) for state in (chance.randrange(1, 6) for _ in range(10))]
        time.sleep(chance.random() * 0.6)
        for _, child in children[::2]:
            child.kill()
        for _, child in children:
            output, errors = child.communicate()
            assert output in ("", "600 [7, 300]\n"), errors
            assert output or child.returncode != 0
        assert all(child.returncode == 0 for _, child in children[1::2])
    for state in range(1, 6):
        output, errors = start(tmp_path, state).communicate()
        assert output == "600 [7, 300]\n", errors
