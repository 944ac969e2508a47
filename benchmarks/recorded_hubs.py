"""The hubs that `benchmarks.recorded_commands` runs its command lines in: made by git and files, dated, small.

A scenario is made in a story's own folder: `hub/` is what most command lines name, `home/` is the user's home. Hubs
come from examples/ and from the texts below; an index is built by the installation that is recorded, and its time is
set to a fixed one, so that a hub has the same commits each time.
"""

import json
import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from benchmarks.recorded_skills import HOSTILE, LABELS, MCP_CALLS, PROBLEMS, QUERIES, SKILLS, WORKFLOWS

_EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
_BUILT_AT = "2026-02-03T04:05:06Z"
_MANIFEST = "search/index_manifest.json"


@dataclass(frozen=True, slots=True)
class Place:
    """A story's folder, and how a program runs in it."""

    folder: Path
    run: Callable[..., str]  # words of a command → what it printed

    @property
    def hub(self) -> Path:
        return self.folder / "hub"

    def write(self, path: str, content: str | bytes) -> None:
        """Puts a file into the story's folder."""
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode() if isinstance(content, str) else content)

    def git(self, *arguments: str, folder: str = "hub") -> str:
        return self.run("git", "-C", folder, *arguments)

    def commit(self, message: str, folder: str = "hub") -> None:
        if not (self.folder / folder / ".git").exists():
            self.git("init", "-q", "-b", "main", folder=folder)
        self.git("add", "-A", folder=folder)
        self.git("commit", "-q", "--allow-empty", "-m", message, folder=folder)

    def build(self, folder: str = "hub", *, commit: bool = True) -> None:
        """Builds a hub's index, dates it, and commits it."""
        self.run("hub-index", "build", folder)
        manifest = self.folder / folder / _MANIFEST
        manifest.write_text(re.sub(r'("created_at": *)"[^"]*"', rf'\1"{_BUILT_AT}"', manifest.read_text()))
        if commit:
            self.commit("index", folder)


def make_hub(place: Place, name: str) -> None:
    """Makes the scenario of that name in the story's folder."""
    place.write("home/queries.jsonl", _lines(QUERIES))
    place.write("home/qrels.tsv", "".join(f"q{at}\t{skill}\t2\n" for at, skill in enumerate(LABELS)))
    place.write("home/mcp.jsonl", "".join(f"{json.dumps({'jsonrpc': '2.0'} | call)}\n" for call in MCP_CALLS))
    SCENARIOS[name](place)


def _lines(queries: list[str]) -> str:
    found = [json.dumps({"qid": f"q{at}", "text": text, "lang": "en"}) for at, text in enumerate(queries)]
    return "".join(f"{line}\n" for line in found)


def _skills(place: Place, folder: str = "hub", ids: tuple[str, ...] = tuple(SKILLS)) -> None:
    for skill in ids:
        description, body = SKILLS[skill]
        name = skill.rpartition("/")[2]
        text = f"---\nname: {name}\ndescription: {description}\n---\n\n# {name}\n\n{body}\n"
        place.write(f"{folder}/skills/{skill}/SKILL.md", text)


def _unbuilt(place: Place) -> None:
    _skills(place)
    place.commit("skills")


def _plain(place: Place) -> None:
    _unbuilt(place)
    place.build()


def _example(place: Place) -> None:
    shutil.copytree(_EXAMPLES / "hub", place.hub)
    for name in ("queries.jsonl", "qrels.tsv", "off_topic.jsonl"):
        shutil.copy(_EXAMPLES / name, place.folder / "home" / name)
    place.commit("examples")
    place.build()


def _problems(place: Place) -> None:
    _skills(place)
    for name, text in PROBLEMS.items():
        place.write(f"hub/skills/{name}/SKILL.md", text)
    place.write("hub/skills/latin/SKILL.md", "---\nname: latin\ndescription: Caf\xe9.\n---\n".encode("latin-1"))
    place.write("hub/skills/notes/skill.md", "# Nearly a skill\n")
    place.write("hub/elsewhere/lost/SKILL.md", "---\nname: lost\ndescription: Lies outside.\n---\nBody\n")
    place.commit("problems")


def _hostile(place: Place) -> None:
    _skills(place)
    for name, text in HOSTILE.items():
        place.write(f"hub/skills/{name}/SKILL.md", text)
    place.commit("hostile")
    place.build()


def _workflows(place: Place) -> None:
    _skills(place, ids=("db-advisor", "slide-deck"))
    for path, text in WORKFLOWS.items():
        place.write(f"hub/{path}", text)
    place.commit("workflows")
    place.build()


def _parts(place: Place) -> None:
    place.write("hub/hub-index.toml", "format = 2\n")
    _plain(place)


def _labelled(place: Place) -> None:
    place.write("hub/hub-index.toml", 'queries = "labels/queries.jsonl"\nqrels = "labels/qrels.tsv"\n')
    place.write("hub/labels/queries.jsonl", _lines(QUERIES))
    place.write("hub/labels/qrels.tsv", (place.folder / "home/qrels.tsv").read_bytes())
    _plain(place)


def _wrong_settings(place: Place) -> None:
    place.write("hub/hub-index.toml", 'roots = ["skils"]\nmodell = "local:usem3"\nmax_loss = 7\n')
    _unbuilt(place)


def _stale(place: Place) -> None:
    _plain(place)
    place.write("hub/skills/new-one/SKILL.md", "---\nname: new-one\ndescription: Came after the index.\n---\nBody\n")
    place.write("hub/skills/go-server/SKILL.md", "---\nname: go-server\ndescription: Now it is in Rust.\n---\nBody\n")
    shutil.rmtree(place.hub / "skills/pdf-toolbox")
    place.commit("newer")


def _dirty(place: Place) -> None:
    _plain(place)
    place.write("hub/skills/go-server/SKILL.md", "---\nname: go-server\ndescription: Edited, not added.\n---\nBody\n")
    place.write("hub/skills/untracked/SKILL.md", "---\nname: untracked\ndescription: Not added.\n---\nBody\n")
    place.write("hub/skills/staged/SKILL.md", "---\nname: staged\ndescription: Added to git's index.\n---\nBody\n")
    place.git("add", "skills/staged")


def _damaged(place: Place) -> None:
    _plain(place)
    vectors = place.hub / "search/vectors.f32"
    content = bytearray(vectors.read_bytes())
    content[40] ^= 0xFF
    vectors.write_bytes(content)
    place.commit("damage")


def _truncated(place: Place) -> None:
    _plain(place)
    records = place.hub / "search/skills.jsonl"
    records.write_bytes(records.read_bytes()[:-40])
    (place.hub / "search/vectors.f32").unlink()
    place.commit("damage")


def _no_manifest(place: Place) -> None:
    _plain(place)
    place.write(f"hub/{_MANIFEST}", '{"format": 99}\n')
    place.commit("damage")


def _shallow(place: Place) -> None:
    _stale(place)
    place.hub.rename(place.folder / "whole")
    place.run("git", "clone", "-q", "--depth", "1", f"file://{place.folder}/whole", "hub")


def _empty(place: Place) -> None:
    place.hub.mkdir()
    (place.folder / "repo").mkdir()
    place.git("init", "-q", "-b", "main", folder="repo")


def _folder(place: Place) -> None:
    _skills(place)


def _remote(place: Place) -> None:
    _unbuilt(place)
    place.hub.rename(place.folder / "author")
    place.run("git", "clone", "-q", "--bare", "author", "origin.git")
    place.run("git", "clone", "-q", str(place.folder / "origin.git"), "hub")


def _synced(place: Place) -> None:
    _plain(place)
    place.hub.rename(place.folder / "author")
    place.run("git", "clone", "-q", "--bare", "author", "origin.git")
    place.run("hub-index", "sync", str(place.folder / "origin.git"))


def _listed(place: Place) -> None:
    """Two hubs and a folder in hubs.toml, one that is not there, and one that is not synced yet."""
    _plain(place)
    _skills(place, "second", ("db-advisor", "csv-cleaner", "ppt-zhizuo"))
    place.commit("second", "second")
    place.build("second")
    _skills(place, "mine", ("go-server",))
    hubs = {"team": "hub", "other": "second", "mine": "mine", "gone": "nowhere"}
    lines = [f'{name} = "{place.folder / folder}"' for name, folder in hubs.items()]
    lines.append('far = "https://127.0.0.1:1/far.git"')
    place.write("home/.axon/hubs.toml", "[hubs]\n" + "\n".join(lines) + "\n")


def _nothing(_place: Place) -> None:
    return


SCENARIOS: dict[str, Callable[[Place], None]] = {
    "plain": _plain,
    "example": _example,
    "problems": _problems,
    "hostile": _hostile,
    "workflows": _workflows,
    "parts": _parts,
    "labelled": _labelled,
    "wrong-settings": _wrong_settings,
    "unbuilt": _unbuilt,
    "stale": _stale,
    "dirty": _dirty,
    "damaged": _damaged,
    "truncated": _truncated,
    "no-manifest": _no_manifest,
    "shallow": _shallow,
    "empty": _empty,
    "folder": _folder,
    "remote": _remote,
    "synced": _synced,
    "listed": _listed,
    "nothing": _nothing,
}
