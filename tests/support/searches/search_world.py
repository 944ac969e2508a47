"""A small hub with its index, and an encoder that knows a few words in two languages: what search tests act in."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hub_index.errors import ConfigError
from hub_index.record import Record
from hub_index.search import open_index
from hub_index.search.index import Index
from hub_index.search.lexical.build import LexicalDocument
from support.builds.build_story import BuildStory
from support.hubs.hub_maker import HubMaker
from support.models.fake_encoder import FakeEncoder
from support.models.lent_dictionary import lend_dictionary

# What means the same gets the same direction, whatever the language.
_MEANINGS = {
    "slides": "ppt",
    "presentation": "ppt",
    "演示": "ppt",
    "数据库": "database",
    "sql": "database",
    "query": "database",
}

SKILLS = {
    "db-advisor": (
        "Analyze slow queries and index usage of a database.",
        "# Steps\nRead pg_stat_statements, then EXPLAIN.\n",
    ),
    "ppt-maker": ("Make PowerPoint slides from an outline.", "# Usage\nWrite an outline and export a deck.\n"),
    "sql-explain": ("Generate EXPLAIN plans for SQL.", "# Plans\nReads the plan of a statement.\n"),
    "中文写作": ("帮助撰写中文文章，润色语言。", "# 写作\n先列提纲，再写初稿。\n"),
    "go-server": ("Write a small HTTP server in Go.", "# Server\nListen on a port, answer in JSON.\n"),
}


class WordEncoder(FakeEncoder):
    """Vectors that are sums over words: texts that share words, or meanings, are near each other."""

    def __init__(self, model: str = "fake:words", dim: int = 64) -> None:
        super().__init__(model, dim)
        self.queries: list[str] = []

    def vector(self, text: str) -> NDArray[np.float32]:
        total = np.full(self._width, 1e-3)
        for word in text.lower().replace(":", " ").replace(".", " ").replace("-", " ").split():
            meaning = next((found for part, found in _MEANINGS.items() if part in word), word)
            seed = int.from_bytes(hashlib.sha256(meaning.encode()).digest()[:8], "little")
            total = total + np.random.default_rng(seed).normal(size=self._width)
        return np.asarray(total / np.linalg.norm(total), dtype=np.float32)

    def embed_query(self, text: str) -> NDArray[np.float32]:
        self.queries.append(text)
        return self.vector(text)


@dataclass
class SearchWorld:
    """A synced hub below a home of its own, as a user has it."""

    home: Path
    cache: Path
    story: BuildStory
    encoder: WordEncoder

    @property
    def hub(self) -> Path:
        return self.home / "repo"

    def open(self, *, model: str = "fake:words", **options: Any) -> Index:
        """The index as `hub-index search` would open it."""
        common: dict[str, Any] = {"cache_dir": self.cache, "connect": self.connect, "must_exist": False}
        return open_index(home=self.home, model=model, **common, **options)

    def open_hub(self, hub: Path | None = None, index_dir: Path | None = None, **options: Any) -> Index:
        """The index of a folder that is named."""
        return self.open(index_dir=index_dir, hub=hub, **options)

    def connect(self, model_id: str, dim: int) -> WordEncoder:
        """The world's one encoder; every other model has no key."""
        if model_id != self.encoder.model_id:
            raise ConfigError(f"{model_id} needs a key in AXON_EMBEDDINGS_API_KEY")
        return self.encoder


def make_world(root: Path, skills: dict[str, tuple[str, str]] | None = None, *, build: bool = True) -> SearchWorld:
    """A hub with a few skills, committed and indexed."""
    home = root / "axon"
    hub = HubMaker(home / "repo")
    for skill_id, (description, body) in (SKILLS if skills is None else skills).items():
        hub.skill(skill_id, description, body=body)
    hub.commit("skills")
    encoder = WordEncoder()
    story = BuildStory(hub, encoder)
    if build:
        story.build()
    lend_dictionary(root / "cache")
    return SearchWorld(home, root / "cache", story, encoder)


def ids(hits: Sequence[object]) -> list[str]:
    """The ids of some hits, in order."""
    return [getattr(hit, "id") for hit in hits]  # noqa: B009 - hits of any kind


def make_document(  # noqa: PLR0917
    id_: str,
    name: str,
    path: str,
    description: str,
    body: str = "",
    keywords: tuple[str, ...] = (),
    lang: str = "",
    updated_at: str = "",
) -> LexicalDocument:
    """A skill as the lexical index takes it."""
    return LexicalDocument(Record(id_, path, name, description, "", updated_at, keywords, lang), body)
