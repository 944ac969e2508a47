"""Chinese words of a query find the English words of a hub, in keyword and in hybrid mode."""

import pytest
from support.models.lent_dictionary import lend_dictionary
from support.searches.search_world import SearchWorld, ids, make_document, make_world

from hub_index.search.lexical.build import write_lexical
from hub_index.search.lexical.lexical import LexicalIndex
from hub_index.search.lexical.translation.translator import Translator
from hub_index.search.options import SearchOptions
from hub_index.search.ranking.engine import Engine

_SKILLS = {
    "pg-tuning": ("Tunes the performance of a database.", "# Steps\nRead the plan.\n"),
    "mind-maps": ("Draws a mind map from notes.", ""),
    "city-map": ("Shows a map of a city.", ""),
    "unit-tests": ("Writes unit tests.", ""),
    "backup": ("Makes a backup of files every night.", ""),
    "xie-zuo": ("帮助撰写文章。", ""),
    "alarms": ("Never miss a backup.", ""),
}


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> SearchWorld:
    """A hub of English skills, and one Chinese."""
    return make_world(tmp_path_factory.mktemp("world"), _SKILLS)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("数据库性能", "pg-tuning"),
        ("資料庫效能", "pg-tuning"),  # traditional characters, and what Taiwan calls a database
        ("思维导图", "mind-maps"),  # a gloss of two words is not its second word alone
        ("帮我写单元测试", "unit-tests"),
        ("每天晚上备份文件", "backup"),
        ("写文章", "xie-zuo"),
    ],
)
def test_chinese_words_find_english_skills(world: SearchWorld, query: str, expected: str) -> None:
    """What a word means is looked for beside the word, and a Chinese skill that has the word still comes first."""
    assert ids(world.open().search(query, 1, "keyword").hits) == [expected]


def test_hybrid_search_translates_as_well(world: SearchWorld) -> None:
    """The encoder of this test knows no Chinese: all that speaks for the hit is the translation."""
    hit = world.open().search("备份", 1, "hybrid", explain=True)[0]
    assert hit.id == "backup"
    assert hit.reasons.lexical
    assert hit.reasons.translated == ("备份 → backup",)


def test_why_a_skill_was_found_names_the_translation(world: SearchWorld) -> None:
    """Which gloss of which word the skill holds, and the snippet marks it."""
    hit = world.open().search("备份", 1, "keyword", explain=True, snippets=True)[0]
    assert hit.reasons.translated == ("备份 → backup",)
    assert hit.snippet is not None
    start, end = hit.snippet.highlights[0]
    assert hit.snippet.text[start:end].lower() == "backup"


def test_to_want_something_is_not_to_miss_it(world: SearchWorld) -> None:
    """Who writes 我想… wants to do something, and the word says nothing about what."""
    found = world.open().search("我想备份文件", 2, "keyword", explain=True)
    assert ids(found.hits) == ["backup", "alarms"]
    assert found[1].reasons.translated == ("备份 → backup",)


def test_a_hub_that_knows_the_query_s_chinese_is_searched_as_before(world: SearchWorld) -> None:
    """Nothing is translated where names and descriptions hold every word."""
    query = world.open().search("撰写文章", 5, "keyword", explain=True)
    assert ids(query.hits) == ["xie-zuo"]
    assert query[0].reasons.translated == ()


def test_an_english_query_never_opens_the_dictionary(world: SearchWorld) -> None:
    """Nor does one with accents."""
    engine = Engine(world.open().reader.open_keyword().lexical, translator=_Untouchable())
    for query in ("database performance", "données café"):
        assert engine.plan_query(query).glosses == ()


class _Untouchable(Translator):
    def __init__(self) -> None:
        """Has no folder."""

    def open(self) -> object:  # type: ignore[override]
        raise AssertionError("the dictionary was opened")


def test_a_gloss_of_two_words_counts_less_where_one_is_missing(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Three tenths of its words' score."""
    cache = tmp_path_factory.mktemp("cache")
    lend_dictionary(cache)
    documents = [
        make_document("a", "a", "skills/a", "mind map here"),
        make_document("b", "b", "skills/b", "mind body here"),
        *[make_document(f"c{number}", f"c{number}", f"skills/c{number}", "other words here") for number in range(9)],
    ]
    engine = Engine(LexicalIndex(write_lexical(documents, None)), translator=Translator(str(cache)))
    whole, half = engine.search_keyword(engine.plan_query("思维导图"), SearchOptions("", 5)).candidates
    alone = engine.search_keyword(engine.plan_query("mind"), SearchOptions("", 5)).candidates
    assert {whole.row, half.row} == {0, 1}
    assert whole.lexical > 2 * half.lexical > 0
    assert len(alone) == 2
