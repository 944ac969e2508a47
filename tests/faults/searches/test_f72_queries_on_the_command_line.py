"""A thousand random and hostile queries through the command line's own main: defined exits, no traceback."""

import json
import random
from pathlib import Path

import pytest
from support.hubs.hub_maker import HubMaker

from hub_index.cli.main import main

_PIECES = (
    "AND", "OR", "NOT", "+", "-", '"', "'", "(", ")", "*", "~", "^", ":", "name:", "tag:", "path:", "lang:", "since:",
    "since:2026-13-99", "lang:zh", "\\", "/", "[a TO b]", "{", "}", "\x00", "\x1b[2J", "\u202e", "\ud800", "\u200b",
    "的", "数据库", "ppt", "slow", "query", "db-advisor", "🙂", "é", "١٢٣", "..", "../../etc/passwd", "%s", "$(id)",
    "\n", "\t", "a" * 300,
)  # fmt: skip


@pytest.fixture(scope="module")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkout without an index: keyword search over its files."""
    maker = HubMaker(tmp_path_factory.mktemp("hostile") / "hub")
    for name, value in (("user.name", "Test Person"), ("user.email", "person@example.invalid")):
        maker.git("config", name, value)
    maker.skill("db-advisor", "Analyze slow queries and index usage 数据库。")
    maker.skill("slide-deck", "Make slides, ppt and pptx.")
    maker.commit("skills")
    return maker.root


def test_f72_a_thousand_hostile_queries_have_a_defined_end(
    hub: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each exits 0 with one JSON object, or 2 for a usage error; nothing hidden reaches the output."""
    monkeypatch.setenv("HUB_INDEX_CACHE", str(tmp_path / "cache"))
    chooser = random.Random(72)
    queries = ["", " ", *_PIECES, "word " * 20_000, "的" * 100_000]
    while len(queries) < 1_000:
        joiner = chooser.choice(["", " "])
        queries.append(joiner.join(chooser.choices(_PIECES, k=chooser.randint(1, 8))))
    for query in queries:
        code = main(["search", "--keyword", "--hub", str(hub), "--json", "--", query])
        shown = capsys.readouterr()
        assert code in (0, 2), (query, shown.err)
        assert "unexpected" not in shown.err, (query, shown.err)
        if code == 0:
            assert json.loads(shown.out)["mode"] == "keyword"
