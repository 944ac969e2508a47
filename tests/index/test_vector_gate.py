"""No index goes out with one vector for many texts, or with vectors of two models under one name."""

import hashlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from support.build_story import BuildStory, make_story
from support.fake_encoder import FakeEncoder
from support.hub_maker import HubMaker
from support.provider_world import CANARY
from support.scripted_server import Handler, Reply, Request, ScriptedServer, vector_of

from hub_index.cli.main import main
from hub_index.embedding.cache.care import read_info
from hub_index.errors import ProviderBrokePromise

SKILLS = 30
DIM = 8


def answering(vector: Callable[[str], list[float]]) -> Reply:
    """The right answer, with other vectors."""

    def reply(handler: Handler, request: Request) -> None:
        payload = handler.scripted.payload(request)
        for item, text in zip(payload["data"], request.texts, strict=True):
            item["embedding"] = handler.scripted.embedding(vector(text), request)
        handler.send(200, json.dumps(payload).encode())

    return reply


one_for_all = answering(lambda _: vector_of("always the same", DIM))
another_model = answering(lambda text: vector_of(f"swapped {text}", DIM))


@pytest.fixture
def hub(tmp_path: Path) -> HubMaker:
    """A hub of thirty skills."""
    maker = HubMaker(tmp_path / "hub")
    maker.skills(SKILLS)
    maker.commit()
    return maker


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedServer]:
    """A server that the environment points at."""
    with ScriptedServer(dim=DIM) as scripted:
        monkeypatch.setenv("AXON_EMBEDDINGS_BASE_URL", scripted.url)
        monkeypatch.setenv("AXON_EMBEDDINGS_API_KEY", CANARY)
        yield scripted


def build(hub: HubMaker, *more: str) -> int:
    """The exit code of a build with a made-up model."""
    return main(["build", str(hub.root), "--model", "openai:m", *more])


def vectors(hub: HubMaker) -> bytes:
    """The published vectors; none where there is no index."""
    path = hub.root / "search" / "vectors.f32"
    return path.read_bytes() if path.exists() else b""


def edit(hub: HubMaker, *numbers: int) -> None:
    """Gives some skills another text."""
    for number in numbers:
        hub.skill(f"skill-{number:02}", f"Now does thing number {number} better.")
    hub.commit()


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


def test_accept_vectors_lets_one_build_through(hub: HubMaker, server: ScriptedServer) -> None:
    """The owner's word counts once: the next build that changes something is refused again."""
    server.default = one_for_all
    assert build(hub, "--accept", "vectors") == 0
    before = vectors(hub)
    assert before
    edit(hub, 3)
    assert build(hub) == 5
    assert vectors(hub) == before


def test_a_model_that_is_swapped_behind_its_name_is_refused(
    hub: HubMaker, server: ScriptedServer, capsys: pytest.CaptureFixture[str]
) -> None:
    """A text is edited, eight old ones ride along and come back strange: nothing is written or kept in the cache."""
    right = server.default
    assert build(hub) == 0
    before = vectors(hub)
    edit(hub, 3)
    server.default = another_model
    capsys.readouterr()
    server.requests.clear()
    assert build(hub) == 5
    said = capsys.readouterr().err.strip()
    assert "8 of 8 old texts" in said
    assert "--accept vectors" in said
    assert [len(request.texts) for request in server.requests] == [9]
    assert vectors(hub) == before
    server.default = right
    assert build(hub) == 0
    assert len(server.requests) == 2  # the edited text was not in the cache


def test_a_swapped_model_is_found_with_the_smallest_batches_before_anything_is_kept(
    hub: HubMaker, server: ScriptedServer
) -> None:
    """With a text a request the eight old texts go first, and no new text is asked for."""
    assert build(hub) == 0
    edit(hub, *range(SKILLS // 2))
    server.default = another_model
    server.requests.clear()
    assert build(hub, "--batch-size", "1") == 5
    assert len(server.requests) == 8
    assert not any("Now does" in text for request in server.requests for text in request.texts)


def test_accept_vectors_and_force_both_go_on_with_a_swapped_model(hub: HubMaker, server: ScriptedServer) -> None:
    """Neither sends an old text along: one mixes on purpose, the other embeds everything anew."""
    assert build(hub) == 0
    edit(hub, 3)
    server.default = another_model
    server.requests.clear()
    assert build(hub, "--accept", "vectors") == 0
    assert [len(request.texts) for request in server.requests] == [1]
    assert build(hub, "--force") == 0
    assert sum(len(request.texts) for request in server.requests) == 1 + SKILLS


@pytest.mark.parametrize(("strange", "code"), [(1, 0), (2, 5)])
def test_one_old_text_may_come_back_strange_and_two_may_not(
    hub: HubMaker, server: ScriptedServer, strange: int, code: int
) -> None:
    """Both sides of the limit, and a vector of cosine 0.995 is still the same model's."""
    assert build(hub) == 0
    edit(hub, 3)
    by_hash = sorted(
        (hashlib.sha256(text.encode()).hexdigest(), text)
        for text in server.times_requested
        if not text.startswith("name: skill-03\n")
    )
    odd = {text for _, text in by_hash[:strange]}

    def vector(text: str) -> list[float]:
        if text in odd:
            return vector_of(f"strange {text}", DIM)
        own, noise = np.array(vector_of(text, DIM)), np.array(vector_of(f"noise {text}", DIM))
        noise -= own * (noise @ own) / (own @ own)
        mixed: list[float] = (own + 0.1 * np.linalg.norm(own) * noise / np.linalg.norm(noise)).tolist()
        return mixed

    server.default = answering(vector)
    assert build(hub) == code


def test_old_texts_that_ride_along_are_priced_and_never_stored(
    hub: HubMaker, server: ScriptedServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The report's tokens are those of nine texts, the index has one new row, the cache one new vector."""
    cache = ("--cache", str(tmp_path / "cache"))
    assert build(hub, *cache) == 0
    before = np.frombuffer(vectors(hub), "<f4").reshape(-1, DIM)
    edit(hub, 3)
    noisy = answering(lambda text: [number + 0.001 for number in vector_of(text, DIM)])
    server.default = noisy
    server.requests.clear()
    capsys.readouterr()
    assert build(hub, *cache, "--json") == 0
    sent = list(server.times_requested)
    assert len(sent) == 9
    assert json.loads(capsys.readouterr().out)["tokens"] == sum(len(text.split()) for text in sent)
    assert [space.vectors for space in read_info(tmp_path / "cache").spaces] == [SKILLS + 1]
    after = np.frombuffer(vectors(hub), "<f4").reshape(-1, DIM)
    assert [row for row in range(SKILLS) if before[row].tobytes() != after[row].tobytes()] == [3]


def test_a_plan_counts_the_old_texts_that_ride_along(
    hub: HubMaker, server: ScriptedServer, capsys: pytest.CaptureFixture[str]
) -> None:
    """Tokens of a plan are those of the new text and of the eight old ones; without a new text there are none."""

    def planned() -> int:
        capsys.readouterr()
        assert main(["plan", str(hub.root), "--model", "openai:m", "--json"]) == 0
        tokens: int = json.loads(capsys.readouterr().out)["tokens"]
        return tokens

    first = planned()
    assert build(hub) == 0
    assert planned() == 0
    edit(hub, 3)
    one_text = first / SKILLS
    assert 8 * one_text < planned() < 11 * one_text


def test_texts_from_the_cache_send_no_old_text_along(hub: HubMaker, server: ScriptedServer) -> None:
    """A build that has every vector already asks nobody."""
    assert build(hub) == 0
    edit(hub, 3)
    assert build(hub) == 0
    hub.skill("skill-03", "Does thing number 3.")
    hub.commit()
    server.requests.clear()
    assert build(hub) == 0
    assert server.requests == []


@pytest.mark.parametrize("model", ["openai:m", "openai:other"])
def test_no_gate_stands_in_the_way_of_changes_to_every_text(hub: HubMaker, server: ScriptedServer, model: str) -> None:
    """Every text edited, and the same or a new model: a build like any other."""
    assert build(hub) == 0
    edit(hub, *range(SKILLS))
    assert build(hub, "--model", model) == 0


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
