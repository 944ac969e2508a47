"""A hub that the service has open: its name, its index, and the lock that lets one operation at a time into it."""

import os
from _thread import RLock
from hashlib import sha256
from os.path import basename, realpath

from hub_index.errors import HubIndexError
from hub_index.frozen import FrozenValue
from hub_index.limits import MAX_HUB_NAME_CHARS
from hub_index.search import open_index
from hub_index.search.checkout.git_head import find_git_folder
from hub_index.search.places.index_places import plan_places
from hub_index.search.places.verified_records import MANIFEST

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hub_index.search.answer.hits import Found
    from hub_index.search.index import Index
    from hub_index.search.lexical.cache.documents import Progress
    from hub_index.search.places.query_model import Connect, Models
    from hub_index.search.results import Hit
    from hub_index.service.reading.skill_files import OwnText
    from hub_index.service.requests import FindRequest
    from hub_index.service.search_defaults import SearchTools

HUBS_FILE = "hubs.toml"  # in ~/.axon
# `workflows:x` is a skill's id, `synced` the hub of `sync`
RESERVED_NAMES = ("skills", "workflows", "commands", "synced")
_NAME_SIGNS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-_")
SYNCED = "synced"  # what the hub is called that `hub-index sync` keeps, or the user's own index of it


class HubPlace(FrozenValue):
    """Where a hub lies: its checkout, an index folder, or both; neither is the user's own or the synced one."""

    name: str
    folder: str = ""
    index_dir: str = ""
    is_listed: bool = False  # in hubs.toml: then a folder inside of a repository is a hub too
    is_installed: bool = False  # an agent's own folder, whose skills may be copies of a hub's


def default_place() -> HubPlace:
    """The user's own index, else the synced hub."""
    return HubPlace(SYNCED)


def is_hub_name(text: str) -> bool:
    """Whether a hub may be called so: it stands in uris and before colons."""
    is_short = 0 < len(text) <= MAX_HUB_NAME_CHARS
    return is_short and _NAME_SIGNS.issuperset(text) and text[0].isalnum() and text not in RESERVED_NAMES


def name_folder(folder: str, taken: "tuple[str, ...] | list[str]") -> str:
    """A name for a folder that the user gave none: its last part, with a number where that is taken."""
    last = basename(realpath(folder)).lower()
    plain = "".join([sign if sign in _NAME_SIGNS else "-" for sign in last]).strip("-_")[: MAX_HUB_NAME_CHARS - 3]
    base = plain if is_hub_name(plain) else f"hub-{plain}".rstrip("-")
    name, number = base, 1
    while name in taken:
        number += 1
        name = f"{base}-{number}"
    return name


class OpenHub:
    """One open hub. An `Index` has mutable state, so its user must hold `lock`."""

    def __init__(self, name: str, index: "Index") -> None:
        self.name = name
        self.index = index
        self.lock = RLock()
        self.is_installed = False  # an agent's own folder: its copies of a hub's skills fold into these
        self.embedded = self.to_embed = 0  # texts of a plain folder that are embedded now, of how many

    @property
    def why_words(self) -> str:
        """Why a plain folder is searched by words alone right now; empty for every other hub."""
        return ""

    @property
    def is_embedding(self) -> bool:
        """Whether a plain folder's texts are being embedded."""
        return False

    def refresh(self) -> None:
        """Looks for changes that no other part would notice; a hub's own index looks by itself."""

    def find(self, request: "FindRequest", tools: "SearchTools | None" = None) -> "Found":
        """The hub's best hits, with its name and how sure each is; moved by what the process's owner has set."""
        with self.lock:
            learnt = tools.learnt(self.index) if tools is not None and tools.learnt is not None else None
            found = self.index.find(tools.equip(request, learnt) if tools is not None else request)
        results = found.results
        if learnt is not None and learnt.notice:
            results = results.replace(notices=(*results.notices, learnt.notice))
        if self.why_words and results.fallback_reason:
            results = results.replace(fallback_reason=self.why_words)
        return found.replace(results=results.replace(hits=tuple([self._name(hit) for hit in results.hits])))

    def _name(self, hit: "Hit") -> "Hit":
        """The hit with the hub's name, and so the near copies that it stands for."""
        copies = tuple([place.replace(hub=self.name) for place in hit.also_like])
        return hit.replace(hub=self.name, also_like=copies)

    def close(self) -> None:
        """Lets go of encoders."""
        self.index.close()

    @property
    def folder(self) -> str:
        """The checkout; empty without one."""
        return self.index.reader.hub

    @property
    def has_texts(self) -> bool:
        """Whether the skills' own files can be read."""
        return bool(self.folder)

    def read_own(self, hit: "Hit") -> "OwnText":
        """A skill's own file. Raises ConfigError if it cannot be read."""
        from hub_index.service.reading.skill_files import read_own

        return read_own(self.folder, self.index.reader.cache, hit)


class Means(FrozenValue):
    """With what hubs are opened; as `open_index` has them."""

    home: str
    cache: str
    model: str = ""
    connect: "Connect | None" = None
    progress: "Progress | None" = None
    models: "Models | None" = None  # shared by several hubs
    edits: bool = True  # whether saved files that are not committed are read
    embed: str = "behind"  # when a folder without an index is embedded: now, behind the answers, or never


def is_plain_folder(place: HubPlace) -> bool:
    """Whether skills lie there without an index and without git, or in a program's own folder (`.claude/skills`)."""
    folder = place.folder
    if not folder or place.index_dir or not os.path.isdir(folder) or os.path.exists(os.path.join(folder, ".git")):
        return False
    if os.path.lexists(os.path.join(plan_places("", folder, "")[0].index_dir, MANIFEST)):
        return False
    is_hidden = os.path.basename(os.path.dirname(os.path.realpath(folder))).startswith(".")
    return place.is_listed or is_hidden or not find_git_folder(folder)


def open_hub(place: HubPlace, means: Means) -> OpenHub:
    """The hub at a place; nothing is read yet. Raises ConfigError for a folder that cannot be a hub."""
    index = open_index(
        place.index_dir or None,
        place.folder or None,
        home=means.home,
        cache_dir=means.cache,
        model=means.model,
        connect=means.connect,
        progress=means.progress,
        must_exist=False,
        models=means.models,
        edits=means.edits,
    )
    return OpenHub(place.name, index)


def digest_hubs(hubs: "Sequence[OpenHub]") -> str:
    """A digest of every hub's name, of git's state there and of its manifests' stamps."""
    digest = sha256()
    for hub in hubs:
        digest.update("\0".join((hub.name, _stamp(hub), "\n")).encode("utf-8", "surrogateescape"))
    return digest.hexdigest()[:16]


def _stamp(hub: "OpenHub") -> str:
    try:
        return hub.index.reader.stamp()
    except HubIndexError:  # a database that is away
        return ""
