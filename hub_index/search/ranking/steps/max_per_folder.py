"""At most N hits of one top folder of a hub, so that a large folder leaves room for others."""

from hub_index.search.ranking import Ranking

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import TypeVar

    from hub_index.record import Record

    Item = TypeVar("Item")


def limit_folders(ranking: Ranking) -> Ranking:
    """The best candidates with at most so many of each folder, twice as many as are shown: some may be gone."""
    options, facts = ranking.options, ranking.facts
    placed = ((hit, facts.name_hub(hit), facts.read_record(hit)) for hit in ranking.candidates)
    kept = []
    for candidate in keep_some(placed, options.max_per_folder or len(ranking.candidates)):
        kept.append(candidate)
        if len(kept) == 2 * options.k:
            break
    return ranking.replace(candidates=kept)


def keep_some(placed: "Iterable[tuple[Item, str, Record]]", most: int) -> "Iterator[Item]":
    """The items, each with its hub and its record, that are among the first so many of their folder."""
    counts: dict[tuple[str, str], int] = {}
    for item, hub, record in placed:
        folder = hub, top_folder(record)
        counts[folder] = counts.get(folder, 0) + 1
        if counts[folder] <= most:
            yield item


def top_folder(record: "Record") -> str:
    """The first folder of an id: `databases` of `databases/advisor`, `workflows` of `workflows:release`.

    A skill that lies directly in the hub's folder of skills has its own folder to itself.
    """
    return record.id.partition("/")[0].partition(":")[0]
