"""`eval` and `bench`: labels of another hub, and files that are not there."""

from pathlib import Path

import pytest
from support.hubs.hub_maker import HubMaker
from support.processes.cli_runner import CommandOutcome, hub_index, hub_index_here


def run_eval(hub: HubMaker, qrels: str) -> CommandOutcome:
    """An evaluation of two queries with these labels."""
    queries, labels = hub.root.parent / "q.jsonl", hub.root.parent / "q.tsv"
    queries.write_text('{"qid": "1", "text": "slow queries"}\n{"qid": "2", "text": "slides"}\n')
    labels.write_text(qrels)
    return hub_index_here("eval", "--hub", hub.root, "--queries", queries, "--qrels", labels, "--mode", "keyword")


def test_labels_of_another_hub_are_an_error(hub: HubMaker) -> None:
    """None of the ids is in the index: exit 2 and a question, not a score of zero."""
    hub_index_here("build", hub.root)
    done = run_eval(hub, "1\tthree\t1\n2\tfour\t1\n")
    assert (done.code, done.out) == (2, "")
    assert "none of the 2 skills that" in done.err


def test_labels_that_are_partly_unknown_are_a_notice(hub: HubMaker) -> None:
    """The measures are printed, and how many of the skills cannot be found at all."""
    hub_index_here("build", hub.root)
    done = run_eval(hub, "1\tone\t1\n2\tfour\t1\n")
    assert done.code == 0, done.err
    assert "note: 1 of 2 labelled skills not in the index" in done.err
    assert "all" in done.out
    assert run_eval(hub, "1\tone\t1\n2\ttwo\t1\n").err == ""


@pytest.mark.parametrize("verb", ["eval", "bench"])
def test_a_missing_file_is_said_in_words(hub: HubMaker, tmp_path: Path, verb: str) -> None:
    """No number of the system's, and what to do."""
    missing = tmp_path / "absent.jsonl"
    qrels: list[str | Path] = ["--qrels", missing] if verb == "eval" else []
    done = hub_index_here(verb, "--hub", hub.root, "--queries", missing, *qrels)
    assert (done.code, done.err) == (2, f"hub-index: there is no file {missing}; name one that is there\n")
    folder = hub_index_here(verb, "--hub", hub.root, "--queries", tmp_path, *qrels)
    assert "Errno" not in folder.err


def test_a_malformed_line_of_bench_is_named(hub: HubMaker, tmp_path: Path) -> None:
    """File and line."""
    queries = tmp_path / "q.jsonl"
    queries.write_text('{"text": "x"}\n3\n')
    done = hub_index("bench", "--hub", hub.root, "--queries", queries)
    assert done.code == 2
    assert "q.jsonl, line 2: write an object with a text" in done.err
