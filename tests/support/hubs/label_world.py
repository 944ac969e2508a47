"""A published hub with labelled queries, and scores from a script: what the tests of the quality gate act with."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from hub_index.embedding.encoder import Encoder
from hub_index.hub.labels.labels import LabelledQuery
from hub_index.models import IndexFiles
from support.builds.publish_world import PublishWorld, make_world


@dataclass
class ScriptedEvaluator:
    """Gives the scores of the script, one list for each index that it is asked about."""

    script: list[list[float]]
    asked: list[list[LabelledQuery]] = field(default_factory=list)
    encoders: list[Encoder | None] = field(default_factory=list)

    def __call__(
        self,
        files: IndexFiles,
        queries: Sequence[LabelledQuery],
        encoder: Encoder | None,
        advance: Callable[[int], None],
    ) -> list[float]:
        self.asked.append(list(queries))
        self.encoders.append(encoder)
        return self.script.pop(0)


def add_labels(world: PublishWorld, queries: str, qrels: str) -> None:
    """Commits and pushes label files under their usual names."""
    world.maintainer.git("pull", "-q", "--rebase")
    world.maintainer.write("search-queries.jsonl", queries)
    world.maintainer.write("search-qrels.tsv", qrels)
    world.maintainer.commit("labels")
    world.maintainer.git("push", "-q")


def labels(count: int, skills: int = 4) -> tuple[str, str]:
    """So many queries, each with one right skill."""
    queries = "".join(json.dumps({"qid": f"q{n}", "text": f"thing number {n % skills}"}) + "\n" for n in range(count))
    return queries, "".join(f"q{n}\tskill-{n % skills:02}\t1\n" for n in range(count))


def world_after_first_index(root: Path, count: int, script: list[list[float]]) -> PublishWorld:
    """A published hub with so many labelled queries, and an edit that is not published yet."""
    world = make_world(root)
    add_labels(world, *labels(count))
    world.publish()
    world.push_skill("skill-01", "Does another thing now.")
    world.evaluate = ScriptedEvaluator(script)
    return world
