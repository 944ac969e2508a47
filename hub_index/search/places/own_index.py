"""The user's own index: preferred only if it was made from the present skills, with the configured model."""

from hub_index.base.characters import quote_line
from hub_index.errors import ConfigError, IndexStale, ModelMismatch, ProviderError
from hub_index.search.places.index_places import USER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from hub_index.errors import HubIndexError, IndexUnusable
    from hub_index.search.checkout.freshness import CheckoutFacts
    from hub_index.search.places.index_places import IndexPlace
    from hub_index.search.places.query_model import Models
    from hub_index.search.places.verified_records import PublishedSkills

CHANGED = "the hub's skills have changed since this index was made"
STALE = f"{CHANGED}; sync again or rebuild it"


def check_own(place: "IndexPlace", published: "PublishedSkills", facts: "CheckoutFacts", models: "Models") -> None:
    """Raises IndexStale, ModelMismatch for an index of the user's own that must not hide the hub's."""
    if place.kind != USER:
        return
    if facts.is_stale(published.source_digest):
        raise IndexStale(f"{place.index_dir}: {STALE}")
    if models.is_other(published.model_id):
        raise ModelMismatch(
            f"{place.index_dir} was made with {quote_line(published.model_id)}, and {models.configured} is configured; "
            "make it anew with `hub-index search --index`"
        )


def passed_over(
    refusals: "Sequence[tuple[IndexPlace, HubIndexError]]", why: "type[IndexUnusable]"
) -> "IndexPlace | None":
    """The place of the user's own index if it was refused for this, and the hub has no valid one."""
    valid = (ModelMismatch, ConfigError, ProviderError)  # an index that is refused for these answers by words
    if any(place.kind != USER and isinstance(error, valid) for place, error in refusals):
        return None
    return next((place for place, error in refusals if place.kind == USER and isinstance(error, why)), None)
