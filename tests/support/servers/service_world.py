"""Hubs of a few skills with their indexes, opened together as a service: what tests of the service act in."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hub_index.service import open_service
from hub_index.service.hubs.open_hubs import HubPlace
from hub_index.service.service import Service
from support.builds.build_story import BuildStory
from support.hubs.hub_maker import HubMaker
from support.searches.search_world import SKILLS, WordEncoder

Skills = dict[str, tuple[str, str]]  # id → description, body

LONG_BODY = """\
# Database advisor

Find out why a database is slow.

## Collect

Read pg_stat_statements first.

```
# not a heading
```

## Judge the indexes

An index without scans costs writes.

### Details

A foreign key needs one.

## Report

Three proposals at most.
"""


@dataclass
class ServiceWorld:
    """Some hubs below one folder, and an encoder for all of them."""

    root: Path
    encoder: WordEncoder

    def add_hub(self, name: str, skills: Skills, encoder: WordEncoder | None = None) -> HubMaker:
        """A committed hub with its index."""
        hub = HubMaker(self.root / name)
        for skill_id, (description, body) in skills.items():
            hub.skill(skill_id, description, body=body)
        hub.commit("skills")
        BuildStory(hub, encoder or self.encoder).build()
        return hub

    def open(self, *names: str, **options: Any) -> Service:
        """A service on the hubs of these names."""
        common: dict[str, Any] = {"home": self.root / "axon", "cache_dir": self.root / "cache", "connect": self.connect}
        places = [HubPlace(name, str(self.root / name)) for name in names]
        return open_service(places, **common | options)

    def connect(self, model_id: str, dim: int) -> WordEncoder:
        """The encoder of any model that is asked for."""
        return self.encoder if model_id == self.encoder.model_id else WordEncoder(model_id, dim)


def make_service_world(root: Path) -> ServiceWorld:
    """`one` with the usual skills, `left` and `right` with a part each and one in both, `other` of another model."""
    world = ServiceWorld(root, WordEncoder())
    skills: Skills = SKILLS | {"db-advisor": (SKILLS["db-advisor"][0], LONG_BODY)}
    world.add_hub("one", skills)
    ids = sorted(skills)
    world.add_hub("left", {id_: skills[id_] for id_ in [*ids[::2], "sql-explain"]})
    right = world.add_hub("right", {id_: skills[id_] for id_ in [*ids[1::2], "sql-explain"]})
    right.write("skills/sql-explain/scripts/plan.py", "print('plan')\n")
    right.write("skills/sql-explain/picture.bin", b"\x00\x01")
    world.add_hub("other", {"ppt-helper": ("Make slides for a talk.", "# Talk\n")}, WordEncoder("fake:other", 32))
    return world
