"""A plain folder as an open hub: by words at once, by meaning as soon as its texts are embedded; kept fresh."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from hub_index.base.file_permissions import who_else_may_write
from hub_index.base.safe_open import rooted
from hub_index.errors import HubIndexError, IndexMissing
from hub_index.search.checkout.files import digest_checkout
from hub_index.search.index import Index
from hub_index.search.lexical.cache.lexical_cache import Making
from hub_index.search.places.index_places import USER, IndexPlace
from hub_index.search.places.reader import Reader
from hub_index.service.folders.folder_index import (
    FolderPlan,
    index_dir_of,
    is_current,
    place_of,
    plan_folder,
    write_folder_index,
)
from hub_index.service.hubs.open_hubs import HubPlace, Means, OpenHub
from hub_index.service.hubs.shared_models import SharedModels
from hub_index.settings import EMBEDDED_MODEL

if TYPE_CHECKING:
    from hub_index.embedding.encoder import Encoder
    from hub_index.service.folders.folder_index import Vectors


Watcher = Callable[[str, int, int], None]  # a hub's name, how many texts are embedded, of how many
_LOOK_AGAIN_S = 1.0  # between two looks at the files: 100 skills take a millisecond, 7,000 take 50
_BATCH = 4  # texts, some 15 ms: what a query waits for at most
_ONE_AT_A_TIME = threading.Lock()  # folders that are embedded at once would only slow each other down


class Traffic:
    """Counts the answers under way, so that background work can wait for a quiet moment."""

    def __init__(self) -> None:
        self._answers = 0
        self._quiet = threading.Condition()
        self._is_closed = False
        self.watchers: list[Watcher] = []

    @contextmanager
    def answer(self) -> Iterator[None]:
        """Around every answer."""
        with self._quiet:
            self._answers += 1
        try:
            yield
        finally:
            with self._quiet:
                self._answers -= 1
                self._quiet.notify_all()

    def wait_for_quiet(self) -> bool:
        """Waits until no answer is under way; False if the service was closed meanwhile."""
        with self._quiet:
            self._quiet.wait_for(lambda: self._is_closed or not self._answers)
            return not self._is_closed

    def close(self) -> None:
        """Ends all waiting."""
        with self._quiet:
            self._is_closed = True
            self._quiet.notify_all()

    def tell(self, name: str, done: int, total: int) -> None:
        """Tells the watchers how far a hub's embedding is."""
        for watch in tuple(self.watchers):
            watch(name, done, total)


class FolderHub(OpenHub):
    """A folder of skills without an index."""

    def __init__(self, place: HubPlace, means: Means, traffic: Traffic) -> None:
        self._place, self._means, self._traffic = place, means, traffic
        self._models = SharedModels(EMBEDDED_MODEL, None, means.cache)  # whatever the user has configured for hubs
        self._kept_at = place_of(means.cache, place.folder)
        self._digest = ""
        self._thread: threading.Thread | None = None
        self._problem = ""
        super().__init__(place.name, self._open(""))
        self._looked_s = -_LOOK_AGAIN_S

    @property
    def is_embedding(self) -> bool:
        """Whether texts of this folder are being embedded right now."""
        return self._thread is not None and self._thread.is_alive()

    @property
    def why_words(self) -> str:
        """Why this folder is searched by its words alone."""
        if self.is_embedding:
            return f"its texts are being embedded ({self.embedded} of {self.to_embed}); ask again in a moment"
        return self._problem

    def refresh(self) -> None:
        """Looks whether the files have changed; then words answer at once, and meaning as soon as it can."""
        if time.monotonic() - self._looked_s < _LOOK_AGAIN_S or self.is_embedding:
            return
        with self.lock:
            digest = self._read_digest()
            self._looked_s = time.monotonic()
            if digest == self._digest:
                return
            self._digest = digest
            if self._means.embed == "never":
                self.index = self._open("")
            elif is_current(self._kept_at, digest, self._encoder().space):
                self.index = self._open(index_dir_of(self._kept_at))
            else:
                self.index = self._open("")
                self._begin()

    def _read_digest(self) -> str:
        """The digest of the present files; empty, with a problem for the answers, if there are too many."""
        try:
            return digest_checkout(self._place.folder)
        except IndexMissing as error:
            self._problem = str(error)
            return ""

    def close(self) -> None:
        """Ends the work in the background; the remaining texts are embedded next time."""
        if self._thread is not None:
            self._thread.join(timeout=5.0)
        super().close()

    def _begin(self) -> None:
        if reason := who_else_may_write(self._means.cache):
            self._problem = f"it is not embedded, because of the cache folder: {reason}"
        elif self._means.embed == "now":
            self._embed()
        else:
            self._thread = threading.Thread(target=self._embed, name=f"embed {self.name}", daemon=True)
            self._thread.start()

    def _embed(self) -> None:
        """Brings the index up to date and answers from it from now on; `problem` describes a failure."""
        try:
            with _ONE_AT_A_TIME:
                encoder = self._encoder()
                plan = plan_folder(self._place.folder, self._kept_at, encoder.space)
                fresh = self._embed_texts(plan, encoder)
                if fresh is None or not plan.records:
                    return
                write_folder_index(plan, fresh, self._kept_at, encoder.space)
            with self.lock:
                self.index = self._open(index_dir_of(self._kept_at))
                self._digest, self._problem = plan.digest, ""
        except (HubIndexError, OSError) as error:
            self._problem = f"it is not embedded: {error}"

    def _embed_texts(self, plan: FolderPlan, encoder: "Encoder") -> "Vectors | None":
        """The vectors of the texts that have none; None if the service was closed meanwhile."""
        fresh: Vectors = {}
        hashes = list(plan.texts)
        self.embedded, self.to_embed = 0, len(hashes)
        for start in range(0, len(hashes), _BATCH):
            if self._means.embed != "now" and not self._traffic.wait_for_quiet():
                return None
            batch = hashes[start : start + _BATCH]
            rows = encoder.embed_documents([plan.texts[text_hash] for text_hash in batch])
            fresh.update(zip(batch, rows, strict=True))
            self.embedded += len(batch)
            self._traffic.tell(self.name, self.embedded, self.to_embed)
        return fresh

    def _encoder(self) -> "Encoder":
        return self._models.open_embedded()

    def _open(self, index_dir: str) -> Index:
        """The folder through its index in the cache, or by its own files."""
        place = IndexPlace(USER, rooted(index_dir or index_dir_of(f"{self._kept_at}.none")), self._place.folder)
        return Index(Reader([place], self._models, self._means.cache, Making(self._means.progress)))
