"""`eval --against`: two runs over the same queries, compared query by query."""

import json
from pathlib import Path

import pytest
from support.hubs.hub_maker import HubMaker

from hub_index.cli.main import main
from hub_index.errors import ConfigError
from hub_index.search.measure.comparison import EarlierScore, compare, parse_run, sign_flip_p
from hub_index.search.measure.evaluate import Evaluation, QueryScore

_QUERIES = [f"q{number}" for number in range(30)]


def evaluation(scores: dict[str, float], chars: int = 20) -> Evaluation:
    """A run with these nDCG@10."""
    measures = {"hit1": 0.0, "recall5": 0.0, "mrr": 0.0}
    queries = tuple(
        QueryScore(qid, "zh" if at % 2 else "en", "en", chars if at < 20 else 300, {"ndcg10": score, **measures}, "now")
        for at, (qid, score) in enumerate(scores.items())
    )
    return Evaluation(all=None, by_lang={}, queries=queries, label=None)  # type: ignore[arg-type]


def test_wins_losses_and_the_worst_ten() -> None:
    """By query, by pair of languages and by length; the largest fall first, at most ten."""
    earlier = {qid: EarlierScore(0.5, "then") for qid in [*_QUERIES, "gone"]}
    now = {qid: 0.5 + (0.1 if at < 10 else 0.0 if at < 15 else -0.01 * at) for at, qid in enumerate(_QUERIES)}
    found = compare(evaluation(now), earlier, "before.json")
    assert (found.all.n, found.all.wins, found.all.losses, found.left_out) == (30, 10, 15, 1)
    assert found.all.change == pytest.approx(found.all.after - found.all.before)
    assert [change.qid for change in found.worst] == [f"q{number}" for number in range(29, 19, -1)]
    assert (found.worst[0].first_before, found.worst[0].first_after) == ("then", "now")
    assert {kind: contrast.n for kind, contrast in found.by_langs.items()} == {"en → en": 15, "zh → en": 15}
    assert {kind: contrast.n for kind, contrast in found.by_length.items()} == {
        "up to 50 characters": 20,
        "over 200": 10,
    }


def test_the_paired_test_tells_chance_from_change() -> None:
    """Nothing changed: 1. As many up as down: large. All up: small. The same every time."""
    assert sign_flip_p([0.0] * 20) == 1.0
    assert sign_flip_p([0.1, -0.1] * 20) > 0.5
    assert sign_flip_p([0.1] * 20) < 0.001
    assert sign_flip_p([0.1, 0.2, -0.1, 0.3]) == sign_flip_p([0.1, 0.2, -0.1, 0.3])


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"queries": 3}', '{"queries": [{"qid": "1"}]}', '{"all": {"n": 3}}'])
def test_a_file_that_is_not_a_run_is_said(text: str) -> None:
    """With the command that writes one."""
    with pytest.raises(ConfigError, match=r"before\.json is not an earlier run: write one with `hub-index eval"):
        parse_run(text, "before.json")


def test_a_run_is_written_and_compared(hub: HubMaker, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`--json` holds every query; against itself nothing changed; against a better one the query is shown."""
    queries, qrels, before = tmp_path / "q.jsonl", tmp_path / "q.tsv", tmp_path / "before.json"
    queries.write_text(
        '{"qid": "1", "text": "slow queries", "lang": "en"}\n{"qid": "2", "text": "one", "lang": "en"}\n'
    )
    qrels.write_text("1\tone\t1\n2\ttwo\t1\n")
    ask = ["eval", "--hub", str(hub.root), "--queries", str(queries), "--qrels", str(qrels), "--mode", "keyword"]
    assert main([*ask, "--json"]) == 0
    written = capsys.readouterr().out
    before.write_text(written)
    run = json.loads(written)
    assert [query["qid"] for query in run["queries"]] == ["1", "2"]
    assert main([*ask, "--against", str(before)]) == 0
    told = capsys.readouterr().out
    assert "paired test: p = 1.0000, could be chance" in told
    assert "answered worse" not in told
    run["queries"][1] |= {"ndcg10": 1.0, "first": "two"}
    before.write_text(json.dumps(run))
    assert main([*ask, "--against", str(before)]) == 0
    told = capsys.readouterr().out
    assert "2: 1.0000 → 0.0000, first two → one: one" in told
    assert main([*ask, "--against", str(before), "--json"]) == 0
    against = json.loads(capsys.readouterr().out)["against"]
    assert (against["all"]["wins"], against["all"]["losses"]) == (0, 1)
    assert main([*ask, "--against", str(tmp_path / "absent.json")]) == 2
