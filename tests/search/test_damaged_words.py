"""An entry of the lexical cache whose bytes a disk has changed, times and sizes kept: no answer is made of them."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.searches.search_world import SearchWorld, make_world

from hub_index.search.lexical.cache import entry as entries
from hub_index.search.lexical.guarded import is_damage
from hub_index.search.results import Results
from hub_index.service.hubs.open_hubs import OpenHub
from hub_index.service.requests import FindRequest, ListRequest
from hub_index.service.service import Service

QUERY = "how to analyze slow queries of a database in skill number 7"
SKILLS = {
    f"skill-{number:03}": (f"Analyze number {number} of the slow database queries {number * 7919}.", f"# Do {number}\n")
    for number in range(120)
}
PLACES = 2  # of each file


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> SearchWorld:
    """A hub whose words are in the cache; a change of a skill made a second entry of the first one's files."""
    world = make_world(tmp_path_factory.mktemp("damaged"), SKILLS)
    search(world)
    world.story.hub.skill("skill-007", "Analyze other slow queries.")
    world.story.hub.git("add", "skills")
    search(world)
    return world


@pytest.fixture(params=[entries._WHOLE_BYTES, 0], ids=["small", "large"])
def world(
    made: SearchWorld, tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> SearchWorld:
    """The same with a cache of its own, sealed as if its files were small, or large ones of which samples are taken."""
    shutil.copytree(made.cache, tmp_path / "cache", copy_function=shutil.copy2)
    monkeypatch.setattr(entries, "_WHOLE_BYTES", request.param)
    monkeypatch.setattr(entries, "_SAMPLES", 1)
    monkeypatch.setattr(entries, "_SAMPLE_BYTES", 1)
    copied = SearchWorld(made.home, tmp_path / "cache", made.story, made.encoder)
    for folder in folders(copied):
        (folder / "seal").unlink()
        entries.write_seal(str(folder), folder.name)
    return copied


def search(world: SearchWorld) -> Results:
    """An answer by words of an index that is opened anew."""
    return world.open().search(QUERY, 50, mode="keyword")


def folders(world: SearchWorld) -> list[Path]:
    """The entries of the cache."""
    return sorted(path for path in (world.cache / "lexical").iterdir() if path.is_dir())


def flip(file: Path, at: int) -> None:
    """Another bit at a place, where the file was changed last being what it was."""
    was, content = file.stat(), bytearray(file.read_bytes())
    content[at] ^= 0x80
    with file.open("r+b") as target:
        target.write(content)
    os.utime(file, ns=(was.st_atime_ns, was.st_mtime_ns))


def places(world: SearchWorld) -> Iterator[tuple[str, int]]:
    """A bounded number of places in every file of every entry, by its path in the cache."""
    for file in sorted(world.cache.glob("lexical/*/*")):
        size = file.stat().st_size
        for at in sorted({size * part // PLACES for part in range(PLACES)} | {min(170, size - 1)} if size else ()):
            yield str(file.relative_to(world.cache)), at


def test_one_changed_bit_ends_no_search_and_shows_no_wrong_record(world: SearchWorld, tmp_path: Path) -> None:
    """Every record is shown as it was written, and where the entry was made anew, all is as before."""
    pristine, right = tmp_path / "pristine", search(world)
    shown = {hit.id: hit.description for hit in world.open().search("skill", 500, mode="keyword").hits}
    shutil.copytree(world.cache, pristine, copy_function=shutil.copy2)
    for number, (name, at) in enumerate(list(places(world))):
        # renamed, not removed: tantivy looks after an index that was open, and puts a lock into its folder for a moment
        world.cache.rename(tmp_path / f"before-{number}")
        shutil.copytree(pristine, world.cache, copy_function=shutil.copy2)
        flip(world.cache / name, at)
        for _ in range(2):
            found = search(world)
            assert {hit.id: hit.description for hit in found.hits}.items() <= shown.items()
            if entries._WHOLE_BYTES:
                assert [hit.id for hit in found.hits] == [hit.id for hit in right.hits]


def ask_service(world: SearchWorld) -> list[object]:
    """What a service that stays open says: a search, a list, and what a skill is."""
    service = Service([OpenHub("own", world.open())])
    listed = service.list(ListRequest()).skills
    found = service.find(FindRequest(QUERY, k=50, mode="keyword")).hits
    for store in world.cache.glob("lexical/*/*.store"):
        for at in range(0, store.stat().st_size - 200, 97):
            flip(store, at)
    assert service.list(ListRequest()).skills == listed
    assert [hit.id for hit in service.find(FindRequest(QUERY, k=50, mode="keyword")).hits] == [hit.id for hit in found]
    return [entry.record for entry in listed]


def test_damaged_records_are_not_shown(world: SearchWorld) -> None:
    """In the middle of the documents, of a search, of one skill, and below a service that has them open."""
    right, skill = search(world), world.open().show("skill-100")
    for _ in range(2):
        for store in world.cache.glob("lexical/*/*.store"):
            for at in range(0, store.stat().st_size - 200, 97):
                flip(store, at)
        for _ in range(2):
            assert world.open().show("skill-100").record == skill.record
            assert [(hit.id, hit.description) for hit in search(world).hits] == [
                (hit.id, hit.description) for hit in right.hits
            ]
    assert ask_service(world) == ask_service(world)


def test_a_panic_of_tantivy_is_damage() -> None:
    """Its class is no Exception and can be known by its name alone."""
    panic = type("PanicException", (BaseException,), {"__module__": "pyo3_runtime"})
    assert is_damage(panic("index out of bounds"))
    assert not is_damage(KeyboardInterrupt())
