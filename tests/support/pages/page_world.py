"""A small hub with its index and its page, made with an encoder that costs nothing."""

import gzip
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hub_index.page.hub_page import PageOutcome, write_hub_page
from hub_index.search.lexical.translation.translator import OpenDictionary, Translator
from support.builds.build_story import BuildStory
from support.hubs.hub_maker import HubMaker
from support.models.fake_encoder import FakeEncoder

DIM = 512  # as the embedded model's: a page keeps axes and bases of that size only


class NoDictionary(Translator):
    """As where the dictionary's package is missing: most tests need no Chinese."""

    def open(self) -> OpenDictionary:
        return OpenDictionary(notice="Chinese words were not translated")


@dataclass
class PageWorld:
    """A hub, its index and the folder of its page."""

    root: Path
    hub: HubMaker = field(init=False)
    encoder: FakeEncoder = field(init=False)

    def __post_init__(self) -> None:
        self.hub = HubMaker(self.root / "hub")
        self.encoder = FakeEncoder(dim=DIM)

    @property
    def folder(self) -> Path:
        return self.root / "site"

    def index(self, encoder: FakeEncoder | None = None) -> None:
        """Commits the hub and builds its index."""
        self.hub.commit("skills")
        BuildStory(self.hub, encoder or self.encoder).build()

    def write(self, folder: Path | None = None) -> PageOutcome:
        """Makes or renews the page, without the model."""
        translator = NoDictionary(str(self.root / "cache"))
        return write_hub_page(self.hub.root, folder or self.folder, self.encoder, translator, with_model=False)

    def files(self, folder: Path | None = None) -> dict[str, bytes]:
        """Every file of the page by its path."""
        root = folder or self.folder
        return {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()}

    def facts(self) -> dict[str, Any]:
        """What page.json says."""
        value: dict[str, Any] = json.loads((self.folder / "data/page.json").read_bytes())
        return value

    def unpacked(self, name: str) -> bytes:
        """A data file's content."""
        return gzip.decompress((self.folder / "data" / name).read_bytes())


def make_page_world(root: Path, skills: int = 4) -> PageWorld:
    """A hub of so many plain skills with an index, and no page yet."""
    world = PageWorld(root)
    world.hub.skills(skills)
    world.index()
    return world
