"""The open index: modes, options, reasons."""

from pathlib import Path

import pytest
from support.searches.search_world import SearchWorld, ids, make_world

from hub_index.errors import ConfigError, ModelMismatch
from hub_index.search.options import RULES, STEPS, SearchOptions
from hub_index.search.results import encode_results


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> SearchWorld:
    """A synced hub with a fresh index."""
    return make_world(tmp_path_factory.mktemp("world"))


def test_keyword_finds_words_of_the_body(world: SearchWorld) -> None:
    """Bodies come from the checkout beside the index."""
    results = world.open().search("pg_stat_statements", mode="keyword")
    assert (results.mode, ids(results.hits)[:1]) == ("keyword", ["db-advisor"])
    assert results.fallback_reason == ""


def test_keyword_asks_no_model(world: SearchWorld) -> None:
    """A keyword search embeds nothing."""
    world.encoder.queries.clear()
    world.open().search("slides", mode="keyword")
    assert world.encoder.queries == []


def test_the_default_is_hybrid_and_says_who_embedded(world: SearchWorld) -> None:
    """With a model at hand both legs answer."""
    results = world.open().search("a presentation about 数据库", k=2)
    assert (results.mode, results.model_id, len(results.hits)) == ("hybrid", "fake:words", 2)
    assert results.index_dir == str(world.hub / "search")


def test_semantic_is_cosine_alone(world: SearchWorld) -> None:
    """Every hit has a cosine, none a lexical score, and they fall."""
    hits = world.open().search("presentation", k=10, mode="semantic").hits
    assert ids(hits)[0] == "ppt-maker"
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    assert all(hit.reasons.lexical is None and hit.reasons.cosine is not None for hit in hits)


@pytest.mark.parametrize("mode", ["semantic", "hybrid", "keyword"])
def test_exclusions_hold_in_every_mode(world: SearchWorld, mode: str) -> None:
    """What the query excludes is found by no leg."""
    hits = world.open().search("slides database -powerpoint", k=10, mode=mode).hits
    assert hits
    assert "ppt-maker" not in ids(hits)


@pytest.mark.parametrize("query", ["ppt-maker", "PPT Maker", "pptmaker", "中文写作"])
@pytest.mark.parametrize("mode", ["hybrid", "keyword"])
def test_the_name_itself_comes_first(world: SearchWorld, query: str, mode: str) -> None:
    """A query that is a name or id puts that skill first, and no score above its own."""
    hits = world.open().search(query, mode=mode).hits
    assert hits[0].reasons.is_exact
    assert hits[0].id in {"ppt-maker", "中文写作"}
    assert hits[0].score == max(hit.score for hit in hits)
    assert not hits[0].weak


def test_min_score_leaves_out_the_rest(world: SearchWorld) -> None:
    """Nothing below the limit is shown."""
    index = world.open()
    scores = [hit.score for hit in index.search("database", k=10, mode="semantic").hits]
    limit = scores[1]
    assert [h.score for h in index.search("database", k=10, mode="semantic", min_score=limit).hits] == scores[:2]


@pytest.mark.parametrize("fusion", ["default", "rrf", "linear"])
@pytest.mark.parametrize("alpha", [None, 0.0, 1.0])
def test_every_fusion_gives_an_order(world: SearchWorld, fusion: str, alpha: float | None) -> None:
    """Scores fall in every fusion, and the obvious answer is first."""
    hits = world.open().search("sql explain plans", fusion=fusion, alpha=alpha).hits
    assert ids(hits)[0] == "sql-explain"
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


@pytest.mark.parametrize("options", [{"fusion": "magic"}, {"alpha": 2.0}, {"mode": "psychic"}])
def test_a_wrong_option_is_a_usage_error(world: SearchWorld, options: dict[str, object]) -> None:
    """An unknown choice is refused by name."""
    with pytest.raises(ConfigError):
        world.open().search("slides", **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("mode", ["keyword", "hybrid"])
def test_diverse_and_recent_keep_the_best_first(world: SearchWorld, mode: str) -> None:
    """The options reorder the rest, and lose nothing."""
    index = world.open()
    plain = index.search("sql query plans", k=5, mode=mode)
    varied = index.search("sql query plans", k=5, mode=mode, diverse=True, recency=True)
    assert ids(varied.hits)[0] == ids(plain.hits)[0]
    assert set(ids(varied.hits)) == set(ids(plain.hits))


def test_explain_names_the_words_that_matched(world: SearchWorld) -> None:
    """The query's words that a skill holds, in the query's order; nothing without being asked."""
    index = world.open()
    assert index.search("slides of an outline").hits[0].reasons.matched == ()
    assert index.search("slides of an outline", explain=True).hits[0].reasons.matched == ("slide", "outlin")


def test_a_snippet_shows_the_field_that_matches_best(world: SearchWorld) -> None:
    """Words that only stand in the body are shown from there, with their places."""
    hit = world.open().search("pg_stat_statements", mode="keyword", snippets=True).hits[0]
    assert hit.snippet is not None
    assert hit.snippet.field == "body"
    marked = [hit.snippet.text[start:end] for start, end in hit.snippet.highlights]
    assert marked == ["pg", "stat", "statements"]


def test_related_skills_need_no_model(world: SearchWorld) -> None:
    """The nearest skills by vector, without the skill itself, whatever model is configured."""
    results = world.open(model="other:model").related("db-advisor", k=2)
    assert len(results.hits) == 2
    assert "db-advisor" not in ids(results.hits)
    with pytest.raises(ConfigError, match="no skill"):
        world.open().related("nobody")


def test_show_gives_one_record(world: SearchWorld) -> None:
    """By id, in any case; an unknown one is a usage error."""
    shown = world.open().show("DB-Advisor")
    assert (shown.id, shown.path) == ("db-advisor", "skills/db-advisor")
    with pytest.raises(ConfigError, match="no skill"):
        world.open().show("nobody")


def test_results_follow_the_schema(world: SearchWorld) -> None:
    """What --json prints is what the schema says, with and without reasons."""
    import json

    from jsonschema import Draft202012Validator

    schema = json.loads((Path(__file__).parents[2] / "schemas" / "search_result.schema.json").read_text("utf-8"))
    Draft202012Validator.check_schema(schema)
    for mode in ("keyword", "semantic", "hybrid"):
        results = world.open().search("slides", mode=mode, explain=True, snippets=True)
        for explain in (True, False):
            encoded = json.loads(json.dumps(encode_results(results, explain=explain)))
            assert list(Draft202012Validator(schema).iter_errors(encoded)) == []


def test_another_model_is_never_mixed_in(world: SearchWorld) -> None:
    """A configured model that did not make the index answers by keyword, or not at all."""
    results = world.open(model="fake:other").search("slides")
    assert (results.mode, results.model_id) == ("keyword", "")
    assert "fake:words" in results.fallback_reason
    with pytest.raises(ModelMismatch):
        world.open(model="fake:other").search("slides", mode="semantic")


def test_an_option_that_there_is_not_is_a_mistake_of_the_program(world: SearchWorld) -> None:
    """A misspelt keyword is no option that is left out in silence; every rule names an option."""
    with pytest.raises(TypeError, match="a search has no option 'diversity'"):
        world.open().search("slides", diversity=True)
    assert {rule.name for rule in RULES} <= SearchOptions.__annotations__.keys()
    assert set(STEPS) <= SearchOptions.__annotations__.keys()


def test_options_are_one_value_or_keywords(world: SearchWorld) -> None:
    """Both ask the same."""
    index = world.open()
    asked = SearchOptions("slides", 3, "keyword", recency=True, explain=True)
    assert index.search(asked) == index.search("slides", 3, "keyword", recency=True, explain=True)
