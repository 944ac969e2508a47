"""No index goes out with one vector for many texts."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from support.builds.build_story import BuildStory, make_story
from support.builds.gate_world import DIM, SKILLS, build, edit, one_for_all, vectors
from support.hubs.hub_maker import HubMaker, make_plain_hub
from support.models.fake_encoder import FakeEncoder
from support.models.provider_world import named_server
from support.models.scripted_server import ScriptedServer

from hub_index.cli.main import main
from hub_index.errors import ProviderBrokePromise


@pytest.fixture
def hub(tmp_path: Path) -> HubMaker:
    """A hub of thirty skills."""
    return make_plain_hub(tmp_path / "hub", SKILLS)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedServer]:
    """A server that the environment points at."""
    with named_server(monkeypatch, dim=DIM) as scripted:
        yield scripted


def test_one_vector_for_every_text_is_refused_and_does_not_stay_in_the_cache(
    hub: HubMaker, server: ScriptedServer, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit 5 with the count, some ids and the way out; once the provider is well, the next build asks for all again."""
    right = server.default
    server.default = one_for_all
    assert build(hub) == 5
    said = capsys.readouterr().err.strip()
    assert "\n" not in said
    assert "30 of 30 rows" in said
    assert "skill-00, skill-01, skill-02, skill-03, skill-04 and 25 more" in said
    assert "--accept vectors" in said
    assert vectors(hub) == b""
    server.default = right
    assert build(hub) == 0
    assert len(set(np.frombuffer(vectors(hub), "<f4").reshape(-1, DIM)[:, 0].tolist())) == SKILLS


def test_a_publish_of_one_vector_for_every_text_makes_no_commit(hub: HubMaker, server: ScriptedServer) -> None:
    """The branch stays where it was."""
    head = hub.git("rev-parse", "HEAD")
    server.default = one_for_all
    assert main(["publish", str(hub.root), "--model", "openai:m"]) == 5
    assert hub.git("rev-parse", "HEAD") == head


def test_accept_vectors_lets_one_build_through(
    hub: HubMaker, server: ScriptedServer, capsys: pytest.CaptureFixture[str]
) -> None:
    """The owner's word counts once, and what it overrode is told: the next build that changes something is refused."""
    server.default = one_for_all
    assert build(hub, "--accept", "vectors") == 0
    said = capsys.readouterr().err
    assert "--accept vectors: openai:m gave the same vector for different texts: 30 of 30 rows" in said
    before = vectors(hub)
    assert before
    edit(hub, 3)
    assert build(hub) == 5
    assert vectors(hub) == before


class CollidingEncoder(FakeEncoder):
    """Gives one vector to texts that have a word in common, and reads only the beginning of a text."""

    reads = 10_000

    def vector(self, text: str) -> "np.typing.NDArray[np.float32]":
        """The vector of what is read, or of the word."""
        read = str(self.as_read(text))
        return super().vector("collides" if "collides" in read else read)

    def as_read(self, text: str) -> str:
        """The first characters."""
        return text[: self.reads]


def colliding_story(root: Path, skills: int, colliding: int) -> BuildStory:
    """A hub some of whose texts get one vector."""
    story = make_story(root, skills=skills - colliding)
    for number in range(colliding):
        story.hub.skill(f"wrong-{number:02}", f"It collides, number {number}.")
    story.hub.commit()
    story.encoder = CollidingEncoder()
    return story


@pytest.mark.parametrize(
    ("skills", "colliding", "is_refused"),
    [(12, 2, False), (12, 3, True), (100, 3, True), (150, 3, False), (149, 3, True), (200, 4, False), (200, 5, True)],
)
def test_three_rows_and_more_than_two_percent_are_too_many(
    tmp_path: Path, skills: int, colliding: int, is_refused: bool
) -> None:
    """Both sides of both limits."""
    story = colliding_story(tmp_path / "hub", skills, colliding)
    if is_refused:
        with pytest.raises(ProviderBrokePromise, match="wrong-00, wrong-01, wrong-02"):
            story.build()
        assert not story.folder.exists()
    else:
        assert story.build().changed


def test_honest_copies_and_texts_that_the_model_reads_alike_are_no_reason(tmp_path: Path) -> None:
    """Two thousand copies of a text and forty texts that differ behind the cut, beside a dozen others."""
    story = make_story(tmp_path / "hub", skills=12)
    for number in range(2_000):
        story.hub.skill(f"copies/copy-{number:04}", "The very same text.", name="copy")
    for number in range(40):
        story.hub.skill(f"long/long-{number:02}", f"{'A long text. ' * 10}{number}", name="long")
    story.hub.commit()
    story.encoder = encoder = CollidingEncoder()
    encoder.reads = 100
    assert story.build().changed
    story.hub.skill("one-more")
    story.hub.commit()
    assert story.build().changed


def test_a_vector_for_each_batch_is_refused_though_each_has_few_rows(tmp_path: Path) -> None:
    """Rows that share one of many vectors are counted together."""
    story = make_story(tmp_path / "hub", skills=400)

    class BatchEncoder(FakeEncoder):
        def vector(self, text: str) -> "np.typing.NDArray[np.float32]":
            return super().vector(text.partition("number ")[2][:2])

    story.encoder = BatchEncoder()
    with pytest.raises(ProviderBrokePromise, match="of 400 rows"):
        story.build()
