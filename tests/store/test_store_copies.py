"""Near copies in a database."""

from pathlib import Path

from support.searches.search_world import ids, make_world
from support.servers.store_world import load, open_stored

_ABOUT = "Remove the signs of machine writing from a text, so that it reads as if a person wrote it by hand."


def test_a_database_folds_as_the_files_do(tmp_path: Path, database: str) -> None:
    """The same hits with the same copies, by words alone and with vectors."""
    skills = {f"{team}/human-text": (_ABOUT, "") for team in "abc"} | {"text-count": ("Count the words of a text.", "")}
    world = make_world(tmp_path, skills)
    load(world, database)
    with world.open() as files, open_stored(world, database) as stored:
        for mode in ("keyword", "semantic", "hybrid"):
            expected, found = files.search("text of a person", 2, mode), stored.search("text of a person", 2, mode)
            assert ids(found.hits) == ids(expected.hits)
            assert [ids(hit.also_like) for hit in found] == [ids(hit.also_like) for hit in expected]
            assert sorted(len(hit.also_like) for hit in found) == [0, 2]
