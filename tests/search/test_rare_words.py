"""A rare word of a query is found wherever it stands: in the example hub with a few skills more, and the real model."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.builds.build_story import BuildStory
from support.hubs.hub_maker import HubMaker
from support.models.model_copy import model_cache
from support.searches.search_world import ids, make_document

from benchmarks.rare_words import draw_words
from hub_index.embedding.local import LocalEncoder
from hub_index.limits import MAX_BODY_CHARS
from hub_index.search import open_index
from hub_index.search.index import Index
from hub_index.search.lexical.build import write_lexical
from hub_index.search.lexical.lexical import LONE_HOLDERS, LONE_LIFT, LexicalIndex
from hub_index.search.options import SearchOptions
from hub_index.search.ranking.engine import Engine

_EXAMPLES = Path(__file__).resolve().parents[2] / "examples/hub"
_BODIES = {
    "test-fixtures": ("Set up and tear down shared state.", "Implement `IAsyncLifetime` in the class.\n"),
    "socket-trouble": ("Explain why a service cannot be reached.", "`connect ECONNREFUSED 127.0.0.1:5432` means so.\n"),
    "e-rechnung": ("Prepare documents for accounting.", "The profile is ZUGFeRD 2.3, a PDF/A-3.\n"),
    "mono-repo": ("Arrange many packages in one tree.", "List the folders in `pnpm-workspace.yaml`.\n"),
    "safe-push": ("Publish rewritten history with care.", "Say `git push --force-with-lease` and wait.\n"),
    "tool-notes": ("Collect notes on tools.", "Then run `scripts/check_coverage_report.py` once.\n"),
    "long-manual": ("Explain a machine at length.", "word " * 8_000 + "\nThe thermosiphon comes last.\n"),
    "incident-review": ("Write a blameless postmortem after an outage.", "# Steps\nCollect the times first.\n"),
}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    """The example hub's skills and those above."""
    root = tmp_path_factory.mktemp("hub")
    shutil.copytree(_EXAMPLES, root, dirs_exist_ok=True)
    hub = HubMaker(root)
    for skill_id, (description, body) in _BODIES.items():
        hub.skill(skill_id, description, body=body)
    hub.commit("skills")
    encoder = LocalEncoder(cache_dir=model_cache(), workers=0)
    encoder.texts = []  # type: ignore[attr-defined]
    story = BuildStory(hub, encoder)  # type: ignore[arg-type]
    story.build()
    with open_index(story.folder, root, cache_dir=model_cache(), home="/nowhere") as opened:
        yield opened


@pytest.mark.parametrize("question", ["{}", "how do I use {}"])
def test_a_rare_word_of_a_body_beats_near_meanings(index: Index, question: str) -> None:
    """Of forty words that one body holds, and no name or description, nearly all find their skill first, in hybrid."""
    words = draw_words(_EXAMPLES, [7])[:40]
    assert len(words) == 40
    firsts = [index.search(question.format(word), 1, "hybrid")[0].path for word, _ in words]
    right = [path.endswith(f"/{folder}") for path, (_, folder) in zip(firsts, words, strict=True)]
    assert sum(right) >= 38


@pytest.mark.parametrize("mode", ["hybrid", "keyword"])
@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("iasynclifetime", "test-fixtures"),
        ("how do I implement IAsyncLifetime", "test-fixtures"),
        ("ECONNREFUSED", "socket-trouble"),
        ("zugferd", "e-rechnung"),
        ("pnpm-workspace.yaml", "mono-repo"),
        ("--force-with-lease", "safe-push"),
        ("thermosiphon", "long-manual"),
        ("check_coverage_report", "tool-notes"),
        ("where is check_coverage_report.py defined", "tool-notes"),
    ],
)
def test_an_exact_identifier_is_found_first(index: Index, query: str, expected: str, mode: str) -> None:
    """Names of classes, errors, formats, files and flags; also where 40,000 characters of the body come before it."""
    assert index.search(query, 1, mode)[0].id == expected


@pytest.mark.parametrize("mode", ["hybrid", "keyword"])
@pytest.mark.parametrize(
    ("spellings", "expected"),
    [
        (("post-mortem", "postmortem", "post mortem"), "incident-review"),
        (("k8s", "kubernetes"), "k8s-pod-doctor"),
        (("a11y", "accessibility"), "team/frontend/accessibility-check"),
    ],
)
def test_spellings_of_one_thing_find_the_same_skill(
    index: Index, spellings: tuple[str, ...], expected: str, mode: str
) -> None:
    """Whichever of them the skill itself uses."""
    assert {spelling: index.search(spelling, 1, mode)[0].id for spelling in spellings} == dict.fromkeys(
        spellings, expected
    )


def test_short_forms_find_what_the_long_forms_find(index: Index) -> None:
    """`db perf` asks for database performance: the same two first."""
    short, long = (ids(index.search(query, 2).hits) for query in ("db perf", "database perf"))
    assert set(short) == set(long) == {"db-advisor", "pg-tuning"}


@pytest.mark.parametrize("query", ["database performance", "database perf", "how do I analyze database perf?"])
def test_the_design_s_example_holds(index: Index, query: str) -> None:
    """The three skills about slow databases are the first three, in any order."""
    assert set(ids(index.search(query, 3).hits)) == {"db-advisor", "sql-explain", "pg-tuning"}


def test_a_lone_rare_word_has_its_whole_weight_in_any_field() -> None:
    """A body gives as much as a full name would; a word that one skill more holds is scored by its fields."""
    for holders, is_lone in ((LONE_HOLDERS, True), (LONE_HOLDERS + 1, False)):
        held = [make_document(f"h{n}", "x", f"skills/h{n}", f"Thing {n}", body="zebra") for n in range(holders)]
        others = [make_document(f"o{n}", "x", f"skills/o{n}", f"Matter {n}", body="horse") for n in range(8)]
        engine = Engine(LexicalIndex(write_lexical([*held, *others], None)))
        query = engine.plan_query("zebra")
        best = engine.search_keyword(query, SearchOptions("zebra", 1)).candidates[0]
        assert (best.score == pytest.approx(LONE_LIFT * query.upper_bound, rel=1e-5)) == is_lone


def test_the_words_of_a_long_body_count() -> None:
    """Whole manuals are searched, within a cap that bounds the time of a build."""
    assert MAX_BODY_CHARS == 60_000
