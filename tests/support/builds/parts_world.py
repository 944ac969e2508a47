"""A hub in parts, built with what earlier builds remember, and which parts its builds opened."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from hub_index.hub import known_trees
from hub_index.hub.known_trees import KnownTrees
from hub_index.index import small_change
from hub_index.index.build import build_index
from hub_index.index.build_tools import BuildOptions, BuildTools
from hub_index.index.format.verify import AcceptedSections
from hub_index.index.reporting.report import BuildReport
from support.builds.build_story import BuildStory, make_story

_NOW = datetime(2026, 1, 1, tzinfo=UTC)
SKILLS = 24


class PartsWorld:
    """A hub in parts with what its builder remembers, and which parts its builds opened."""

    def __init__(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(known_trees, "MANY_FILES", 1)  # every hub counts as a big one
        # a build from nothing takes updated_at from a file's last commit, a grown one from when its text came
        monkeypatch.setenv("GIT_COMMITTER_DATE", "2026-01-01T00:00:00Z")
        self.story: BuildStory = make_story(root / "hub", skills=SKILLS)
        self.hub = self.story.hub
        self.hub.write("hub-index.toml", "format = 2\n")
        self.hub.write(".gitignore", "search/\n")
        self.hub.git("add", "-A")
        self.hub.git("commit", "-q", "-m", "settings")
        self.cache = str(root / "cache")
        self.opened: list[set[int] | None] = []
        whole = small_change.open_parts

        def watch(*given: Any) -> small_change.OpenedParts | None:
            found = whole(*given)
            self.opened.append(set(found.index.opened or ()) if found is not None else None)
            return found

        monkeypatch.setattr("hub_index.index.draft.open_parts", watch)
        self.build()
        self.opened.clear()

    def build(self, cache: str | None = None, **options: Any) -> BuildReport:
        """Builds with the notes of the builds before."""
        notes = self.cache if cache is None else cache
        tools = BuildTools(
            encoder_for=lambda _: self.story.encoder,
            known_trees=KnownTrees(notes),
            accepted=AcceptedSections(notes),
            now=lambda: _NOW,
        )
        self.story.encoder.texts.clear()
        return build_index(self.hub.root, BuildOptions(**options), tools).report

    def edit(self, number: int, description: str) -> None:
        """Commits another description of a skill, under the name that it has."""
        self.hub.skill(f"skill-{number:02}", description)
        self.commit()

    def commit(self) -> None:
        """Commits the work tree but for the index."""
        self.hub.git("add", "-A")
        self.hub.git("commit", "-q", "-m", "change")

    def files(self) -> dict[str, bytes]:
        """{name: bytes} of the index folder."""
        return {path.name: path.read_bytes() for path in self.story.folder.iterdir()}

    def from_nothing(self) -> dict[str, bytes]:
        """The files of a build that knows nothing, put into the folder's place."""
        for path in self.story.folder.iterdir():
            path.unlink()
        self.build(cache="")
        return self.files()
