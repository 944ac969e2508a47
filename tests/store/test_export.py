"""`hub-index export postgres`: what the database holds is what the index says, and only what changed is sent."""

from pathlib import Path

import numpy as np
import psycopg
import pytest
from support.processes.cli_runner import hub_index_here
from support.searches.search_world import SearchWorld, make_world
from support.servers.store_world import load, source_of

from hub_index.postgres import loading
from hub_index.postgres.loading import Loaded
from hub_index.postgres.table_content import COPY_END, COPY_HEADER, MARKS, Content, lexeme, lexeme_tuple, read_vector


def ask(url: str, statement: str) -> list[tuple[object, ...]]:
    with psycopg.connect(url) as connection:
        return connection.execute(statement.encode()).fetchall()


def word_counts(url: str, tables: int) -> list[tuple[object, ...]]:
    return ask(url, f"SELECT field, word, skills FROM hub_index.words_{tables} ORDER BY 1, 2")


@pytest.fixture
def world(tmp_path: Path) -> SearchWorld:
    return make_world(tmp_path)


@pytest.mark.parametrize(("kind", "tolerance"), [("halfvec", 1e-3), ("vector", 0.0)])
def test_the_tables_hold_every_record_its_words_and_its_vector(
    world: SearchWorld, database: str, kind: str, tolerance: float
) -> None:
    """All skills with their vectors; words are counted as the lexical index counts them, body and Chinese included."""
    assert load(world, database, vectors=kind).sent == 5
    source = source_of(world)
    with psycopg.connect(database) as connection:
        rows = connection.execute("SELECT id, vector FROM hub_index.skills_1 ORDER BY id", binary=True).fetchall()
    assert [id_ for id_, _ in rows] == source.ids
    stored = np.stack([read_vector(bytes(data), kind) for _, data in rows])
    assert np.abs(stored - source.vectors).max() <= tolerance
    counts = {(field, word): skills for field, word, skills in word_counts(database, 1)}
    assert (counts[("a", "*")], counts[("a", "explain")], counts[("n", "sql")]) == (5, 2, 1)
    assert ask(database, "SELECT number FROM hub_index.lexemes_1 WHERE lexemes @@ '''b~提纲'' | ''d润色'''") != []


def test_a_hub_of_an_earlier_version_with_fewer_buckets_is_loaded_anew(world: SearchWorld, database: str) -> None:
    """Its rows stand in other buckets; afterwards it is up to date."""
    load(world, database)
    with psycopg.connect(database) as connection:
        connection.execute("UPDATE hub_index.hubs SET buckets = substr(buckets, 1, 32768)")
    assert [load(world, database).sent, load(world, database).sent] == [5, 0]


@pytest.mark.parametrize("batch", [1, 2_000])
def test_only_what_changed_is_sent_and_the_outcome_is_that_of_a_fresh_load(
    world: SearchWorld, database: str, batch: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Edits, additions and removals change as many rows; counts, lengths and sums equal those of a new load."""
    monkeypatch.setattr(loading, "_BATCH", batch)
    monkeypatch.setattr(loading, "_PIECE", batch)
    load(world, database)
    assert load(world, database) == Loaded("hub", source_of(world).manifest.hub_revision, 5, 0, 0)
    world.story.hub.skill("ppt-maker", "Make decks from notes.", body="# Usage\nAnother body.\n")
    world.story.hub.skill("new-one", "Something else entirely.")
    world.story.hub.git("rm", "-rq", "skills/go-server")
    world.story.hub.commit("change")
    world.story.build()
    changed = load(world, database)
    assert (changed.skills, changed.sent, changed.removed) == (5, 2, 1)
    load(world, database, name="fresh")
    assert word_counts(database, 1) == word_counts(database, 2)
    kept = "skills, lengths, buckets, skills_digest, manifest, revision"
    first, second = ask(database, f"SELECT {kept} FROM hub_index.hubs ORDER BY name")
    assert first == second
    rows = "SELECT id, key, bucket, record, tokens, vector::text, text, day, lexemes::text"
    updated, fresh = (
        ask(
            database,
            f"{rows} FROM hub_index.skills_{tables} JOIN hub_index.lexemes_{tables} USING (number) ORDER BY id",
        )
        for tables in (1, 2)
    )
    assert updated == fresh


@pytest.mark.parametrize(
    "term", ["pdf", "文" * 249, "文" * 250, "文" * 333, "文" * 334, "x" * 999, "x" * 1_000, "two\nlines", "nu\0l"]
)
def test_lexemes_are_those_that_a_query_asks_for_whatever_a_term_is(database: str, term: str) -> None:
    """In one piece or one by one: both sides of each limit, and signs that separate lexemes on the way."""
    terms = {field: {"other", term} if field in ("name", "key") else set() for field in MARKS}
    wanted = sorted({lexeme(mark, word) for mark in "ny" for word in ("other", term)})
    with psycopg.connect(database) as connection:
        connection.execute("CREATE TABLE made (number int, day int, lexemes tsvector)")
        with connection.cursor() as cursor, cursor.copy("COPY made FROM STDIN (FORMAT binary)") as copy:
            copy.write(COPY_HEADER + lexeme_tuple(1, Content(0, terms, ())) + COPY_END)
        found = connection.execute("SELECT unnest(tsvector_to_array(lexemes)) FROM made").fetchall()
    assert sorted(str(name).encode() for (name,) in found) == wanted


def test_another_kind_of_vectors_is_loaded_anew_and_the_old_tables_go(world: SearchWorld, database: str) -> None:
    """The hub keeps its name; of the tables only the new ones are left; later exports keep what was chosen."""
    load(world, database)
    assert load(world, database, vectors="vector", hnsw=True).sent == 5
    assert ask(database, "SELECT tables, vectors, hnsw, generation FROM hub_index.hubs") == [(2, "vector", True, 2)]
    assert ask(database, "SELECT to_regclass('hub_index.skills_1')") == [(None,)]
    assert ask(database, "SELECT count(*) FROM pg_indexes WHERE indexdef LIKE '%hnsw%'") == [(1,)]
    assert load(world, database).sent == 0


def test_the_command_loads_says_what_was_sent_and_removes(world: SearchWorld, database: str) -> None:
    """One line for each hub; `--json` for programs; a hub that is not there cannot be removed."""
    done = hub_index_here("export", "postgres", database, "--hub", world.hub, "--name", "mine")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("mine: 5 skills in postgresql://postgres@local/test_")
    again = hub_index_here("export", "postgres", "--hub", world.hub, HUB_INDEX_STORE=database)
    assert ("repo: 5 skills" in again.out, again.code) == (True, 0)
    assert '"sent":0' in hub_index_here("export", "postgres", database, "--hub", world.hub, "--json").out.replace(
        " ", ""
    )
    assert hub_index_here("export", "postgres", database, "--remove", "mine").code == 0
    assert hub_index_here("export", "postgres", database, "--remove", "mine").code == 2
    assert ask(database, "SELECT name FROM hub_index.hubs") == [("repo",)]


def test_a_file_that_is_not_what_git_has_is_loaded_and_named(world: SearchWorld, database: str) -> None:
    """Each export says so until the edit is added or undone."""
    load(world, database)
    world.story.hub.skill("go-server", "Write a small HTTP server in Go.", body="# Edited\n")
    arguments = ("export", "postgres", database, "--hub", world.hub)
    for _ in range(2):
        done = hub_index_here(*arguments, HUB_INDEX_CACHE=str(world.cache))
        assert (done.code, "not as git's index has them: go-server" in done.err) == (0, True)
    world.story.hub.git("add", "-A")
    assert "as git's index" not in hub_index_here(*arguments, HUB_INDEX_CACHE=str(world.cache)).err
