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
from hub_index.search.index_places import GIVEN, USER, IndexPlace, advice_for, is_stale, state_of_checkout
from hub_index.search.lexical.cache import entry_key, open_lexical
from hub_index.search.lexical.lexical import LexicalIndex
from hub_index.search.model import Models
from hub_index.search.published_index import PublishedSkills, read_published, read_record_documents

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hub_index.embedding.encoder import Encoder
    from hub_index.index.folder.store import MappedIndex
    from hub_index.search.checkout.files import Progress

_STALE = "the hub's skills have changed since this index was made: new ones may be missing; sync again or rebuild it"
_SETTLE_TRIES = 3


class OpenIndex:
    """What answers a query: the legs, where they come from, and who embeds."""

    __slots__ = ("dim", "encoder", "engine", "hub", "index_dir", "model_id", "normalize", "notices")

    def __init__(self, engine: Engine, hub: str, index_dir: str = "") -> None:
        self.engine = engine
        self.hub = hub if hub and os.path.isdir(hub) else ""
        self.index_dir = index_dir
        self.encoder: Encoder | None = None
        self.model_id = ""
        self.dim = 0
        self.normalize = True
        self.notices: list[str] = []


class _ReadSet:
    __slots__ = ("mapped", "published")

    def __init__(self, published: PublishedSkills, mapped: "MappedIndex") -> None:
        self.published = published
        self.mapped = mapped


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

    def open_keyword(self) -> OpenIndex:
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
            opened = OpenIndex(Engine(self._lexical(place, published)), place.hub, place.index_dir)
            if stale:
                opened.notices.append(_STALE)
            return opened
        return self._open_checkout()

    def open_vectors(self) -> OpenIndex:
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

    def open_without_model(self) -> OpenIndex:
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
            return IndexMissing(f"there is no index in {self.places[0].index_dir}; {advice_for(self.places[0])}")
        return IndexMissing(
            "there is no index to search by meaning; run `hub-index sync`, or `hub-index search --index`"
        )

    def _refuse(self, place: IndexPlace, error: HubIndexError) -> None:
        self.refusals = [known for known in self.refusals if known[0] is not place] + [(place, error)]

    def _open_set(self, place: IndexPlace, *, with_encoder: bool = False, allow_stale: bool = False) -> OpenIndex:
        """One verified set with its vectors. Raises IndexUnusable, and ConfigError for want of a key."""
        from hub_index.index.format.vectors import check_vectors, view_vectors

        read = self._read_set(place)
        manifest = read.mapped.manifest
        stale = is_stale(place.hub, manifest.source_digest or "", self.cache)
        if place.kind == USER and stale and not allow_stale:
            raise IndexStale(f"{place.index_dir}: {_STALE}")
        encoder = (
            self.models.encoder_for(manifest.model_id, manifest.space or "", manifest.dim) if with_encoder else None
        )
        from hub_index.search.semantic import VectorScan

        check_vectors(read.mapped.vectors, manifest)
        scan = VectorScan(view_vectors(read.mapped.vectors, manifest))
        opened = OpenIndex(Engine(self._lexical(place, read.published), scan), place.hub, place.index_dir)
        opened.encoder = encoder
        opened.model_id = manifest.model_id
        opened.dim = manifest.dim
        opened.normalize = manifest.normalize
        opened.notices = [_STALE] if stale else []
        return opened

    def _read_set(self, place: IndexPlace) -> "_ReadSet":
        from pathlib import Path

        from hub_index.index.folder.store import map_index

        for _ in range(_SETTLE_TRIES):
            published = read_published(place.index_dir, self.cache)
            mapped = map_index(Path(place.index_dir))
            if sha256(mapped.skills).hexdigest() == published.skills_sha256:
                return _ReadSet(published, mapped)
        raise IndexChanging(f"{place.index_dir}: the index is being changed right now; try again in a moment")

    def _lexical(self, place: IndexPlace, published: PublishedSkills) -> LexicalIndex:
        key = entry_key("index", published.skills_sha256, state_of_checkout(place.hub))
        hub = place.hub if place.hub and os.path.isdir(place.hub) else ""
        return open_lexical(self.cache, key, lambda: read_record_documents(published.skills, hub, self._progress))

    def _open_checkout(self) -> OpenIndex:
        """The checkout's own files, where no index can be read. Raises IndexMissing."""
        from hub_index.search.checkout.files import digest_checkout, list_checkout, read_documents

        hub = self.places[-1].hub
        if not hub or not os.path.isdir(hub) or not list_checkout(hub):
            refusal = self.main_refusal()
            if not isinstance(refusal, IndexMissing) or not hub:
                raise refusal
            raise IndexMissing(f"neither an index nor a checkout of skills in {hub}; run `hub-index sync`")
        key = entry_key("checkout", os.path.realpath(hub), digest_checkout(hub))
        return OpenIndex(Engine(open_lexical(self.cache, key, lambda: read_documents(hub, self._progress))), hub)
