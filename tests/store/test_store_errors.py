"""What can go wrong with a database: one line each, the exit codes of other stores, and no password anywhere."""

from pathlib import Path

import psycopg
import pytest
from support.processes.cli_runner import CommandOutcome, hub_index, hub_index_here
from support.searches.search_world import SearchWorld, make_world
from support.servers.postgres_server import KEYED, PostgresServer
from support.servers.store_world import load, open_stored

from hub_index.errors import ConfigError, IndexTooNew, IndexUnusable, PublishError
from hub_index.postgres.connection import parse_address
from hub_index.postgres.loading import remove_hub

_CANARY = "canary-Xy7-password"


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> SearchWorld:
    return make_world(tmp_path_factory.mktemp("errors"))


def _execute(url: str, *statements: str) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        for statement in statements:
            connection.execute(statement.encode())


def _is_one_line_without_secret(done: CommandOutcome) -> bool:
    return done.err.count("\n") == 1 and _CANARY not in done.err + done.out


def test_a_wrong_password_is_one_line_that_does_not_repeat_it(
    world: SearchWorld, database: str, postgres: PostgresServer
) -> None:
    """Exit 7 for an export and 6 for a search, with `--debug` as well."""
    _execute(database, f"DROP ROLE IF EXISTS {KEYED}", f"CREATE ROLE {KEYED} LOGIN PASSWORD 'right'")
    url = postgres.url(database.partition("@/")[2].partition("?")[0], KEYED, _CANARY)
    done = hub_index_here("export", "postgres", url, "--hub", world.hub)
    assert (done.code, _is_one_line_without_secret(done)) == (7, True), done.err
    found = hub_index_here("search", "slides", "--keyword", HUB_INDEX_STORE=url)
    assert (found.code, _is_one_line_without_secret(found)) == (6, True), found.err
    assert "refuses the user or the password" in found.err
    debug = hub_index_here("search", "slides", "--store", url, "--debug")
    assert (debug.code, _CANARY in debug.err + debug.out) == (6, False)
    misspelt = hub_index_here("search", "slides", "--stor", url)
    assert (misspelt.code, _is_one_line_without_secret(misspelt)) == (2, True), misspelt.err
    config = hub_index_here("mcp", "--store", url, "--print-config", "claude")
    assert (config.code, _is_one_line_without_secret(config)) == (2, True), config.err


def test_no_error_of_the_room_holds_the_password(postgres: PostgresServer, world: SearchWorld) -> None:
    """Neither its words nor what it was raised from, nor the address's own text."""
    address = parse_address(postgres.url("nowhere", KEYED, _CANARY))
    assert _CANARY not in f"{address} {address!r}"
    with pytest.raises(PublishError) as caught:
        remove_hub(address, "hub")
    assert (caught.value.__cause__, _CANARY in str(caught.value)) == (None, False)
    with pytest.raises(ConfigError) as wrong:
        parse_address(f"postgresql://me:{_CANARY}@host:notaport:7/db?x")
    assert _CANARY not in str(wrong.value)
    with pytest.raises(ConfigError) as other:
        parse_address(f"mysql://me:{_CANARY}@host/db")
    assert _CANARY not in str(other.value)


def test_a_server_without_pgvector_is_named(world: SearchWorld, database: str) -> None:
    """The export says what to install, and has changed nothing."""
    name = database.partition("@/")[2].partition("?")[0]
    _execute(database, f"ALTER DATABASE \"{name}\" SET extension_control_path = '/nonexistent'")
    with pytest.raises(PublishError, match="has no pgvector"):
        load(world, database)
    with psycopg.connect(database) as connection:
        assert connection.execute("SELECT to_regnamespace('hub_index')").fetchone() == (None,)


def test_an_empty_database_and_tables_of_other_versions_say_what_to_do(world: SearchWorld, database: str) -> None:
    """Nothing loaded, tables of a newer hub-index, tables of an older one."""
    with open_stored(world, database) as stored, pytest.raises(IndexUnusable, match="no hub was loaded"):
        stored.search("slides")
    load(world, database)
    for version, error, words in ((99, IndexTooNew, "upgrade hub-index"), (0, IndexUnusable, "drop the schema")):
        _execute(database, f"UPDATE hub_index.version SET version = {version}")
        with open_stored(world, database) as stored, pytest.raises(error, match=words):
            stored.search("slides")
        with pytest.raises(error, match=words):
            load(world, database)
    _execute(database, "UPDATE hub_index.version SET version = 1", "UPDATE hub_index.hubs SET content = 'older'")
    with open_stored(world, database) as stored:
        with pytest.raises(IndexUnusable, match="another version of hub-index"):
            stored.search("slides")
        assert load(world, database).sent == 5  # loaded anew
        assert stored.search("make slides").hits[0].id == "ppt-maker"


def test_a_server_that_goes_away_is_one_line_and_one_that_comes_back_is_used_again(
    world: SearchWorld, database: str, tmp_path: Path
) -> None:
    """A lost connection is made again; where nobody listens it is exit 6 for a search and 7 for an export."""
    load(world, database)
    with open_stored(world, database) as stored:
        assert stored.search("make slides").hits[0].id == "ppt-maker"
        _execute(
            database,
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE application_name = 'hub-index' AND datname = current_database()",  # others test in theirs
        )
        assert stored.search("make slides").hits[0].id == "ppt-maker"
    gone = f"postgresql://me:{_CANARY}@/db?host={tmp_path}"
    done = hub_index_here("search", "slides", "--store", gone)
    assert (done.code, _is_one_line_without_secret(done)) == (6, True), done.err
    done = hub_index_here("export", "postgres", gone, "--hub", world.hub)
    assert (done.code, _is_one_line_without_secret(done)) == (7, True), done.err


@pytest.mark.parametrize("trouble", ["RAISE 'not today'", "PERFORM pg_terminate_backend(pg_backend_pid())"])
def test_an_update_that_fails_while_rows_are_removed_is_one_line_and_changes_nothing(
    tmp_path: Path, database: str, trouble: str
) -> None:
    """Statements that are not waited for fail as others do: refused, or with the connection gone."""
    own = make_world(tmp_path)
    load(own, database)
    _execute(
        database,
        f"CREATE FUNCTION trouble() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {trouble}; RETURN OLD; END $$",
        "CREATE TRIGGER trouble BEFORE DELETE ON hub_index.lexemes_1 FOR EACH ROW EXECUTE FUNCTION trouble()",
    )
    own.story.hub.skill("ppt-maker", "Make decks from notes.")
    own.story.hub.commit("change")
    own.story.build()
    done = hub_index("export", "postgres", database, "--hub", own.hub, "--name", "hub")
    assert (done.code, done.err.count("\n"), done.out) == (7, 1, ""), done.err
    with open_stored(own, database) as stored:
        assert "decks" not in stored.search("make slides").hits[0].description


def test_a_database_that_is_not_there_is_called_so(postgres: PostgresServer, world: SearchWorld) -> None:
    """What to do is to create it, not to wait."""
    done = hub_index_here("export", "postgres", postgres.url("nowhere"), "--hub", world.hub)
    assert (done.code, "this database does not exist; create it" in done.err, "try again later" in done.err) == (
        7,
        True,
        False,
    ), done.err


@pytest.mark.parametrize("damage", ["DROP TABLE {words}", "DROP TABLE {lexemes}", "DROP EXTENSION vector CASCADE"])
def test_an_export_mends_tables_that_somebody_has_damaged(world: SearchWorld, database: str, damage: str) -> None:
    """A search says what is missing and what to do, and doing it helps."""
    load(world, database)
    with psycopg.connect(database) as connection:
        row = connection.execute("SELECT tables FROM hub_index.hubs").fetchone()
    assert row is not None
    _execute(database, damage.format(words=f"hub_index.words_{row[0]}", lexemes=f"hub_index.lexemes_{row[0]}"))
    found = hub_index_here("search", "slides", "--store", database, "--keyword")
    assert (found.code, "export postgres" in found.err, "aborted" in found.err) == (6, True, False), found.err
    done = hub_index_here("export", "postgres", database, "--hub", world.hub)
    assert (done.code, "nothing new" in done.out + done.err) == (0, False), done.err
    found = hub_index_here("search", "slides", "--store", database, "--keyword")
    assert (found.code, "ppt-maker" in found.out) == (0, True), found.err


@pytest.mark.parametrize(
    "damage",
    [
        "DROP INDEX hub_index.lexemes_1_lexemes_idx",
        "DELETE FROM hub_index.skills_1 WHERE id = 'ppt-maker'",
        "DELETE FROM hub_index.lexemes_1",
    ],
)
def test_an_export_of_the_same_state_puts_back_indexes_and_rows(world: SearchWorld, database: str, damage: str) -> None:
    """A hub that has not changed is loaded anew where something of it is missing, and only there."""
    load(world, database)
    assert load(world, database).sent == 0
    _execute(database, damage)
    assert load(world, database).sent == 5
    assert load(world, database).sent == 0
    with open_stored(world, database) as stored:
        assert stored.search("make slides", mode="keyword").hits[0].id == "ppt-maker"


def test_a_hub_of_the_database_may_be_called_as_a_folder_here(
    world: SearchWorld, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An export takes the folder's name, and whoever stands beside that folder searches under it."""
    load(world, database, "repo")
    monkeypatch.chdir(world.hub.parent)
    found = hub_index_here("search", "slides", "--store", database, "--hub", "repo", "--keyword")
    assert (found.code, "ppt-maker" in found.out) == (0, True), found.err
    wrong = hub_index_here("search", "slides", "--store", database, "--hub", "./repo", "--keyword")
    assert (wrong.code, "--hub is a name in it" in wrong.err) == (2, True), wrong.err
