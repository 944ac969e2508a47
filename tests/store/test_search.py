"""Searching a database: the same skills in the same order, with the same scores, as from the files."""

import pytest
from support.processes.cli_runner import hub_index_here
from support.searches.search_world import SKILLS, SearchWorld, make_world
from support.servers.store_world import MORE_SKILLS, load, open_stored, shown

from hub_index.errors import IndexMissing, ModelMismatch, SkillUnknown
from hub_index.postgres.connection import parse_address
from hub_index.postgres.postgres_index import open_store
from hub_index.search.places.query_model import Models

_QUERIES = [
    "slow queries of a database",
    "make slides",
    "数据库备份",
    "我想制作演示文稿",
    "backup",
    "how do I extract tables from a pdf and write a report about them",
    "ppt-maker",
    "mind map",
    "explian plans",  # a typo
    "ppt",
    "db back-up of k8s",  # other spellings
    "pg_stat_statements",  # in one body
    "a deck for json folders",
    "go ahead, thanks",
    "做一个演示文稿",
    "eine sicherung der datenbank",
    "+explain -sql",
    "name:sql",
    "path:backup-files",
    '"weekly reports"',
    '"a sentence that stands nowhere"',
    "tab*",
    "lang:zh 备份",
    "since:2020-01-01 server",
    "-database notes",
    "",
    "zzzzqqq",
]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> SearchWorld:
    return make_world(tmp_path_factory.mktemp("store"), SKILLS | MORE_SKILLS)


@pytest.mark.parametrize("kind", ["vector", "halfvec"])
def test_answers_are_those_of_the_files(world: SearchWorld, database: str, kind: str) -> None:
    """Every mode and every kind of query: ids, scores and weak labels agree, and so does what is said about them."""
    load(world, database, vectors=kind)
    digits = 5 if kind == "vector" else 2
    with world.open() as files, open_stored(world, database) as stored:
        for query in _QUERIES:
            for mode in ("keyword", "semantic", "hybrid"):
                if not query.strip() and mode == "semantic":
                    continue
                expected = files.search(query, 5, mode, explain=True)
                found = stored.search(query, 5, mode, explain=True)
                assert shown(found, digits) == shown(expected, digits), (query, mode)
                assert found.did_you_mean == expected.did_you_mean
                assert found.notices == expected.notices, (query, mode)
                assert [hit.reasons.matched for hit in found.hits] == [hit.reasons.matched for hit in expected.hits]
                if mode == "keyword":  # the encoder of this world was never measured
                    sure = [hit.confidence for hit in expected.hits]
                    assert [hit.confidence for hit in found.hits] == pytest.approx(sure, abs=0.01), query


def test_the_holders_of_a_lone_word_are_candidates(tmp_path_factory: pytest.TempPathFactory, database: str) -> None:
    """A rare word in one body goes before common words in every field of more skills than are looked at."""
    many = {f"slides-report-{n}": (f"Slides and report {n}.", "# Slides\nReport.\n") for n in range(240)}
    others = {f"note-{n}": (f"Take note {n}.", "# Note\nPaper.\n") for n in range(240)}
    rare = {"books": ("Keep the books.", "# Books\n" + "Paper and ink. " * 60 + "Writes zugferd files.\n")}
    world = make_world(tmp_path_factory.mktemp("lone"), many | others | rare)
    load(world, database, "lone", vectors="vector")
    with world.open() as files, open_stored(world, database, "lone") as stored:
        for index in (files, stored):
            assert index.search("slides report zugferd", 3, "keyword")[0].id == "books"


def test_english_words_find_chinese_skills_as_in_files(tmp_path_factory: pytest.TempPathFactory, database: str) -> None:
    """The same translations with the same scores, where five skills are described in Chinese."""
    told = {f"wen-{place}": (text, "") for place, text in enumerate(("翻译文章。", "查询天气预报。", "绘制地图。"))}
    world = make_world(tmp_path_factory.mktemp("mixed"), SKILLS | MORE_SKILLS | told)
    load(world, database, "mixed", vectors="vector")
    with world.open() as files, open_stored(world, database, "mixed") as stored:
        for query in ("database backup", "translate an article", "mind map", "-notes map", "weather forecast"):
            for mode in ("keyword", "hybrid"):
                expected = files.search(query, 5, mode, explain=True)
                found = stored.search(query, 5, mode, explain=True)
                assert shown(found, 5) == shown(expected, 5), (query, mode)
                translated = [hit.reasons.translated for hit in expected.hits]
                assert any(translated) or mode == "hybrid", query
                assert [hit.reasons.translated for hit in found.hits] == translated


def test_a_skill_is_shown_by_its_name_and_has_the_neighbours_it_has_in_files(world: SearchWorld, database: str) -> None:
    """By id, path or name; one that is not there is named with what is near."""
    load(world, database, vectors="vector")
    with world.open() as files, open_stored(world, database) as stored:
        for said in ("ppt-maker", "skills/ppt-maker", "PPT maker", "中文写作"):
            assert stored.show(said).record == files.show(said).record
        assert shown(stored.related("sql-explain", 3)) == shown(files.related("sql-explain", 3))
        with pytest.raises(SkillUnknown, match="ppt-maker"):
            stored.show("ppt-makr")


def test_hnsw_finds_what_the_exact_scan_finds(world: SearchWorld, database: str) -> None:
    """With so few rows an HNSW index misses nothing; filters and long prompts go their own ways."""
    load(world, database, vectors="vector", hnsw=True)
    with world.open() as files, open_stored(world, database) as stored:
        for query in _QUERIES[:8]:
            assert shown(stored.search(query, 5)) == shown(files.search(query, 5))


def test_an_open_hub_follows_the_next_export(
    world: SearchWorld, database: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """The answer after an update is of the new revision, whatever was remembered of the old one."""
    other = make_world(tmp_path_factory.mktemp("other"), {"only-one": ("Make slides and nothing else.", "")})
    load(world, database)
    with open_stored(world, database) as stored:
        assert stored.search("make slides", 1).hits[0].id == "ppt-maker"
        stamp = stored.reader.stamp()
        load(other, database)
        assert [hit.id for hit in stored.search("make slides", 3).hits] == ["only-one"]
        assert stored.reader.stamp() != stamp


def test_another_model_than_the_hubs_is_refused(world: SearchWorld, database: str) -> None:
    """As with files: meaning raises, and words answer with the reason."""
    load(world, database)
    address = parse_address(database)
    with open_store(address, "hub", Models("fake:other", world.connect, str(world.cache)), str(world.cache)) as stored:
        with pytest.raises(ModelMismatch):
            stored.search("make slides", mode="semantic")
        assert "fake:words" in stored.search("make slides").fallback_reason
    with open_stored(world, database, "nobody") as missing, pytest.raises(IndexMissing, match="nobody"):
        missing.search("make slides")


def test_the_command_searches_the_hubs_of_a_database(world: SearchWorld, database: str) -> None:
    """One hub by its name, all without one; the variable serves where no folder is named."""
    load(world, database, "one")
    load(world, database, "two")
    found = hub_index_here("search", "make slides", "--keyword", "--store", database, "--hub", "one")
    assert (found.code, "ppt-maker" in found.out) == (0, True)
    listed = hub_index_here("list", "--json", HUB_INDEX_STORE=database)
    assert (listed.code, listed.out.count('"ppt-maker"') >= 2) == (0, True)
    both = hub_index_here("search", "make slides", "--store", database, "--hub", str(world.hub))
    assert (both.code, "--store searches a database" in both.err) == (2, True)
