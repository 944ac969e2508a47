"""The extra that a door needs: named in one line before anything is started, instead of a missing module's name."""

from importlib.util import find_spec

from hub_index.base.install_hint import install_hint
from hub_index.errors import ConfigError


def check_extra(verb: str, extra: str, modules: tuple[str, ...]) -> None:
    """Raises ConfigError if one of the extra's modules is not installed."""
    if any(find_spec(module) is None for module in modules):
        raise ConfigError(f"`hub-index {verb}` needs the extra {extra!r}: {install_hint(extra)}")


def has_mcp() -> bool:
    """Whether the extra `mcp` is installed."""
    return find_spec("mcp") is not None
