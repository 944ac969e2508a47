"""Hubs behind a running server: the example hub with its index and the real model, and one that is made to be odd."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from hub_index.service import open_service
from hub_index.service.hubs.open_hubs import HubPlace
from hub_index.service.service import Service
from support.hubs.hub_maker import HubMaker
from support.models.model_copy import model_cache
from support.searches.search_world import SearchWorld, make_world
from support.servers.serving_world import ServingWorld, serving

ROOT = Path(__file__).parents[3]
EXAMPLES = HubPlace("examples", str(ROOT / "examples" / "hub"), str(ROOT / "artifacts"))
QUERIES = ("how do I analyze database perf?", "我想制作一个ppt，哪些skill可用")  # the README's two
STDIO = [sys.executable, "-m", "hub_index", "mcp", "--hub", EXAMPLES.folder, "--index-dir", EXAMPLES.index_dir]


@contextmanager
def open_examples(home: Path) -> Iterator[Service]:
    """A service on the example hub."""
    with open_service([EXAMPLES], home=home, cache_dir=model_cache()) as service:
        yield service


@contextmanager
def serving_examples(home: Path, **options: Any) -> Iterator[ServingWorld]:
    """All doors to the example hub."""
    with open_examples(home) as service, serving(service=service, mcp=True, **options) as world:
        yield world


def make_odd_world(root: Path) -> SearchWorld:
    """A hub with ids in folders, files beside a skill, hidden characters, broken rules, a workflow and a link."""
    world = make_world(root)
    hub: HubMaker = world.story.hub
    hub.skill("ann/db", "Tune a database server.", body="# One\nfirst line\n\n# Two\nsecond line\n")
    folder = hub.root / "skills" / "ann" / "db"
    (folder / "references").mkdir()
    (folder / "references" / "guide.md").write_text("# Guide\nRead me.\n")
    (folder / "picture.bin").write_bytes(b"\x00\x01\x02")
    (folder / "secret").symlink_to("/etc/hostname")
    hub.write(
        "skills/other-folder/SKILL.md",
        "---\nname: my-name\ndescription: Not its folder.\n---\nBody.\n",
    )
    hub.write(
        "skills/sly/SKILL.md",
        "---\nname: sly\ndescription: Hides\u200b something\u202e here.\n---\n"
        "Do\u200bnot\u202e trust.\n~~~\nnot the end\n",
    )
    hub.write("workflows/release.md", "---\nname: release\ndescription: Publish a release.\n---\n# Steps\nTag it.\n")
    hub.commit("odd ones")
    world.story.build()
    return world


@contextmanager
def open_world(world: SearchWorld) -> Iterator[Service]:
    """A service on a search world's hub, under the name `odd`."""
    place = HubPlace("odd", str(world.hub), "")
    means: dict[str, Any] = {"home": world.home, "cache_dir": world.cache, "model": "fake:words"}
    with open_service([place], connect=world.connect, **means) as service:
        yield service
