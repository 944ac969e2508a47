"""export --well-known: an index with digests of exactly the bytes beside it, and nothing else is touched."""

import io
import json
import tarfile
from hashlib import sha256
from pathlib import Path
from typing import Any

from support.servers.service_world import ServiceWorld

from hub_index.export.well_known import SCHEMA, export_well_known


def export(world: ServiceWorld, name: str, site: Path) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The index that was written, and what was left out."""
    with world.open(name) as service:
        exported = export_well_known(service.hubs[0], str(site))
    return json.loads((site / ".well-known/agent-skills/index.json").read_text("utf-8")), exported.left_out


def test_every_skill_has_its_bytes_and_their_digest(world: ServiceWorld, tmp_path: Path) -> None:
    """One file is served as it is, several as an archive with SKILL.md at its root."""
    index, _ = export(world, "right", tmp_path)
    assert index["$schema"] == SCHEMA
    by_name = {skill["name"]: skill for skill in index["skills"]}
    for skill in index["skills"]:
        content = (tmp_path / skill["url"].lstrip("/")).read_bytes()
        assert skill["digest"] == f"sha256:{sha256(content).hexdigest()}"
        assert set(skill) == {"name", "type", "description", "url", "digest"}
    packed = by_name["sql-explain"]
    assert packed["type"] == "archive"
    with tarfile.open(fileobj=io.BytesIO((tmp_path / packed["url"].lstrip("/")).read_bytes())) as tar:
        assert tar.getnames() == ["SKILL.md", "picture.bin", "scripts/plan.py"]
    assert {skill["type"] for name, skill in by_name.items() if name != "sql-explain"} == {"skill-md"}


def test_names_outside_of_the_rule_are_left_out_and_named(world: ServiceWorld, tmp_path: Path) -> None:
    """The draft has the specification's names; everything else is said."""
    index, left_out = export(world, "one", tmp_path)
    assert "中文写作" not in [skill["name"] for skill in index["skills"]]
    assert [text.partition(":")[0] for text in left_out] == ["中文写作"]


def test_an_export_is_the_same_bytes_and_removes_what_is_gone(world: ServiceWorld, tmp_path: Path) -> None:
    """Twice is once; a skill that went is removed, a stranger's file stays."""
    export(world, "right", tmp_path)
    folder = tmp_path / ".well-known/agent-skills"
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    export(world, "right", tmp_path)
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before
    (folder / "mine.txt").write_text("mine")
    export(world, "other", tmp_path)
    left = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    assert left == {"index.json", "mine.txt", "ppt-helper/SKILL.md"}
