"""`hub-index doctor`: whether git, the model, the extras and the folders are there, and what to do where not."""

import argparse
import os
import shutil
import subprocess
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from hub_index.cli.arguments import VerbParser, add_json
from hub_index.cli.doctor_search import look_at_search, state_of
from hub_index.cli.doctor_settings import complaint_about_settings, look_at_settings, settings_or_folders
from hub_index.cli.findings import Finding
from hub_index.cli.search_wiring import add_index_options
from hub_index.cli.terminal import format_table, print_json, terminal_width
from hub_index.errors import HubIndexError
from hub_index.settings import Settings

_EXAMPLES = """\
  hub-index doctor
  hub-index doctor --hub path/to/hub --json"""
_EXTRAS = {
    "build": ("jsonschema", "git", "pyarrow"),
    "flow": ("prefect",),
    "dask": ("prefect_dask",),
    "openai": ("openai",),
    "voyage": ("voyageai",),
}


def parse(arguments: list[str]) -> argparse.Namespace:
    """The verb's arguments."""
    parser = VerbParser("doctor", "Say what would be used, and what is missing; exit 1 if something is bad.", _EXAMPLES)
    add_index_options(parser)
    add_json(parser)
    return parser.parse_args(arguments)


def run(arguments: argparse.Namespace) -> int:
    """Prints what was found."""
    findings = list(_look(arguments, settings_or_folders()))
    if arguments.json:
        print_json({"findings": [{"what": f.what, "state": f.state, "detail": f.detail} for f in findings]})
    else:
        print(
            format_table(("what", "state", "detail"), [(f.what, f.state, f.detail) for f in findings], terminal_width())
        )
    return 1 if any(finding.state == "bad" for finding in findings) else 0


def _look(arguments: argparse.Namespace, settings: Settings) -> Iterator[Finding]:
    yield _git()
    yield _model(settings)
    for extra, modules in _EXTRAS.items():
        missing = [module for module in modules if find_spec(module) is None]
        detail = f'pip install "hub-index[{extra}]" brings {", ".join(missing)}' if missing else "installed"
        yield Finding(f"extra {extra}", "absent" if missing else "ok", detail)
    yield _folder("cache folder", settings.cache_dir)
    yield from look_at_settings(settings, arguments.model)
    if arguments.hub:
        yield from _hub(Path(arguments.hub))
    if complaint_about_settings(arguments.model):
        yield Finding("search", "bad", "not looked at: nothing can be searched before the settings are right")
        return
    yield from look_at_search(arguments)


def _git() -> Finding:
    if shutil.which("git") is None:
        return Finding("git", "bad", "not on PATH; install git")
    done = subprocess.run(["git", "--version"], capture_output=True, text=True, check=False)
    return Finding("git", "ok", done.stdout.strip())


def _model(settings: Settings) -> Finding:
    from hub_index.embedding.local import LocalEncoder

    encoder = LocalEncoder(cache_dir=settings.cache_dir)
    try:
        length = len(encoder.embed_query("hello"))
    except HubIndexError as error:
        return Finding("embedded model", "bad", str(error))
    finally:
        encoder.close()
    return Finding("embedded model", "ok", f"{encoder.model_id}, {length} dimensions, {encoder.space[:19]}…")


def _folder(what: str, folder: Path) -> Finding:
    nearest = folder
    while not nearest.exists() and nearest != nearest.parent:
        nearest = nearest.parent
    if os.access(nearest, os.W_OK | os.X_OK):
        return Finding(what, "ok", str(folder))
    return Finding(what, "bad", f"{nearest} cannot be written; change its rights or choose another folder")


def _hub(hub: Path) -> Iterator[Finding]:
    from hub_index.hub.git.repository import open_repository
    from hub_index.hub.snapshot import read_hub
    from hub_index.index.folder.store import read_digests_ok

    try:
        repo = open_repository(hub)
        state = read_hub(repo, "HEAD")
    except HubIndexError as error:
        yield Finding("hub", "bad", str(error))
        return
    yield Finding("hub", "ok", f"{len(state.snapshot.files)} skill files at {state.snapshot.revision[:12]}")
    folder = repo.hub / state.config.output
    yield _folder("index folder", folder)
    try:
        manifest = read_digests_ok(folder)
    except HubIndexError as error:
        yield Finding("index", state_of(error), str(error))
        return
    is_fresh = manifest.source_digest == state.snapshot.source_digest
    detail = f"{manifest.count} skills by {manifest.model_id}" + ("" if is_fresh else "; stale: run `hub-index build`")
    yield Finding("index", "ok", detail)
