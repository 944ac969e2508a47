"""What a run says it was charged is what it was charged, for tries that came too late as well."""

from ast import literal_eval
from collections.abc import Callable
from pathlib import Path
from typing import Any

from support.builds.publish_child import RecordingEncoder
from support.builds.publish_world import make_world

from hub_index.embedding.cache.vector_cache import VectorCache
from hub_index.index.build_tools import BuildOptions, BuildTools
from hub_index.index.publish.publish import PublishOptions, publish_index


def test_the_tokens_of_a_try_that_lost_the_race_are_counted(tmp_path: Path) -> None:
    """Somebody pushes before our first push: the second try finds our texts in the cache, paid for by this run."""
    world = make_world(tmp_path, skills=4)
    waiting = ["somebody's"]

    def run_step(name: str, work: Callable[[], Any]) -> Any:
        if name == "push" and waiting:
            world.push_skill(waiting.pop(), "Comes in between.")
        return work()

    record = tmp_path / "texts"
    encoder, cache = RecordingEncoder(record, None), VectorCache(tmp_path / "cache")
    tools = BuildTools(encoder_for=lambda _: encoder, cache=cache, run_step=run_step)
    published = publish_index(world.job, BuildOptions(), PublishOptions(push=True), tools)
    asked = [literal_eval(line) for line in record.read_text().splitlines()]
    assert (published.tries, len(asked)) == (2, 5)
    assert published.report.tokens == sum(map(encoder.estimate_tokens, asked))
    assert (tools.ledger.embedded, tools.ledger.kept) == (5, 5)
