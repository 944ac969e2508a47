"""A hub that is searched and used, and a state folder of its own: what tests of traces act in."""

import os
import subprocess
import sys
import time
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from hub_index.search.index import Index
from hub_index.search.results import Results, new_search_id
from hub_index.traces.database import database_path, open_traces
from hub_index.traces.events import Event, UsedSkill
from hub_index.traces.recording import describe_search, identify_hub, record_search, record_use
from support.processes.cli_runner import CommandOutcome, hub_index
from support.searches.search_world import SearchWorld

SENTINEL = "zanzibarquux"  # a word of a query that must stand nowhere but in the traces


@dataclass
class TraceWorld:
    """One user's traces of one hub."""

    search: SearchWorld
    folder: str

    @property
    def database(self) -> Path:
        return Path(database_path(self.folder))

    @cached_property
    def index(self) -> Index:
        return self.search.open()

    @property
    def hub(self) -> str:
        return identify_hub(self.index)

    def record(self, query: str, accepted: str = "", *, days_ago: float = 0.0, mode: str = "hybrid") -> Results:
        """A search that is recorded as if it had been asked some days ago, and perhaps what was accepted then."""
        results = self.index.search(query, mode=mode).replace(search_id=new_search_id())
        at = time.time() - days_ago * 86_400
        record_search(self.folder, describe_search(self.index, results, {"k": 5}).replace(at=at))
        if accepted:
            self.use(accepted, search_id=results.search_id)
            with open_traces(self.folder) as connection:
                connection.execute("UPDATE events SET at = ? WHERE search_id = ?", (at, results.search_id))
        return results

    def use(self, skill: str, outcome: str = "accept", *, search_id: str = "") -> Event:
        """What `hub-index use` does."""
        return record_use(self.folder, [UsedSkill(self.hub, skill)], outcome, search_id=search_id)

    def command(self, *arguments: str, **environment: str) -> CommandOutcome:
        """`hub-index …` by words alone, so that no model is loaded."""
        return hub_index(*arguments, "--hub", self.search.hub, env=self.environment() | environment)

    def environment(self) -> dict[str, str]:
        """Where the child finds the cache and the state folder."""
        return {"HUB_INDEX_CACHE": str(self.search.cache), "XDG_STATE_HOME": str(Path(self.folder).parent)}

    def start_search(self, query: str) -> "subprocess.Popen[bytes]":
        """A tracked search that runs beside others."""
        command = [sys.executable, "-m", "hub_index", "search", query, "--track", "--keyword"]
        environment = os.environ | self.environment()
        pipe = subprocess.PIPE
        return subprocess.Popen(
            [*command, "--hub", str(self.search.hub)], env=environment, stdout=pipe, stderr=pipe, stdin=pipe
        )
