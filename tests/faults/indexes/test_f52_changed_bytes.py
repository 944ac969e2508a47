"""Settings that make git change bytes: what is committed is what was built, wherever it is checked out."""

from pathlib import Path

import pytest
from support.builds.publish_world import git, make_world, read_index

from hub_index.errors import PublishError
from hub_index.index.format.validate import check_index
from hub_index.index.publish import commit as commit_module
from hub_index.index.publish.git_writer import GitWriter
from hub_index.models import IndexFiles


@pytest.mark.parametrize("mode", ["push", "commit"])
def test_f52_line_endings_and_filters_do_not_touch_the_committed_bytes(tmp_path: Path, mode: str) -> None:
    """autocrlf, a clean filter and `* text` attributes of the hub's own change nothing in the index."""
    world = make_world(tmp_path)
    hub = world.maintainer
    hub.write(".gitattributes", "* text=auto eol=crlf\n*.jsonl filter=shout\n*.f32 filter=shout\n")
    hub.git("add", ".gitattributes")
    hub.git("commit", "-q", "-m", "attributes")
    hub.git("push", "-q")
    git(world.job, "pull", "-q")
    for key, value in (("core.autocrlf", "true"), ("filter.shout.clean", "tr a-z A-Z"), ("core.eol", "crlf")):
        git(world.job, "config", key, value)
    world.publish(push=mode == "push")
    published = read_index(world.remote if mode == "push" else world.job, "main")
    check_index(published)


def test_f52_a_clone_with_autocrlf_reads_the_same_bytes(tmp_path: Path) -> None:
    """The attributes beside the index keep a git with Windows settings from rewriting it on checkout."""
    world = make_world(tmp_path)
    world.publish()
    clone = tmp_path / "windows"
    git(tmp_path, "clone", "-q", "-c", "core.autocrlf=true", str(world.remote), str(clone))
    files = (clone / "search").joinpath
    names = ("index_manifest.json", "skills.jsonl", "vectors.f32")
    manifest, skills, vectors = (files(name).read_bytes() for name in names)
    read = IndexFiles(manifest, skills, vectors)
    check_index(read)
    assert git(clone, "status", "--porcelain") == ""


def test_f52_a_commit_with_other_bytes_is_never_pushed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever comes between the files and their blobs is noticed on the commit, before the push."""
    world = make_world(tmp_path)
    before = world.head()

    def store_other_bytes(writer: GitWriter, files: IndexFiles) -> dict[str, str]:
        blobs = store_blobs(writer, files)
        pointer = writer.run("hash-object", "-w", "--stdin", stdin=b"version https://git-lfs.github.com/spec/v1\n")
        return blobs | {"vectors.f32": pointer.decode().strip()}

    store_blobs = commit_module._store_blobs
    monkeypatch.setattr(commit_module, "_store_blobs", store_other_bytes)
    with pytest.raises(PublishError, match="other bytes"):
        world.publish()
    assert world.head() == before


def test_f52_an_index_that_became_a_pointer_in_the_branch_is_built_again(tmp_path: Path) -> None:
    """The vectors were replaced by an LFS pointer: the next run says so and puts the bytes back."""
    world = make_world(tmp_path)
    world.publish()
    hub = world.maintainer
    hub.git("pull", "-q")
    hub.write("search/vectors.f32", "version https://git-lfs.github.com/spec/v1\n")
    hub.git("commit", "-q", "-a", "-m", "LFS")
    hub.git("push", "-q")
    done = world.publish()
    assert any("cannot be used" in text for text in done.report.notices)
    assert len(world.ids()) == 4
