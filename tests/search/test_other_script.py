"""An English query and skills that are described in Chinese, in one hub with English ones."""

from pathlib import Path

import pytest
import tantivy
from support.searches.search_world import SearchWorld, ids, make_world

from hub_index.search.candidate import Candidate
from hub_index.search.ranking.fusion import fuse, lexical_part
from hub_index.search.ranking.steps.cross_script import NEARLY, SHARE, presume_words
from hub_index.search.words.tokens import is_mostly_cjk

_ENGLISH = {
    f"template-{place}": (
        f"Prepare a quarterly {topic} from a template.",
        "# Slides\nAn outline comes first, then slides.\n",
    )
    for place, topic in enumerate(("invoice", "letter", "contract", "budget", "memo", "poster", "survey"))
}
_CHINESE = {"yan-shi": ("演示", ""), "xie-zuo": ("帮助撰写中文文章。", "")}


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> SearchWorld:
    """English skills with everyday words, and two in Chinese."""
    return make_world(tmp_path_factory.mktemp("world"), _ENGLISH | _CHINESE)


def test_a_skill_in_chinese_gets_what_words_would_have_said(world: SearchWorld) -> None:
    """It is found by meaning alone; English skills, which hold the query's words, get nothing."""
    found = world.open().search("slides", 60, "hybrid", explain=True)
    assert found[0].id == "yan-shi"
    assert found[0].reasons.presumed > 0
    assert {hit.id for hit in found if hit.reasons.presumed} <= _CHINESE.keys()


def test_a_nearer_skill_in_chinese_goes_before_english_ones_that_share_everyday_words() -> None:
    """Without what is presumed it would stand last, for words that it cannot share."""
    english = [_candidate(row, 0.40 + 0.01 * row, 12.0) for row in range(6)]
    chinese = _candidate(6, 0.7)
    assert fuse([*english, chinese], 8.0)[-1] is chinese
    presume_words([*english, chinese], [False] * 6 + [True], 8.0)
    assert fuse([*english, chinese], 8.0)[0] is chinese


def test_the_explained_parts_of_a_score_add_up(world: SearchWorld) -> None:
    """Cosine, tempered words, bonus and what is presumed are the score."""
    found = world.open().search("slides", 5, "hybrid", explain=True)
    for hit in found:
        candidate = Candidate(0, hit.reasons.lexical or 0.0, tantivy.DocAddress(0, 0))
        parts = max(0.0, hit.reasons.cosine or 0.0) + lexical_part(candidate.lexical, found.upper_bound)
        assert hit.score == pytest.approx(parts + hit.reasons.bonus + hit.reasons.presumed, abs=2e-6)


@pytest.mark.parametrize("query", ["撰写文章", "prepare a 演示"])
def test_a_query_with_chinese_presumes_nothing(world: SearchWorld, query: str) -> None:
    """Its words are translated instead."""
    assert all(hit.reasons.presumed == 0 for hit in world.open().search(query, 9, "hybrid"))


def test_a_hub_of_one_script_presumes_nothing(tmp_path: Path) -> None:
    """All skills are in Chinese: none is at a disadvantage."""
    world = make_world(tmp_path, _CHINESE | {f"wen-{n}": ("帮助撰写中文文章。", "") for n in range(6)})
    found = world.open().search("slides", 5, "hybrid")
    assert ids(found.hits)[0] == "yan-shi"
    assert all(hit.reasons.presumed == 0 for hit in found)


def test_what_is_presumed_rises_with_the_cosine_as_words_do() -> None:
    """The line through the candidates of the query's own script, half of it, and never below nothing."""
    own = [_candidate(row, 0.1 * row, 10.0 * row) for row in range(1, 7)]
    near = _candidate(7, 0.58)
    presume_words([*own, near], [False] * 6 + [True], 1.0)
    assert near.presumed == pytest.approx(SHARE * lexical_part(58.0, 1.0), abs=1e-6)
    assert fuse([*own, near], 1.0)[0].row == 6
    steep, below = [*[_candidate(row, 0.5, 0.0) for row in range(5)], _candidate(5, 0.51, 60.0)], _candidate(6, 0.485)
    presume_words([*steep, below], [False] * 6 + [True], 1.0)
    assert below.presumed == 0


def test_nothing_is_presumed_of_a_skill_that_is_clearly_farther_than_the_query_s_script() -> None:
    """The words of a nearer skill are there to be read; others would take the first place of short questions."""
    own = [_candidate(row, 0.1 * row, 10.0 * row) for row in range(1, 7)]
    near, far = _candidate(7, 0.601 - NEARLY), _candidate(8, 0.599 - NEARLY)
    presume_words([*own, near, far], [False] * 6 + [True] * 2, 1.0)
    assert near.presumed > 0
    assert far.presumed == 0


def test_four_skills_of_the_query_s_script_are_too_few() -> None:
    """A line through them would say nothing."""
    candidates = [_candidate(row, 0.1 * row, 10.0 * row) for row in range(1, 6)]
    presume_words(candidates, [False] * 4 + [True], 1.0)
    assert [candidate.presumed for candidate in candidates] == [0.0] * 5


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("处理PDF文件", True),
        ("把 Word 文档转换成 PDF 文件", True),
        ("Translates; say 翻译 to start it.", False),
        ("文書を要約する", True),
        ("문서를 요약합니다", True),
        ("plain English", False),
        ("", False),
    ],
)
def test_a_text_is_in_cjk_where_most_of_it_is(text: str, expected: bool) -> None:
    """A few words in Chinese that an English description quotes do not make it Chinese."""
    assert is_mostly_cjk(text) is expected


def _candidate(row: int, cosine: float, lexical: float = 0.0) -> Candidate:
    made = Candidate(row, lexical, tantivy.DocAddress(0, 0))
    made.cosine = cosine
    return made
