"""Everything that reads a hub's files, asked about one skill: all that each answers, refusals and tracebacks too."""

import asyncio
import gzip
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from mcp import Client
from mcp.shared.exceptions import MCPError

from hub_index.errors import HubIndexError
from hub_index.export.well_known import export_well_known
from hub_index.page.hub_page import write_hub_page
from hub_index.postgres.index_source import open_source
from hub_index.search.places.index_places import plan_places
from hub_index.service.service import Service
from support.hubs.linked_world import QUERY, LinkedWorld
from support.pages.page_world import NoDictionary
from support.processes.cli_runner import hub_index_here
from support.servers.serving_world import ServingWorld

URI = "skill://named/skills/alpha"


@dataclass(frozen=True, slots=True)
class Asked:
    """A linked hub, a service on it and a server before the service."""

    world: LinkedWorld
    service: Service
    served: ServingWorld

    @property
    def out(self) -> Path:
        """Where exports go."""
        return self.world.root / "out"


def answer_of(reader: Callable[[Asked], object], asked: Asked) -> str:
    """What a reader says, or which error it ends with; a traceback where that is none of ours."""
    try:
        return str(reader(asked))
    except HubIndexError as error:
        return f"{type(error).__name__}: {error}"
    except Exception:
        return traceback.format_exc()


def _get(path: str) -> Callable[[Asked], object]:
    def ask(asked: Asked) -> str:
        reply = asked.served.ask("GET", path)
        return f"{reply.status} {reply.body.decode()}"

    return ask


def _mcp(*calls: tuple[str, Any]) -> Callable[[Asked], object]:
    """Calls of the SDK's client, by the names of its methods."""

    async def story(url: str) -> str:
        said = []
        async with Client(url) as client:
            for name, arguments in calls:
                try:
                    said.append(str(await getattr(client, name)(*arguments)))
                except MCPError as error:
                    said.append(f"MCPError: {error}")
        return "\n".join(said)

    return lambda asked: asyncio.run(story(f"{asked.served.url}/mcp"))


def _cli(*arguments: str) -> Callable[[Asked], object]:
    def run(asked: Asked) -> str:
        here = [text.format(hub=asked.world.hub, out=asked.out) for text in arguments]
        done = hub_index_here(*here, env=asked.world.environment)
        return f"exit {done.code}\n{done.out}\n{done.err}"

    return run


def _parquet(asked: Asked) -> str:
    import pyarrow.parquet as pq

    said = _cli("export", "parquet", "{out}/parquet", "--hub", "{hub}")(asked)
    return f"{said}\n{[pq.read_table(path).to_pylist() for path in asked.out.rglob('*.parquet')]}"


def _well_known(asked: Asked) -> str:
    exported = [export_well_known(hub, str(asked.out / hub.name)) for hub in asked.service.hubs]
    return f"{exported}\n{_texts_below(asked.out)}"


def _page(asked: Asked) -> str:
    world = asked.world
    made = write_hub_page(
        world.hub, asked.out / "page", world.encoder, NoDictionary(str(world.cache)), with_model=False
    )
    return f"{made}\n{_texts_below(asked.out)}"


def _store(asked: Asked) -> str:
    (place,) = plan_places("", str(asked.world.hub), "")
    source = open_source(place.index_dir, place.hub, str(asked.world.home), str(asked.world.cache))
    rows = list(source.read(range(len(source.ids))))
    return str([(row.id, row.text, row.document) for row in rows])


def _python(asked: Asked) -> str:
    said: list[str] = []
    for where in ({}, {"hub": asked.world.hub}):
        index = asked.world.open_index(**where)
        options: dict[str, Any] = {"k": 5, "explain": True, "snippets": True}
        said += [str(index.search(QUERY, mode=mode, **options)) for mode in ("auto", "keyword")]
        said += [answer_of(partial(_named, ask), asked) for ask in (index.show, index.related)]
    return "\n".join(said)


def _named(ask: Callable[[str], object], _: Asked) -> object:
    return ask("alpha")


def _texts_below(folder: Path) -> str:
    files = [path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()]
    plain = [gzip.decompress(content) if content.startswith(b"\x1f\x8b") else content for content in files]
    return b"\n".join(plain).decode("utf-8", "replace")


_SEARCH = QUERY.replace(" ", "+")
READERS: dict[str, Callable[[Asked], object]] = {
    "GET skill": _get("/skills/named%3Aalpha"),
    "GET skill of the synced hub": _get("/skills/synced%3Aalpha"),
    "GET file beside": _get("/skills/named%3Aalpha/files/passwd"),
    "GET file beside of the synced hub": _get("/skills/synced%3Aalpha/files/passwd"),
    "GET nested file": _get("/skills/named%3Aalpha/files/notes/deep.md"),
    "GET own file": _get("/skills/named%3Aalpha/files/SKILL.md"),
    "GET unknown file": _get("/skills/named%3Aalpha/files/nothing"),
    "GET spans": _get("/spans?skill=named%3Aalpha"),
    "GET search": _get(f"/search?q={_SEARCH}&include_text=true&snippets=true&explain=true&k=10"),
    "GET search by words": _get(f"/search?q={_SEARCH}&include_text=true&mode=keyword&hub=named"),
    "GET skills": _get("/skills"),
    "GET related": _get("/skills/named%3Aalpha/related"),
    "GET status": _get("/status"),
    "MCP read_skill": _mcp(
        ("call_tool", ("read_skill", {"uri": "named:alpha"})),
        ("call_tool", ("read_skill", {"uri": "named:alpha", "file": "passwd"})),
        ("call_tool", ("read_skill", {"uri": "synced:alpha", "file": "notes/deep.md"})),
        ("call_tool", ("find_skills", {"query": QUERY})),
    ),
    "MCP resources": _mcp(
        ("read_resource", (f"{URI}/SKILL.md",)),
        ("read_resource", (f"{URI}/passwd",)),
        ("read_resource", (f"{URI}/notes/deep.md",)),
        ("list_resources", ()),
    ),
    "export --well-known": _well_known,
    "export parquet": _parquet,
    "export postgres": _store,
    "page": _page,
    "Python": _python,
    "show": _cli("show", "alpha", "--hub", "{hub}"),
    "context": _cli("context", QUERY, "--hub", "{hub}", "--format", "json"),
    "related": _cli("related", "alpha", "--hub", "{hub}"),
    "search": _cli("search", QUERY, "--snippets", "--hub", "{hub}"),
    "list": _cli("list", "--json"),
    "verify": _cli("verify", "--hub", "{hub}"),
    "doctor": _cli("doctor", "--hub", "{hub}"),
}
