"""One check of the doctor as a value, and the checks of the machine and of the named hub."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from hub_index.base.file_permissions import who_else_may_write
from hub_index.base.install_hint import install_hint
from hub_index.cli.text.report_text import skill_count
from hub_index.embedding.local import LocalEncoder
from hub_index.errors import ConfigError, HubIndexError, IndexMissing, IndexStale, SourceError
from hub_index.hub.git.process import run_git
from hub_index.hub.git.repository import open_repository
from hub_index.hub.labels.label_files import missing_notice
from hub_index.hub.skill.problems import counted
from hub_index.hub.snapshot import read_hub
from hub_index.hub.uncommitted import uncommitted_files, uncommitted_notice
from hub_index.index.folder.verification import verify_folder
from hub_index.settings import Settings

_MODULES = {  # of each extra
    "build": ("jsonschema", "git", "pyarrow"),
    "flow": ("prefect",),
    "dask": ("prefect_dask",),
    "openai": ("openai",),
    "voyage": ("voyageai",),
    "onnx": ("onnxruntime", "tokenizers", "huggingface_hub"),
    "mcp": ("mcp",),
    "serve": ("starlette", "uvicorn", "websockets"),
    "client": ("httpx",),
    "postgres": ("psycopg",),
}


@dataclass(frozen=True, slots=True)
class Check:
    """The subject of a check and its state: ok, absent (which may be intended) or bad."""

    what: str
    state: str
    detail: str


def machine_checks(settings: Settings) -> Iterator[Check]:
    """git, the embedded model, the extras and the cache folder."""
    yield _git()
    yield _model(settings)
    for extra in _MODULES:
        missing = missing_modules(extra)
        detail = f"{install_hint(extra)} brings {', '.join(missing)}" if missing else "installed"
        yield Check(f"extra {extra}", "absent" if missing else "ok", detail)
    yield _cache(settings)


def missing_modules(extra: str) -> list[str]:
    """The modules of an extra that are not installed."""
    return [module for module in _MODULES[extra] if find_spec(module) is None]


def state_of(refusal: HubIndexError) -> str:
    """The state of a refused index: absent, or without a key for its model; ok but old; or bad."""
    if isinstance(refusal, IndexMissing | ConfigError):
        return "absent"
    return "ok" if isinstance(refusal, IndexStale) else "bad"


def hub_checks(hub: Path) -> Iterator[Check]:
    """The hub's files, its index folder, and whether the index there is up to date."""
    try:
        repo = open_repository(hub)
        with uncommitted_files(repo) as uncommitted:
            state = read_hub(repo, "HEAD")
            waiting = uncommitted_notice(uncommitted.find_skills(state.config))
        labels = missing_notice(repo, state)
    except HubIndexError as error:
        yield Check("hub", "bad", str(error))
        return
    files = counted(len(state.snapshot.files), "skill file")
    yield Check("hub", "ok", f"{files} at {state.snapshot.revision[:12]}{f'; {waiting}' if waiting else ''}")
    if labels:
        yield Check("labelled queries", "absent", labels)
    folder = repo.hub / state.config.output
    yield _folder("index folder", folder)
    try:
        manifest = verify_folder(folder).manifest
    except HubIndexError as error:
        yield Check("index", state_of(error), str(error))
        return
    is_fresh = manifest.source_digest == state.snapshot.source_digest
    stale = "" if is_fresh else "; stale: run `hub-index build`"
    yield Check("index", "ok", f"{skill_count(manifest)} by {manifest.model_id}{stale}")


def _git() -> Check:
    try:
        return Check("git", "ok", run_git(["--version"]).line)
    except SourceError as error:
        return Check("git", "bad", str(error))


def _model(settings: Settings) -> Check:
    encoder = LocalEncoder(cache_dir=settings.cache_dir)
    try:
        length = len(encoder.embed_query("hello"))
    except HubIndexError as error:
        return Check("embedded model", "bad", str(error))
    finally:
        encoder.close()
    return Check("embedded model", "ok", f"{encoder.model_id}, {length} dimensions, {encoder.space[:19]}…")


def _cache(settings: Settings) -> Check:
    reason = who_else_may_write(settings.cache_dir)
    if not reason:
        return _folder("cache folder", settings.cache_dir)
    used = "its vectors are used because you named it" if settings.cache_is_named else "its vectors are not used"
    detail = f"{settings.cache_dir}: {reason}; {used}, and the embedded model keeps no copy there"
    return Check("cache folder", "ok" if settings.cache_is_named else "bad", detail)


def _folder(what: str, folder: Path) -> Check:
    nearest = folder
    while not nearest.exists() and nearest != nearest.parent:
        nearest = nearest.parent
    if os.access(nearest, os.W_OK | os.X_OK):
        return Check(what, "ok", str(folder))
    return Check(what, "bad", f"{nearest} cannot be written; change its rights or choose another folder")
