"""Batches on Dask workers: local ones give the same bytes, one of a cluster dies, a scheduler is not there."""

import json
import signal
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from support.builds.build_story import BuildStory, make_story
from support.flows.dask_cluster import Cluster, cluster
from support.flows.prefect_server import PrefectServer
from support.processes.cli_runner import hub_index


def take_thread_build(story: BuildStory, cache: Path) -> dict[str, bytes]:
    """The files that a build with threads writes; they are gone from the hub afterwards."""
    assert hub_index("build", story.hub.root, "--cache", cache).code == 0
    files = story.files()
    for file in story.folder.iterdir():
        file.unlink()
    return files


@pytest.mark.soak
def test_a_dask_run_gives_the_bytes_of_a_thread_run(tmp_path: Path, prefect: PrefectServer) -> None:
    """Two local workers embed what two batches hold; only created_at may differ."""
    story = make_story(tmp_path / "hub", skills=40)
    environment: dict[str, Any] = {"PREFECT_API_URL": prefect.url, "PREFECT_HOME": str(tmp_path / "prefect")}
    threads = take_thread_build(story, tmp_path / "one")
    done = hub_index(
        "flow", "run", story.hub.root, "--runner", "dask", "--cache", tmp_path / "other", "--json", **environment
    )
    assert done.code == 0, done.err
    assert json.loads(done.out)["from_cache"] == 0
    dask = story.files()
    assert (dask["vectors.f32"], dask["skills.jsonl"]) == (threads["vectors.f32"], threads["skills.jsonl"])


@pytest.mark.soak
def test_a_worker_killed_half_way_loses_no_batch(tmp_path: Path, prefect: PrefectServer) -> None:
    """The other worker takes over, every text is embedded, and the bytes are those of a thread run."""
    story = make_story(tmp_path / "hub", skills=700)
    environment: dict[str, Any] = {"PREFECT_API_URL": prefect.url, "PREFECT_HOME": str(tmp_path / "prefect")}
    threads = take_thread_build(story, tmp_path / "one")
    with cluster() as dask_cluster:
        killer = threading.Thread(target=kill_when_busy, args=(dask_cluster, tmp_path / "other"))
        killer.start()
        options = ["--runner", "dask", "--dask-address", dask_cluster.address, "--cache", str(tmp_path / "other")]
        done = hub_index("flow", "run", story.hub.root, *options, "--json", timeout_s=300, **environment)
        killer.join()
        assert dask_cluster.workers[0].wait() == -signal.SIGKILL
    assert done.code == 0, done.err
    assert json.loads(done.out)["embedded"] == 700
    dask = story.files()
    assert (dask["vectors.f32"], dask["skills.jsonl"]) == (threads["vectors.f32"], threads["skills.jsonl"])


def kill_when_busy(dask_cluster: Cluster, cache: Path) -> None:
    """Kills one worker as soon as the first few hundred vectors are in the cache."""
    end_s = time.monotonic() + 200
    while not list(cache.rglob("*.parquet")) and time.monotonic() < end_s:
        time.sleep(0.05)
    dask_cluster.workers[0].send_signal(signal.SIGKILL)


@pytest.mark.soak
def test_a_cluster_that_is_not_there_is_a_settings_error(tmp_path: Path, prefect: PrefectServer) -> None:
    """Nobody listens at the address: exit 2, one line, nothing embedded."""
    story = make_story(tmp_path / "hub", skills=2)
    environment: dict[str, Any] = {"PREFECT_API_URL": prefect.url, "PREFECT_HOME": str(tmp_path / "prefect")}
    options = ["--runner", "dask", "--dask-address", "tcp://127.0.0.1:9"]
    done = hub_index("flow", "run", story.hub.root, *options, **environment)
    assert (done.code, story.files()) == (2, {})
    assert "no Dask cluster answers at tcp://127.0.0.1:9" in done.err
