"""English words of a query find skills that are described in Chinese, in a hub that has some of them."""

from pathlib import Path

import pytest
from support.models.lent_dictionary import lend_dictionary
from support.searches.search_world import SearchWorld, ids, make_document, make_world

from hub_index.search.lexical.build import LexicalDocument, write_lexical
from hub_index.search.lexical.lexical import LexicalIndex, are_enough_told
from hub_index.search.lexical.matching import LexicalQuery
from hub_index.search.lexical.shared_statistics import LexicalPool
from hub_index.search.lexical.translation.to_chinese import choose_meanings, count_glosses
from hub_index.search.lexical.translation.translator import OpenDictionary, Translator
from hub_index.search.options import SearchOptions
from hub_index.search.ranking.engine import Engine

_CHINESE = {
    "shu-ju": ("诊断数据库的性能问题。", ""),
    "dao-tu": ("根据笔记绘制思维导图。", ""),
    "di-tu": ("显示城市地图。", ""),
    "fan-yi": ("翻译文章。", ""),
    "tian-qi": ("查询天气预报。", ""),
}
_ENGLISH = {
    "pg-tuning": ("Tunes a slow server.", "# Steps\nA database is read.\n"),
    "notes": ("Writes notes; say 数据库 or 翻译 to it.", ""),
    "weather-mail": ("Mails the news.", ""),
}


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> SearchWorld:
    """A hub of both languages."""
    return make_world(tmp_path_factory.mktemp("world"), _CHINESE | _ENGLISH)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("diagnose database performance", "shu-ju"),
        ("Articles", "fan-yi"),  # a stem is looked for, whatever the case
        ("draw a mind map", "dao-tu"),  # two words together mean another thing than each of them
        ("a map of the city", "di-tu"),
        ("translate an article", "fan-yi"),
    ],
)
def test_english_words_find_chinese_skills(world: SearchWorld, query: str, expected: str) -> None:
    """None of these holds a word of the query."""
    assert ids(world.open().search(query, 1, "keyword").hits) == [expected]


def test_a_rare_word_itself_goes_before_its_translation(world: SearchWorld) -> None:
    """`Databases` stands in one body, and its Chinese in one description: a translation weighs no more than a word."""
    assert ids(world.open().search("Databases", 5, "keyword").hits) == ["pg-tuning", "shu-ju"]


def test_why_a_skill_was_found_names_the_translation(world: SearchWorld) -> None:
    """The word as it was written and the Chinese that the skill holds, which the snippet marks."""
    hit = world.open().search("Databases", 2, "keyword", explain=True, snippets=True)[1]
    assert hit.reasons.translated == ("databases → 数据库",)
    assert hit.snippet is not None
    start, end = hit.snippet.highlights[0]
    assert hit.snippet.text[start:end] in "数据库"


def test_hybrid_search_translates_as_well(world: SearchWorld) -> None:
    """The translation counts as words do."""
    hits = world.open().search("weather forecast", 9, "hybrid", explain=True)
    hit = next(hit for hit in hits if hit.id == "tian-qi")
    assert hit.reasons.lexical
    assert "天气预报" in " ".join(hit.reasons.translated)


def test_english_skills_score_as_without_a_translation(world: SearchWorld) -> None:
    """Also one whose description quotes the Chinese word: only skills that are described in CJK have more."""
    lexical = world.open().reader.open_keyword().lexical
    engine = Engine(lexical, translator=Translator(str(world.cache)))
    for query in ("database server", "translate notes"):
        scores = _scores(engine, query)
        plain = _scores(Engine(lexical), query)
        assert {id_: score for id_, score in scores.items() if id_ in _ENGLISH} == plain
        assert scores.keys() & _CHINESE.keys()
        assert engine.plan_query(query).upper_bound == Engine(lexical).plan_query(query).upper_bound
    hits = world.open().search("translate notes", 9, "keyword", explain=True)
    assert all(hit.reasons.translated == () for hit in hits if hit.id in _ENGLISH)


def test_words_that_only_a_body_holds_are_not_looked_for(tmp_path: Path) -> None:
    """A body says many things beside what the skill is for."""
    documents = [*_documents(5), make_document("z", "z", "skills/z", "其他事情", body="翻译文章")]
    assert _plan(tmp_path, documents, "translate").glosses == ()


@pytest.mark.parametrize(
    ("told", "count", "expected"), [(4, 10, False), (5, 10, True), (5, 500, True), (5, 501, False), (60, 6_000, True)]
)
def test_five_skills_and_one_in_a_hundred_are_enough(told: int, count: int, expected: bool) -> None:
    """Below that an English query asks for nothing but its words."""
    assert are_enough_told(told, count) is expected


def test_a_hub_with_four_chinese_skills_never_opens_the_dictionary(tmp_path: Path) -> None:
    """Nor pays for it; with a fifth it does, and so does a pool of two such hubs."""
    few = LexicalIndex(write_lexical([*_documents(4), make_document("e", "e", "skills/e", "database")], None))
    others = LexicalIndex(write_lexical(_documents(4), None))
    assert Engine(few, translator=_Untouchable()).plan_query("database").glosses == ()
    assert _plan(tmp_path, _documents(5), "database").glosses
    pooled = Engine(few, translator=Translator(str(tmp_path))).among(LexicalPool([few, others]))
    assert pooled.plan_query("database").glosses


class _Untouchable(Translator):
    def __init__(self) -> None:
        """Has no folder."""

    def open(self) -> OpenDictionary:
        raise AssertionError("the dictionary was opened")


def test_until_the_dictionary_is_there_queries_run_with_a_notice() -> None:
    """What the user should know is said; the query's own words are searched."""

    class Busy(_Untouchable):
        def open(self) -> OpenDictionary:
            return OpenDictionary(notice="just being prepared")

    query = Engine(LexicalIndex(write_lexical(_documents(5), None)), translator=Busy()).plan_query("database")
    assert query.notices == ("just being prepared",)
    assert query.glosses == ()


def test_no_more_than_six_words_that_the_hub_holds_stand_for_one() -> None:
    """In the dictionary's order; words of the same tokens are one."""
    words = ["一二", "三四", "五六", "七八", "九十", "甲乙", "丙丁", "戊己"]
    found = choose_meanings(words, lambda token: token != "三四")
    assert list(found.values()) == ["一二", "五六", "七八", "九十", "甲乙", "丙丁"]


def test_the_longest_known_gloss_stands_for_its_words() -> None:
    """Words that mean nothing together are counted one by one."""
    counted = count_glosses(["mind", "map", "map", "of", "mind"], lambda gloss: gloss in ("mind map", "map of mind"))
    assert counted == {"mind map": 1, "map of mind": 1}
    assert count_glosses(["a", "b", "a"], lambda _: False) == {"a": 2, "b": 1}


def _documents(count: int) -> list[LexicalDocument]:
    return [make_document(f"c{n}", f"c{n}", f"skills/c{n}", "备份数据库") for n in range(count)]


def _plan(cache: Path, documents: list[LexicalDocument], query: str) -> LexicalQuery:
    lend_dictionary(cache)
    return Engine(LexicalIndex(write_lexical(documents, None)), translator=Translator(str(cache))).plan_query(query)


def _scores(engine: Engine, query: str) -> dict[str, float]:
    found = engine.search_keyword(engine.plan_query(query), SearchOptions("", 20)).candidates
    return {engine.lexical.read_record(hit.address).id: hit.lexical for hit in found}
