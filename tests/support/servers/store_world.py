"""A hub in files and the same one in a database: what searches of both are compared in."""

from pathlib import Path
from typing import Any

from hub_index.postgres.connection import parse_address
from hub_index.postgres.index_source import StoreSource, open_source
from hub_index.postgres.loading import Loaded, LoadOptions, load_hub
from hub_index.postgres.postgres_index import open_store
from hub_index.search.index import Index
from hub_index.search.places.query_model import Models
from support.searches.search_world import SearchWorld

MORE_SKILLS = {
    "report-writer": ("Write weekly reports in Markdown from notes.", "# Notes\nCollects notes, then drafts.\n"),
    "pdf-tables": ("Extract tables from PDF files into CSV.", "# Tables\nReads pages, finds tables, writes CSV.\n"),
    "数据库备份": ("备份和恢复 PostgreSQL 数据库。", "# 备份\n每天备份数据库，保留七天。\n"),
    "mind-map": ("Draw a mind map of any topic.", "# Map\nStart in the middle, add branches.\n"),
    "backup-files": ("Back up folders to another disk.", "# Backup\nCopies files and keeps a log.\n"),
}


def source_of(world: SearchWorld) -> StoreSource:
    """The rows of the world's index."""
    return open_source(str(world.hub / "search"), str(world.hub), str(world.home), str(world.cache))


def load(
    world: SearchWorld, url: str, name: str = "hub", vectors: str | None = None, hnsw: bool | None = None
) -> Loaded:
    """Loads the world's index into a database."""
    return load_hub(parse_address(url), name, source_of(world), LoadOptions(vectors, hnsw))


def open_stored(world: SearchWorld, url: str, name: str = "hub") -> Index:
    """The hub of a database, with the world's encoder."""
    models = Models("fake:words", world.connect, str(world.cache))
    return open_store(parse_address(url), name, models, str(world.cache))


def shown(results: Any, digits: int = 3) -> list[tuple[str, float, bool]]:
    """What is compared of an answer."""
    return [(hit.id, round(hit.score, digits), hit.weak) for hit in results.hits]


def folder_of(world: SearchWorld) -> Path:
    """Where the world's index lies."""
    return world.hub / "search"
