"""A hub of thirty skills and a provider that may answer wrongly: what the tests of the vectors' gate act with."""

import json
from collections.abc import Callable

from hub_index.cli.main import main
from support.hubs.hub_maker import HubMaker
from support.models.scripted_server import Handler, Reply, Request, vector_of

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
