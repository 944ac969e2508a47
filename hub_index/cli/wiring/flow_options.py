"""The options of `hub-index flow` and the parameters of its runs: one list under one set of rules.

The command line makes parameters of its options; a run makes options of its parameters and checks them as the command
line does.
"""

import argparse
import os
from typing import TYPE_CHECKING, Any

from hub_index.cli.arguments import (
    VerbParser,
    add_build_options,
    add_hub,
    add_max_drop,
    add_place_options,
    add_sign,
    remote_name,
)
from hub_index.cli.user_settings import with_whole_path
from hub_index.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import NoReturn


def add_flow_options(parser: VerbParser) -> None:
    """Adds the options of a run."""
    add_hub(parser, is_required=True)
    add_place_options(parser)
    add_build_options(parser)
    parser.add_argument("--dry-run", action="store_true", help="only say what would be embedded")
    parser.add_argument(
        "--publish", action="store_true", help="commit to the remote's branch and push, as publish --push"
    )
    parser.add_argument("--remote", type=remote_name, metavar="NAME", help="where to push")
    parser.add_argument("--branch", metavar="NAME", help="the branch (default: the one that is checked out)")
    parser.add_argument("--orphan", action="store_true", help="--branch holds the index alone, without history")
    parser.add_argument("--author", metavar="'NAME <MAIL>'", help="the commit's author")
    parser.add_argument("--message", metavar="TEXT", help="the commit's message")
    add_max_drop(parser)
    add_sign(parser)
    parser.add_argument("--runner", choices=("threads", "dask"), default="threads", help="where batches are embedded")
    parser.add_argument("--dask-address", metavar="A", help="the scheduler of a Dask cluster (default: a local one)")


def parse_options(parser: VerbParser, words: list[str]) -> argparse.Namespace:
    """The options, once they do not contradict each other."""
    parsed = parser.parse_args(words)
    if parsed.sign and not parsed.publish:
        parser.error("--sign needs --publish: what is signed is the index that is committed")
    if parsed.dask_address and parsed.runner != "dask":
        parser.error("--dask-address needs --runner dask")
    if "@" in (parsed.dask_address or ""):  # Prefect's server would keep it
        parser.error("--dask-address takes no user and no password; write it as tcp://HOST:8786")
    return parsed


def flow_parameters(arguments: argparse.Namespace) -> dict[str, Any]:
    """The flow's parameters: plain values, no secret."""
    names = (
        "publish", "remote", "branch", "orphan", "author", "message", "rev", "force", "strict", "allow_shrink",
        "dry_run", "model", "model_alias", "batch_size", "concurrency", "max_cost", "max_drop", "runner",
        "dask_address",
    )  # fmt: skip
    paths = {"hub": arguments.hub, "out": arguments.out, "cache": arguments.cache, "sign": arguments.sign}
    asked = vars(arguments)
    parameters: dict[str, Any] = {name: asked[name] for name in names} | {"accept": arguments.accept or None}
    # a flow that is served runs in another folder
    parameters["model"] = with_whole_path(arguments.model)
    return parameters | {name: os.path.abspath(path) if path is not None else None for name, path in paths.items()}


def read_parameters(hub: str, parameters: "Mapping[str, object]") -> argparse.Namespace:
    """The options of a run's parameters. Raises ConfigError, in the words of the command line."""
    parser = _ParameterParser("flow run", "", "")
    add_flow_options(parser)
    words = [word for name, value in parameters.items() for word in _as_words(parser, name, value)]
    return parse_options(parser, [*words, "--", hub])


class _ParameterParser(VerbParser):
    def error(self, message: str) -> "NoReturn":
        """A run of the flow ends with an error, not with its process."""
        raise ConfigError(self.explain(message))


def _as_words(parser: VerbParser, name: str, value: object) -> list[str]:
    """A parameter as words of the command line; empty for a default."""
    default = parser.get_default(name)
    option = f"--{name.replace('_', '-')}"
    if value is None or value is default:
        return []
    if default is False and value is True:
        return [option]
    values = value if isinstance(default, list) and isinstance(value, list) else [value]
    return [f"{option}={item}" for item in values]
