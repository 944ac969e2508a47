"""F12: a sync that was stopped is undone in the hub's own folders, wherever its links lead."""

from pathlib import Path

from support.hubs.sync_world import make_world


def test_undoing_deletes_nothing_that_a_link_of_the_hub_leads_to(tmp_path: Path) -> None:
    """The old commit has a link where the new one has a folder: files of the same names beyond it are somebody's."""
    world = make_world(tmp_path, synced=False)
    outside = tmp_path / "outside"
    outside.mkdir()
    for name in ("empty.md", "known.md"):
        (outside / name).write_text(name.removeprefix("empty.md"))
    link = world.author.root / "skills/linked"
    link.symlink_to(outside)
    world.push("a link")
    world.sync(world.remote)
    link.unlink()
    for name in ("empty.md", "known.md"):
        world.author.write(f"skills/linked/{name}", name)
    world.push("a folder")
    world.git("fetch", "-q", "origin")
    move = f"{world.head()} {world.git('rev-parse', 'origin/main')}\n"
    (world.clone / ".git" / "hub-index-sync").write_text(move)  # as if the sync had died at once
    assert world.sync().commits == 1
    assert sorted(path.name for path in outside.iterdir()) == ["empty.md", "known.md"]
    assert (world.clone / "skills/linked/known.md").read_text() == "known.md"
