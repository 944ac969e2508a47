"""The same questions with what a cache remembers and with an empty one."""

import os
from pathlib import Path

from hub_index.search.checkout import listing
from hub_index.search.results import Results
from support.searches.search_world import SearchWorld

QUERIES = ("zymurgy", "quokka", "plan of a statement", "slides")


def ask(world: SearchWorld, hub: Path | None = None, cache: Path | None = None) -> list[Results]:
    """Some queries, each by a process of its own, as it were."""
    asked = SearchWorld(world.home, cache or world.cache, world.story, world.encoder)
    answers = []
    for query in QUERIES:
        listing._last.clear()
        answers.append(asked.open_hub(hub or world.hub).search(query, mode="keyword"))
    return answers


def ask_fresh(world: SearchWorld, hub: Path | None = None) -> list[Results]:
    """The same with an empty cache."""
    return ask(world, hub, world.cache.with_name(f"cache-{os.urandom(4).hex()}"))
