"""reader.mjs passes the conformance cases in Node, from folders and from a server's addresses."""

import functools
import json
import re
import subprocess
from collections.abc import Iterator
from hashlib import sha256
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from support.builds.conformance_cases import CONFORMANCE, Laid, conformance_cases, tiny_verdict
from support.builds.damaged_indexes import damaged_sets, write_raw
from support.pages.page_engine import needs_node

import hub_index
from hub_index import reader

pytestmark = needs_node

_READER = Path(hub_index.__file__).parent / "reader.mjs"
_RUNNER = Path(__file__).parent / "conformance_runner.mjs"


def _ask(**questions: Any) -> dict[str, Any]:
    done = subprocess.run(
        ["node", str(_RUNNER), str(_READER)], input=json.dumps(questions), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    answers: dict[str, Any] = json.loads(done.stdout)
    return answers


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's name
        """Says nothing."""


@pytest.fixture
def address(laid: list[Laid]) -> Iterator[str]:
    """Where a plain file server gives out the folders of all cases."""
    handler = functools.partial(_Quiet, directory=str(laid[0].folder.parent))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_every_verdict(laid: list[Laid]) -> None:
    """Of the records alone and of the whole index."""
    found = _ask(verdicts=[str(each.folder) for each in laid])["verdicts"]
    wrong = {
        each.case["name"]: verdicts
        for each, verdicts in zip(laid, found, strict=True)
        if verdicts != [each.case["records"], each.case["verdict"]]
    }
    assert wrong == {}


def test_every_verdict_by_address(laid: list[Laid], address: str) -> None:
    """The same from a server, but for what only a file system has: links and folders in the place of files."""
    served = [each for each in laid if not each.case["name"].endswith(("-link", "-folder"))]
    found = _ask(verdicts=[f"{address}/{each.folder.name}/" for each in served])["verdicts"]
    wrong = {
        each.case["name"]: verdicts
        for each, verdicts in zip(served, found, strict=True)
        if verdicts != [each.case["records"], each.case["verdict"]]
    }
    assert wrong == {}


def test_every_damaged_index_of_the_suite(tmp_path: Path) -> None:
    """The same verdicts as the tiny reader in Python, which are those of our own client."""
    sets = list(damaged_sets())
    folders = [write_raw(tmp_path / str(number), files) for number, (_, files) in enumerate(sets)]
    found = _ask(verdicts=[str(folder) for folder in folders])["verdicts"]
    for (name, _), folder, verdicts in zip(sets, folders, found, strict=True):
        assert tuple(verdicts) == tiny_verdict(reader, folder), name


def test_every_token_and_answer() -> None:
    """Tokens, ids, modes, reasons and hits are those of the cases; scores to a millionth."""
    cases = conformance_cases()
    keys = ("query", "vector", "model", "mode")
    asked = [
        {
            "place": str(CONFORMANCE / "indexes" / case["index"]),
            "questions": [{key: search[key] for key in keys if key in search} for search in case["searches"]],
        }
        for case in cases["indexes"]
    ]
    found = _ask(texts=[case["text"] for case in cases["tokens"]], searches=asked)
    assert found["tokens"] == [case["tokens"] for case in cases["tokens"]]
    for case, answered in zip(cases["indexes"], found["searches"], strict=True):
        assert answered["ids"] == case["ids"]
        for search, answer in zip(case["searches"], answered["answers"], strict=True):
            assert (answer["mode"], bool(answer["reason"])) == (search["answers"], search["reason"])
            assert [id_ for id_, _ in answer["hits"]] == [id_ for id_, _ in search["hits"]]
            scores = [score for _, score in search["hits"]]
            assert [score for _, score in answer["hits"]] == pytest.approx(scores, abs=1e-6)


def test_its_own_digest_is_that_of_every_other_program(laid: list[Laid]) -> None:
    """Where a browser has no SubtleCrypto, plain JavaScript hashes, and verdicts stay as they are."""
    texts = ["", "abc", "x" * 55, "x" * 56, "x" * 64, "数据库" * 1_000]
    some = [each for each in laid if each.case["name"].startswith(("file-", "manifest-space"))]
    found = _ask(digests=texts, verdicts=[str(each.folder) for each in some], hasSubtle=False)
    assert found["digests"] == [sha256(text.encode()).hexdigest() for text in texts]
    assert [verdicts[1] for verdicts in found["verdicts"]] == [each.case["verdict"] for each in some]
    assert {"good", "corrupt"} <= {each.case["verdict"] for each in some}


@pytest.mark.parametrize(
    ("question", "first"),
    [("how do I analyze database perf?", "db-advisor"), ("我想制作一个ppt，哪些skill可用", "yanshi-wengao")],
)
def test_it_answers_alone(tmp_path: Path, question: str, first: str) -> None:
    """Copied into an empty folder, it is a program."""
    (tmp_path / "reader.mjs").write_bytes(_READER.read_bytes())
    index = _READER.parents[1] / "artifacts"
    done = subprocess.run(
        ["node", "reader.mjs", str(index), question], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split()[1] == first


def test_a_browser_can_load_it() -> None:
    """No module is imported at its top, and Node's own only where a folder is read."""
    source = _READER.read_text(encoding="utf-8")
    assert re.findall(r"^(?:import|export .* from)\b.*", source, re.MULTILINE) == []
    assert re.findall(r'"node:[a-z/]+"', source) == ['"node:fs/promises"']
