"""The command that adds an extra to this installation, from the package's own source: no registry may have it. A
missing extra is named in one line before anything is started, instead of a missing module's name.
"""

import json
from importlib.util import find_spec
from urllib.parse import unquote, urlsplit

from hub_index.base.shown_address import shown_address
from hub_index.errors import ConfigError

TYPE_CHECKING = False  # typing itself costs a search 5 ms
if TYPE_CHECKING:
    from typing import Any


def install_hint(extra: str) -> str:
    """A command to paste, such as `pip install 'hub-index[flow]'`; a clone or a repository's address is named."""
    from importlib.metadata import PackageNotFoundError

    try:
        origin = _noted_origin()
    except (PackageNotFoundError, ValueError):  # run from a clone that was never installed
        return f"pip install '.[{extra}]', in the clone"
    return _command(origin, extra)


def read_origin() -> "dict[str, Any]":
    """What pip noted of this package's origin (PEP 610); empty without a note."""
    from importlib.metadata import PackageNotFoundError

    try:
        return _noted_origin()
    except (PackageNotFoundError, ValueError):
        return {}


def _noted_origin() -> "dict[str, Any]":
    from importlib.metadata import distribution

    written = distribution("hub-index").read_text("direct_url.json")
    origin: dict[str, Any] = json.loads(written) if written else {}
    return origin


def _command(origin: "dict[str, Any]", extra: str) -> str:
    """The command for what pip noted of a package's origin (PEP 610); without a note it came from a registry."""
    from shlex import quote

    url = urlsplit(str(origin.get("url", "")))
    if url.scheme == "file":
        editable = "--editable " if origin.get("dir_info", {}).get("editable") else ""
        return f"pip install {editable}{quote(f'{unquote(url.path)}[{extra}]')}"
    if not url.scheme:
        return f"pip install 'hub-index[{extra}]'"
    vcs = origin.get("vcs_info", {})
    address = shown_address(url.geturl())
    kind, revision = (f"{vcs['vcs']}+", vcs.get("requested_revision", "")) if "vcs" in vcs else ("", "")
    return f"pip install {quote(f'hub-index[{extra}] @ {kind}{address}' + (f'@{revision}' if revision else ''))}"


def check_extra(verb: str, extra: str, modules: tuple[str, ...]) -> None:
    """Raises ConfigError if one of the extra's modules is not installed."""
    if any(find_spec(module) is None for module in modules):
        raise ConfigError(f"`hub-index {verb}` needs the extra {extra!r}: {install_hint(extra)}")


def has_mcp() -> bool:
    """Whether the extra `mcp` is installed."""
    return find_spec("mcp") is not None
