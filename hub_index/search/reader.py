"""Choosing what to read: the user's index, the hub's, or the checkout's own files; and what the choice was for.

An index that cannot be used never hides a good one behind it, and every refusal is kept as the reason that the user
is told. Records and vectors of one answer always come from one verified set.
"""

import os
from hashlib import sha256

from hub_index.errors import (
    ConfigError,
    HubIndexError,
    IndexChanging,
    IndexMissing,
    IndexStale,
    IndexUnusable,
    ProviderError,
)
from hub_index.search.engine import Engine
from hub_index.search.index_places import (
    GIVEN,
    USER,
    IndexPlace,
    explain_no_index,
    explain_no_skills,
    is_stale,
    state_of_checkout,
)
from hub_index.search.lexical.cache import entry_key, open_lexical
from hub_index.search.lexical.lexical import LexicalIndex
from hub_index.search.model import Models
from hub_index.search.published_index import PublishedSkills, read_published, read_record_documents

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hub_index.index.folder.store import MappedIndex
    from hub_index.search.checkout.files import Progress

_STALE = "the hub's skills have changed since this index was made: new ones may be missing; sync again or rebuild it"
_SETTLE_TRIES = 3


class Reader:
    """Opens the places of one hub, each at most once."""

    def __init__(
        self, places: list[IndexPlace], models: Models, cache: str, progress: "Progress | None" = None
    ) -> None:
        self.places = places
        self.models = models
        self.cache = cache
        self.refusals: list[tuple[IndexPlace, HubIndexError]] = []
        self._progress = progress

    def open_keyword(self) -> Engine:
        """The lexical leg from the best place. Raises IndexMissing where there is nothing to read at all."""
        for place in self.places:
            try:
                published = read_published(place.index_dir, self.cache)
            except IndexUnusable as error:
                self._refuse(place, error)
                continue
            stale = is_stale(place.hub, published.source_digest, self.cache)
            if place.kind == USER and stale:
                self._refuse(place, IndexStale(f"{place.index_dir}: {_STALE}"))
                continue
            hub = _folder_of(place)
            return Engine(
                self._lexical(published, hub), hub=hub, index_dir=place.index_dir, notices=(_STALE,) if stale else ()
            )
        return self._open_checkout()

    def open_vectors(self) -> Engine:
        """Both legs and the encoder from the best place. Raises the refusal that the user should hear."""
        for place in self.places:
            try:
                return self._open_set(place, with_encoder=True)
            except (IndexUnusable, ConfigError, ProviderError) as error:
                self._refuse(place, error)
        for place, refusal in self.refusals:
            if isinstance(refusal, IndexStale):  # better than nothing, and it says so
                return self._open_set(place, with_encoder=True, allow_stale=True)
        raise self.main_refusal()

    def open_without_model(self) -> Engine:
        """The vectors of the best place, for comparing its skills with each other. Raises IndexUnusable."""
        for place in self.places:
            try:
                return self._open_set(place)
            except IndexUnusable as error:
                self._refuse(place, error)
        raise self.main_refusal()

    def main_refusal(self) -> HubIndexError:
        """Of all refusals the one that matters: that of an index which is there, else that there is none."""
        there = [error for _, error in self.refusals if not isinstance(error, IndexMissing)]
        if there:
            return there[-1]
        if self.places[0].kind == GIVEN:
            return IndexMissing(explain_no_index(self.places[0]))
        return IndexMissing(
            "there is no index to search by meaning; run `hub-index sync`, or `hub-index search --index`"
        )

    def _refuse(self, place: IndexPlace, error: HubIndexError) -> None:
        self.refusals = [known for known in self.refusals if known[0] is not place] + [(place, error)]

    def _open_set(self, place: IndexPlace, *, with_encoder: bool = False, allow_stale: bool = False) -> Engine:
        """One verified set with its vectors. Raises IndexUnusable, and ConfigError for want of a key."""
        from hub_index.index.format.vectors import check_vectors, view_vectors

        published, mapped = self._read_set(place)
        manifest = mapped.manifest
        stale = is_stale(place.hub, manifest.source_digest or "", self.cache)
        if place.kind == USER and stale and not allow_stale:
            raise IndexStale(f"{place.index_dir}: {_STALE}")
        encoder = (
            self.models.encoder_for(manifest.model_id, manifest.space or "", manifest.dim) if with_encoder else None
        )
        from hub_index.search.semantic import VectorScan

        check_vectors(mapped.vectors, manifest)
        hub = _folder_of(place)
        return Engine(
            self._lexical(published, hub),
            hub=hub,
            index_dir=place.index_dir,
            notices=(_STALE,) if stale else (),
            scan=VectorScan(view_vectors(mapped.vectors, manifest)),
            encoder=encoder,
            model_id=manifest.model_id,
            dim=manifest.dim,
            normalize=manifest.normalize,
        )

    def _read_set(self, place: IndexPlace) -> "tuple[PublishedSkills, MappedIndex]":
        """Records and vectors of one and the same set."""
        from pathlib import Path

        from hub_index.index.folder.store import map_index

        for _ in range(_SETTLE_TRIES):
            published = read_published(place.index_dir, self.cache)
            mapped = map_index(Path(place.index_dir))
            if sha256(mapped.skills).hexdigest() == published.skills_sha256:
                return published, mapped
        raise IndexChanging(f"{place.index_dir}: the index is being changed right now; try again in a moment")

    def _lexical(self, published: PublishedSkills, hub: str) -> LexicalIndex:
        key = entry_key("index", published.skills_sha256, state_of_checkout(hub))
        return open_lexical(self.cache, key, lambda: read_record_documents(published.skills, hub, self._progress))

    def _open_checkout(self) -> Engine:
        """The checkout's own files, where no index can be read. Raises IndexMissing."""
        from hub_index.search.checkout.files import digest_checkout, list_checkout, read_documents

        place = self.places[-1]
        hub = _folder_of(place)
        if not hub or not list_checkout(hub):
            refusal = self.main_refusal()
            if not isinstance(refusal, IndexMissing) or not place.hub:
                raise refusal
            raise IndexMissing(explain_no_skills(place))
        key = entry_key("checkout", os.path.realpath(hub), digest_checkout(hub))
        return Engine(open_lexical(self.cache, key, lambda: read_documents(hub, self._progress)), hub=hub)


def _folder_of(place: IndexPlace) -> str:
    """The place's checkout; empty where none is known or it is not there."""
    return place.hub if place.hub and os.path.isdir(place.hub) else ""
