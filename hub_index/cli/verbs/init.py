"""`hub-index init`: writes a settings file, the user's own or a hub's, and never over a file."""

import argparse
import json
import os
from pathlib import Path

from hub_index.cli.arguments import VerbParser, folder_path
from hub_index.cli.progress import ProgressBar
from hub_index.cli.terminal import printable
from hub_index.cli.wiring.dictionary_wiring import prepare_dictionary
from hub_index.cli.wiring.hub_ci import hub_workflows, installed_source, parse_source
from hub_index.errors import ConfigError, PublishError
from hub_index.hub.config_values import CONFIG_FILE
from hub_index.hub.skill.problems import counted
from hub_index.settings import read_settings, write_env_template, write_new_file

_EXAMPLES = """\
  hub-index init                       AXON_EMBEDDINGS_…, for you
  AXON_HOME=/elsewhere hub-index init
  hub-index init path/to/hub           roots in its hub-index.toml, where skills lie outside of skills/
  hub-index init path/to/hub --ci github          workflows that keep its index fresh and answer pull requests"""


def parse(arguments: list[str]) -> argparse.Namespace:
    """The verb's arguments."""
    parser = VerbParser(
        "init", "Write an empty settings file for embedding providers, or a hub's own settings.", _EXAMPLES
    )
    parser.add_argument(
        "hub", metavar="HUB", nargs="?", type=folder_path, help="the hub whose hub-index.toml is written"
    )
    parser.add_argument("--ci", choices=("github",), help="write the hub's workflows instead of its settings")
    parser.add_argument(
        "--from",
        dest="source",
        metavar="OWNER/NAME@COMMIT",
        help="the repository and commit of hub-index that they use (default: those that this installation came from)",
    )
    parsed = parser.parse_args(arguments)
    if parsed.ci and parsed.hub is None:
        parsed.hub = folder_path(".")
    if parsed.source and not parsed.ci:
        parser.error("--from is for --ci")
    return parsed


def run(arguments: argparse.Namespace) -> int:
    """Says what was written, and where."""
    if arguments.ci:
        print("\n".join(_init_ci(arguments.hub, arguments.source)))
        return 0
    print(_init_user() if arguments.hub is None else _init_hub(arguments.hub))
    return 0


def _init_user() -> str:
    settings = read_settings()
    path = settings.env_file
    with ProgressBar() as bar:
        prepare_dictionary(settings.cache_folder, bar)
    try:
        is_new = write_env_template(path)
    except OSError as error:
        raise _unwritable(path, error) from error
    if is_new:
        return f"{printable(path)}: fill in the values that you need; everything may stay empty"
    return f"{printable(path)} is there already and was left as it is"


def _init_ci(hub: Path, asked: str | None) -> list[str]:
    from hub_index.hub.git.process import run_git
    from hub_index.hub.git.repository import open_repository

    source = parse_source(asked) if asked else installed_source()
    repo = open_repository(hub)
    if repo.bare:
        raise ConfigError(f"{hub} is a bare repository, without a work tree: run this in a clone of it")
    if repo.prefix:
        raise ConfigError(f"{hub} is a folder of a repository: docs/hub-ci.md says how its workflows name it (`hub:`)")
    if any(os.path.islink(hub / folder) for folder in (".github", ".github/workflows")):
        raise ConfigError(f"{hub / '.github'} leads elsewhere by a link, which is not followed")
    branch = run_git(["-C", str(hub), "symbolic-ref", "--quiet", "--short", "HEAD"]).line or "main"
    said = []
    for name, text in hub_workflows(source, json.dumps(branch)).items():
        path = hub / name
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            is_new = write_new_file(str(path), text)
        except OSError as error:
            raise _unwritable(str(path), error) from error
        told = "written; commit it" if is_new else "is there already and was left as it is"
        said.append(f"{printable(str(path))}: {told}")
    return said


def _init_hub(hub: Path) -> str:
    from hub_index.hub.git.repository import open_repository
    from hub_index.hub.inspection import inspect_hub

    if open_repository(hub).bare:
        raise ConfigError(f"{hub} is a bare repository, without a work tree: run this in a clone of it")
    outside = inspect_hub(hub).outside
    path = str(hub / CONFIG_FILE)
    if not outside.count:
        return f"nothing to write into {printable(path)}: no committed skill is left out because of the hub's roots"
    try:
        is_new = write_new_file(path, f"{outside.setting()}\n")
    except OSError as error:
        raise _unwritable(path, error) from error
    if not is_new:
        return (
            f"{printable(path)} is there already and was left as it is; add this line:\n{printable(outside.setting())}"
        )
    more = counted(outside.count, "more skill")
    return f"{printable(path)}: {printable(outside.setting())} takes in {more}; commit it, then run `hub-index build`"


def _unwritable(path: str, error: OSError) -> PublishError:
    return PublishError(f"{path} cannot be written ({error.strerror}); check the disk and the rights")
