"""kill -9 in the middle of a build, again and again: what is paid for stays paid for."""

import json
import os
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest
from support.hubs.hub_maker import HubMaker
from support.models.provider_world import CANARY
from support.models.scripted_server import Handler, Request, ScriptedServer, ok

from hub_index.embedding.cache.cache_care import read_info

BATCH = 10


class KillingReply:
    """Answers, and kills the child right after its k-th answer."""

    def __init__(self) -> None:
        self.after: int | None = None
        self.victim: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()

    def __call__(self, handler: Handler, request: Request) -> None:
        """The right answer; kills the child after the last one that it may have."""
        ok(handler, request)
        with self._lock:
            if self.after is not None:
                self.after -= 1
                if self.after <= 0 and self.victim is not None:
                    self.victim.send_signal(signal.SIGKILL)
                    self.after = None


def run_build(
    server: ScriptedServer,
    hub: Path,
    world: Path,
    concurrency: int,
    *,
    kill_after: int | None = None,
    cache: Path | None = None,
) -> int:
    """The exit code of a real build in a child process; negative where it was killed."""
    environment = {
        **os.environ,
        "HOME": str(world),
        "HUB_INDEX_CACHE": str(cache or world / "cache"),
        "AXON_EMBEDDINGS_BASE_URL": server.url,
        "AXON_EMBEDDINGS_API_KEY": CANARY,
    }
    options = ["--model", "openai:m", "--batch-size", str(BATCH), "--concurrency", str(concurrency), "--json"]
    command = [sys.executable, "-m", "hub_index", "build", str(hub), "--out", str(world / "out"), *options]
    reply = KillingReply()
    reply.after = kill_after
    server.default = reply
    reply.victim = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)
    return reply.victim.wait(120)


def index_of(world: Path) -> dict[str, object]:
    """The published files, but for created_at."""
    manifest = json.loads((world / "out" / "index_manifest.json").read_bytes())
    del manifest["created_at"]
    return {"manifest": manifest} | {
        name: (world / "out" / name).read_bytes() for name in ("skills.jsonl", "vectors.f32")
    }


def tell_story(tmp_path: Path, skills: int, concurrency: int, every: int, kills: int | None) -> dict[str, int]:
    """Kills builds after every k-th batch until one gets through, at most `kills`; compares with an undisturbed one."""
    hub = HubMaker(tmp_path / "hub")
    hub.skills(skills)
    hub.commit()
    killed = 0
    with ScriptedServer() as server:
        while kills is None or killed < kills:
            if run_build(server, hub.root, tmp_path / "killed", concurrency, kill_after=every) == 0:
                break
            killed += 1
        else:
            assert run_build(server, hub.root, tmp_path / "killed", concurrency) == 0
        times = server.times_requested
        assert len(times) == skills
        repeated = sum(count - 1 for count in times.values())
        assert run_build(server, hub.root, tmp_path / "undisturbed", concurrency) == 0
    assert killed > 0
    assert repeated <= killed * concurrency * BATCH
    assert index_of(tmp_path / "killed") == index_of(tmp_path / "undisturbed")
    return {"kills": killed, "repeated": repeated}


def test_a_killed_build_pays_again_only_for_what_was_in_flight(tmp_path: Path) -> None:
    """Killed in the middle: at most concurrency × batch texts are asked for again, the bytes are equal."""
    tell_story(tmp_path, skills=120, concurrency=4, every=5, kills=1)


@pytest.mark.soak
def test_two_builders_share_a_cache(tmp_path: Path) -> None:
    """Two builds at once, into two folders with one cache: both succeed, with the same bytes."""
    hub = HubMaker(tmp_path / "hub")
    hub.skills(60)
    hub.commit()
    worlds = [tmp_path / name for name in ("one", "two")]
    with ScriptedServer() as server, ThreadPoolExecutor(2) as pool:
        run = partial(run_build, server, hub.root, concurrency=2, cache=tmp_path / "cache")
        assert list(pool.map(run, worlds)) == [0, 0]
    assert index_of(worlds[0]) == index_of(worlds[1])
    assert read_info(tmp_path / "cache").torn_files == 0


@pytest.mark.soak
@pytest.mark.parametrize("concurrency", [1, 4])
@pytest.mark.parametrize("every", [1, 2, 3, 5, 8, 13, 21, 34, 49])
def test_killed_after_every_kth_batch_of_500(tmp_path: Path, concurrency: int, every: int) -> None:
    """500 skills, batches of 10, killed after every k-th batch until a build gets through.

    A build that is killed before its first answers are stored may never get through: it is left alone after 20 kills.
    """
    kills = None if every > 2 * concurrency else 20
    told = tell_story(tmp_path, skills=500, concurrency=concurrency, every=every, kills=kills)
    print(f"every {every}, concurrency {concurrency}: {told}")  # noqa: T201 - the soak run's table
