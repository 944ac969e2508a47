"""A hub that commits a link where a folder was, and what the link leads to: words that no answer may hold."""

import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hub_index.hub.sync.sync import SyncOptions, sync_hub
from hub_index.search import open_index
from hub_index.search.index import Index
from hub_index.service import open_service
from hub_index.service.hubs.open_hubs import HubPlace
from hub_index.service.service import Service
from support.builds.build_story import BuildStory
from support.hubs.hub_maker import HubMaker
from support.models.lent_dictionary import lend_dictionary
from support.searches.search_world import WordEncoder

CANARY = "xylophonic-canary"
QUERY = "stands in every file"  # next to the canary, so that a piece of text around these words would show it
PLACES = {  # what the hub replaces by a link → what it leads to, below the folder with the canary
    "skills/alpha": "skills/alpha",
    "skills": "skills",
    "skills/alpha/notes": "skills/alpha/notes",
    "search": "search",
    "public/index": "search",
    "public": ".",
}
TARGETS = ("absolute", "relative", "in the hub")
_NESTED = ("public/index", "public")  # of a hub whose settings put the index there
LINKS = [(place, target) for place in PLACES for target in TARGETS[: 1 if place in _NESTED else None]]
_HIDDEN = ".private"  # a folder of the hub that no skill lies in
_DIM = 512  # as a page's


@dataclass(frozen=True, slots=True)
class LinkedWorld:
    """The user's clone of the hub, synced after the link was committed."""

    root: Path
    place: str
    encoder: WordEncoder

    @property
    def home(self) -> Path:
        return self.root / "axon"

    @property
    def hub(self) -> Path:
        return self.home / "repo"

    @property
    def cache(self) -> Path:
        return self.root / "cache"

    @property
    def environment(self) -> dict[str, str]:
        """What the command line finds this world by."""
        return {"AXON_HOME": str(self.home), "HUB_INDEX_CACHE": str(self.cache)}

    def open_service(self) -> Service:
        """The synced hub and the same folder as `--hub`."""
        places = [HubPlace("synced"), HubPlace("named", str(self.hub))]
        means: dict[str, Any] = {"home": self.home, "cache_dir": self.cache, "connect": self.connect}
        return open_service(places, **means)

    def open_index(self, **where: Any) -> Index:
        """As Python opens it."""
        means: dict[str, Any] = {"home": self.home, "cache_dir": self.cache, "connect": self.connect}
        return open_index(**where, **means)

    def connect(self, _model_id: str, _dim: int) -> WordEncoder:
        """The one encoder."""
        return self.encoder


def make_linked_world(root: Path, place: str, target: str) -> LinkedWorld:
    """A hub of two skills with its index, synced; then one of PLACES becomes a link, and it is synced again."""
    world = LinkedWorld(root, place, WordEncoder(dim=_DIM))
    lend_dictionary(world.cache)
    author = HubMaker(root / "author")
    output = "public/index" if place in _NESTED else "search"
    author.write("hub-index.toml", f'roots = ["skills"]\noutput = "{output}"\n')
    _write_skills(author, "Harmless words.")
    author.commit("skills")
    BuildStory(author, world.encoder).build()
    author.commit("index")
    sync_hub(world.hub, str(author.root), SyncOptions())
    _visit(world.open_index(), "slow queries")
    private = author.root / _HIDDEN if target == "in the hub" else root / "outside"
    _make_private(world, private)
    _link(author.root / place, private / PLACES[place], world.hub / place, target)
    author.commit("link")
    sync_hub(world.hub, None, SyncOptions())
    assert (world.hub / place).is_symlink()
    beyond = [path for path in (world.hub / place).rglob("*") if path.is_file()]
    assert any(CANARY in path.read_text("utf-8", "replace") for path in beyond)
    return world


def _write_skills(hub: HubMaker, words: str) -> None:
    """Two skills, one of them with files beside it."""
    hub.skill("alpha", f"Analyze slow queries of a database. {words}", body=f"# Alpha\n{words}\n")
    hub.write("skills/alpha/passwd", f"{words}\n")
    hub.write("skills/alpha/notes/deep.md", f"# Deep\n{words}\n")
    hub.skill("beta", "Make slides for a talk.", body="# Beta\nAn outline first.\n")


def _make_private(world: LinkedWorld, private: Path) -> None:
    """The same skills with the canary in each, and an index of them that this user's cache knows already."""
    other = HubMaker(world.root / "private-hub")
    _write_skills(other, f"{CANARY} {QUERY}.")
    other.commit("skills")
    BuildStory(other, world.encoder).build()
    for name in ("skills", "search"):
        shutil.copytree(other.root / name, private / name)
    shutil.copytree(private / "search", private / "index")  # so that `public` may lead to `private`
    _visit(world.open_index(index_dir=private / "search"), CANARY)


def _visit(index: Index, query: str) -> None:
    for mode in ("keyword", "semantic"):
        assert index.search(query, mode=mode).hits
    index.close()


def _link(place: Path, target: Path, as_cloned: Path, kind: str) -> None:
    """Replaces a folder by a link; a relative one leads out of the user's clone, or to another place in each clone."""
    shutil.rmtree(place)
    start = place.parent if kind == "in the hub" else as_cloned.parent
    place.symlink_to(target if kind == "absolute" else os.path.relpath(target, start))
