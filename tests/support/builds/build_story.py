"""A hub, a fake encoder and a folder: what the build stories act with."""

import json
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from hub_index.index.build import build_index
from hub_index.index.build_tools import BuildOptions, BuildTools
from hub_index.index.reporting.report import BuildReport
from support.hubs.hub_maker import HubMaker, make_plain_hub
from support.models.fake_encoder import FakeEncoder

NAMES = ("index_manifest.json", "skills.jsonl", "vectors.f32")


@dataclass
class BuildStory:
    """One hub and its index folder."""

    hub: HubMaker
    encoder: FakeEncoder = field(default_factory=FakeEncoder)
    hour: int = 1

    @property
    def folder(self) -> Path:
        return self.hub.root / "search"

    def build(self, **options: Any) -> BuildReport:
        """Builds with the story's encoder; every build has an hour of its own on the clock."""
        self.hour += 1
        now = datetime(2026, 1, 1, self.hour % 24, tzinfo=UTC)
        tools = BuildTools(encoder_for=lambda _: self.encoder, now=lambda: now)
        self.encoder.texts.clear()
        return build_index(self.hub.root, BuildOptions(**options), tools).report

    def files(self) -> dict[str, bytes]:
        """{name: bytes} of what stands in the folder."""
        return {name: (self.folder / name).read_bytes() for name in NAMES if (self.folder / name).exists()}

    def manifest(self) -> dict[str, Any]:
        value: dict[str, Any] = json.loads((self.folder / "index_manifest.json").read_bytes())
        return value

    def records(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in (self.folder / "skills.jsonl").read_bytes().split(b"\n")[:-1]]

    def vector_bytes(self, skill_id: str) -> bytes:
        """The bytes of one skill's row."""
        width = self.manifest()["dim"] * 4
        row = [record["id"] for record in self.records()].index(skill_id)
        return (self.folder / "vectors.f32").read_bytes()[row * width : (row + 1) * width]


def make_story(root: Path, skills: int = 4) -> BuildStory:
    """A committed hub of so many plain skills."""
    return BuildStory(make_plain_hub(root, skills))
