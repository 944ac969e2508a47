"""Choosing what to read: the user's index, the hub's, or the checkout's own files; and what the choice was for.

An index that cannot be used never hides a good one behind it, and every refusal is kept as the reason that the user
is told. Records and vectors of one answer always come from one verified set.
"""

import os

from hub_index.base.characters import quote_line
from hub_index.base.safe_open import RootedPath, file_stamp
from hub_index.errors import (
    ConfigError,
    HubIndexError,
    IndexChanging,
    IndexMissing,
    IndexStale,
    IndexUnusable,
    ModelMismatch,
    ProviderError,
)
from hub_index.search.checkout.config import config_notices
from hub_index.search.checkout.freshness import CheckoutFacts, read_facts
from hub_index.search.checkout.git_head import find_git_folder
from hub_index.search.checkout.state import read_state
from hub_index.search.checkout.walk import CheckoutWalk
from hub_index.search.lexical.cache.lexical_cache import Making, entry_key, open_lexical
from hub_index.search.lexical.lexical import LexicalIndex
from hub_index.search.lexical.translation.translator import Translator
from hub_index.search.places.index_places import GIVEN, USER, IndexPlace, explain_no_index, explain_no_skills
from hub_index.search.places.own_index import CHANGED, STALE, check_own, passed_over
from hub_index.search.places.query_model import Models
from hub_index.search.places.verified_records import MANIFEST, PublishedSkills, read_published
from hub_index.search.ranking.engine import Engine

TYPE_CHECKING = False
if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from hub_index.models import Manifest
    from hub_index.search.checkout.edits import Edits, EditWatch
    from hub_index.search.lexical.cache.documents import DocumentSource
    from hub_index.search.places.verified_vectors import PublishedVectors

_SETTLE_TRIES = 3
_LATER = "by meaning only as the index has it"


class Reader:
    """Opens the places of one hub, each at most once."""

    def __init__(
        self,
        places: list[IndexPlace],
        models: Models,
        cache: str,
        making: Making | None = None,
        allowed_signers: str = "",
    ) -> None:
        self.places = places
        self.hub = _folder_of(places[-1])  # all places of a reader are of one hub
        self.models = models
        self.cache = cache
        self.refusals: list[tuple[IndexPlace, HubIndexError]] = []
        self._making = making or Making()
        self._watch: EditWatch | None = None
        self._allowed_signers = allowed_signers
        self._walk = CheckoutWalk(self.hub, self._making.progress)
        self.translator = Translator(cache, self._making.progress)

    def watch_edits(self) -> None:
        """From now on saved files of the checkout that are not committed are read, too."""
        if self.hub and find_git_folder(self.hub):
            from hub_index.search.checkout.edits import EditWatch

            self._watch = EditWatch(self.hub, self.cache)

    def open_keyword(self, *, from_nothing: bool = False) -> Engine:
        """The lexical leg from the best place. Raises IndexMissing where there is nothing to read at all.

        `from_nothing`: not one that was changed in place, whose scores may be off by up to a hundredth.
        """
        self._making.from_nothing = from_nothing
        for place in self.places:
            try:
                return self._open_words(place)
            except IndexUnusable as error:
                self._refuse(place, error)
        if own := passed_over(self.refusals, ModelMismatch):  # words need no model
            return self._open_words(own, allow_passed=True)
        return self._open_checkout()

    def open_vectors(self) -> Engine:
        """Both legs and the encoder from the best place. Raises the refusal that the user should hear."""
        for place in self.places:
            try:
                return self._open_set(place, with_encoder=True)
            except (IndexUnusable, ConfigError, ProviderError) as error:
                self._refuse(place, error)
        if own := passed_over(self.refusals, IndexStale):
            return self._open_set(own, with_encoder=True, allow_passed=True)
        raise self.main_refusal()

    def open_without_model(self) -> Engine:
        """The vectors of the best place, for comparing its skills with each other. Raises IndexUnusable."""
        for place in self.places:
            try:
                return self._open_set(place)
            except IndexUnusable as error:
                self._refuse(place, error)
        raise self.main_refusal()

    def read_manifest(self, index_dir: str) -> "Manifest":
        """The manifest of the index that an engine of this reader was made of. Raises IndexUnusable."""
        from hub_index.index.folder.reading import read_manifest

        return read_manifest(self.folder_of(index_dir))

    def folder_of(self, index_dir: str) -> RootedPath:
        """The index folder that an engine of this reader was made of, as it may be opened."""
        return next(place.folder for place in self.places if place.index_dir == index_dir)

    def stamp(self) -> str:
        """What tells one state of the hub and its indexes from another; no index is read."""
        stamps = [file_stamp(os.path.join(place.index_dir, MANIFEST)) for place in self.places]
        return "\0".join((self.hub, read_state(self.hub).stamp, *stamps))

    def hold(self) -> "AbstractContextManager[object]":
        """What stands around an answer, and the revision that it is of: where files are read, their saved edits."""
        return _Held(self._watch.look().stamp if self._watch else None)

    def close(self) -> None:
        """Lets go of encoders."""
        self.models.close()

    def forget(self) -> None:
        """Drops what was found out about the places: the checkout has moved."""
        self.refusals = []
        self._walk.forget()

    def main_refusal(self) -> HubIndexError:
        """Of all refusals the one that matters: that of an index which is there, else that there is none."""
        there = [error for _, error in self.refusals if not isinstance(error, IndexMissing)]
        if there:
            return there[-1]
        if self.places[0].kind == GIVEN:
            return IndexMissing(explain_no_index(self.places[0], has_skills=bool(self._walk.list_files())))
        if len(self.places) == 1:  # a plain folder, whose index lies in the cache
            return IndexMissing(f"{quote_line(self.hub)} holds no index; a search by meaning makes one in the cache")
        return IndexMissing(
            "there is no index to search by meaning; run `hub-index sync`, or `hub-index search --index`"
        )

    def _refuse(self, place: IndexPlace, error: HubIndexError) -> None:
        self.refusals = [known for known in self.refusals if known[0] is not place] + [(place, error)]

    def _open_words(self, place: IndexPlace, *, allow_passed: bool = False) -> Engine:
        """The lexical leg of a place. Raises IndexUnusable."""
        published = read_published(place.folder, self.cache)
        self._read_signed(place, published)
        facts = read_facts(self.hub, self.cache)
        if not allow_passed:
            check_own(place, published, facts, self.models)
        return self._engine(place, published, facts)

    def _open_set(self, place: IndexPlace, *, with_encoder: bool = False, allow_passed: bool = False) -> Engine:
        """One verified set with its vectors. Raises IndexUnusable, and ConfigError for want of a key."""
        published, vectors = self._read_set(place)
        manifest = vectors.manifest
        facts = read_facts(self.hub, self.cache)
        if not allow_passed:
            check_own(place, published, facts, self.models)
        encoder = None
        if with_encoder:
            space, part = manifest.space or "", manifest.constant_part
            encoder = self.models.encoder_for(manifest.model_id, space, manifest.dim, part)
        return self._engine(place, published, facts).replace(
            scan=vectors.scan(self.cache),
            encoder=encoder,
            model_id=manifest.model_id,
            dim=vectors.matrix.shape[1],
            normalize=manifest.normalize,
            constant_part=manifest.constant_part,
        )

    def _engine(self, place: IndexPlace, published: PublishedSkills, facts: CheckoutFacts) -> Engine:
        """The lexical leg of a set, and what is to be said about it."""
        lexical = self._lexical(published, facts)
        has_more = facts.may_hold_more(published.source_digest)
        edits = self._edits()
        unindexed = lexical.count - published.count if has_more or (edits and edits.new) else 0
        committed = max(0, unindexed - len(edits.new)) if edits else unindexed
        is_other = committed or facts.is_stale(published.source_digest)
        notices: tuple[str, ...] = ()
        if self._allowed_signers and place.kind != USER:  # else a user switches commits as they like
            from hub_index.search.places.rollback_warning import note_newest

            notices = note_newest(self.cache, place.index_dir, published.created_at)
        notices += (_say_changed(committed),) if is_other else ()
        notices += (_say_edited(edits),) if edits else ()
        notices += _config_notices(self.hub)
        return Engine(
            lexical,
            hub=self.hub,
            index_dir=place.index_dir,
            notices=notices,
            unindexed=unindexed,
            translator=self.translator,
        )

    def _read_set(self, place: IndexPlace) -> "tuple[PublishedSkills, PublishedVectors]":
        """Records and vectors of one and the same set."""
        from hub_index.search.places.verified_vectors import read_vectors

        for _ in range(_SETTLE_TRIES):
            published = read_published(place.folder, self.cache)
            vectors = read_vectors(place.folder, self.cache)
            is_one_set = vectors.skills_sha256 == published.skills_sha256
            if is_one_set and _is_of(vectors.manifest, self._read_signed(place, published)):
                return published, vectors
        raise IndexChanging(
            f"{quote_line(place.index_dir)}: the index is being changed right now; try again in a moment"
        )

    def _read_signed(self, place: IndexPlace, published: PublishedSkills) -> bytes | None:
        """The signed manifest of this set; None where signatures do not matter. Raises IndexUnusable."""
        if not self._allowed_signers or place.kind == USER:  # nobody but the user has made the user's own index
            return None
        from hub_index.search.places.signed_manifest import read_signed

        return read_signed(place.folder, published.skills_sha256, self._allowed_signers, self.cache)

    def _edits(self) -> "Edits | None":
        """The saved edits, if there are some that can be read."""
        edits = self._watch.look() if self._watch else None
        return edits if edits is not None and (edits.count or edits.is_too_much) else None

    def _lexical(self, published: PublishedSkills, facts: CheckoutFacts) -> LexicalIndex:
        """The lexical index of a set, opened or made."""
        has_more = facts.may_hold_more(published.source_digest)
        content = facts.content_key(self._making.progress)
        edits = self._edits()

        def source() -> "DocumentSource":
            from hub_index.search.places.document_sources import published_source

            lines = published.read_lines(self.cache)
            return published_source(lines, self.hub, self.cache, with_unindexed=has_more, edits=edits)

        saved = (os.path.realpath(self.hub), edits.stamp) if edits else ()
        key = entry_key("index and checkout" if has_more else "index", published.skills_sha256, content, *saved)
        return open_lexical(self.cache, key, source, lambda: facts.is_settled(content), self._making, place=self.hub)

    def _open_checkout(self) -> Engine:
        """The checkout's own files, where no index can be read. Raises IndexMissing."""
        from hub_index.search.checkout.files import digest_checkout, digest_files
        from hub_index.search.places.document_sources import checkout_source

        place, hub = self.places[-1], self.hub
        if not (files := self._walk.list_files()):
            refusal = self.main_refusal()
            if not isinstance(refusal, IndexMissing) or not place.hub:
                raise refusal
            raise IndexMissing(explain_no_skills(place))
        self._walk.forget()
        digest, state = digest_files(hub, files), read_state(hub)
        lexical = open_lexical(
            self.cache,
            entry_key("checkout", os.path.realpath(hub), digest),
            lambda: checkout_source(hub, files),
            lambda: state.is_settled(hub) and digest_checkout(hub) == digest,
            self._making,
        )
        return Engine(lexical, hub=hub, notices=_config_notices(hub), translator=self.translator)


class _Held:
    """A context that knows a revision and holds nothing; `contextlib` would cost a cold search 2 ms."""

    def __init__(self, revision: str | None) -> None:
        self._revision = revision

    def __enter__(self) -> str | None:
        return self._revision

    def __exit__(self, *_: object) -> None:
        return None


def _config_notices(hub: str) -> tuple[str, ...]:
    """What is wrong with the checkout's hub-index.toml; most hubs have none, and nothing is imported for them."""
    if not hub or not os.path.lexists(os.path.join(hub, "hub-index.toml")):
        return ()

    return config_notices(hub)


def _is_of(manifest: "Manifest", signed: bytes | None) -> bool:
    """Whether a set's manifest is the one that was signed, or no signature is asked for."""
    if signed is None:
        return True
    from hub_index.index.format.manifest import decode_manifest

    return decode_manifest(signed) == manifest


def _say_edited(edits: "Edits") -> str:
    """The notice of files that are saved and not committed."""
    if edits.is_too_much:
        return "so many files differ from git's index that saved edits were not read"
    if edits.count == 1:
        return f"1 saved file that is not committed was read: found by its words, {_LATER}"
    return f"{edits.count} saved files that are not committed were read: found by their words, {_LATER}"


def _say_changed(unindexed: int) -> str:
    """The notice of an index that does not fit its checkout."""
    if not unindexed:
        return STALE
    those = "1 skill is not in it and is" if unindexed == 1 else f"{unindexed} skills are not in it and are"
    return f"{CHANGED}: {those} found by words only; sync again or rebuild it"


def _folder_of(place: IndexPlace) -> str:
    """The place's checkout; empty where none is known or it is not there."""
    return place.hub if place.hub and os.path.isdir(place.hub) else ""
