"""Where a file of the hub can be read in a browser: the pattern of its host's pages at one commit."""

from pathlib import Path

from hub_index.errors import HubIndexError
from hub_index.hub.git.address import parse_address
from hub_index.hub.git.repository import Repository

_PATTERNS = {"github.com": "blob/{commit}", "gitlab.com": "-/blob/{commit}", "codeberg.org": "src/commit/{commit}"}


def hub_title(repo: Repository, hub: Path) -> str:
    """What the page calls a hub: its folder in a larger repository, else the repository's name, else its folder's."""
    folder = Path(repo.prefix).name if repo.prefix else hub.resolve().name
    if repo.prefix:
        return folder
    try:
        shown = parse_address(repo.remote_address(), must_exist=False).shown
    except HubIndexError:
        return folder
    return shown.rstrip("/").rpartition("/")[2].rpartition(":")[2].removesuffix(".git") or folder


def web_pattern(repo: Repository, commit: str) -> str:
    """`https://…/blob/COMMIT/{path}` for hosts whose pages are known; empty for all others."""
    try:
        shown = parse_address(repo.remote_address()).shown
    except HubIndexError:
        return ""
    host, _, path = shown.partition("://")[2].rpartition("@")[2].replace(":", "/", 1).partition("/")
    if "://" not in shown:  # git@host:owner/name
        host, _, path = shown.rpartition("@")[2].partition(":")
    pattern = _PATTERNS.get(host)
    owner_and_name = path.strip("/").removesuffix(".git")
    if pattern is None or owner_and_name.count("/") < 1:
        return ""
    prefix = f"{repo.prefix.strip('/')}/" if repo.prefix else ""
    return f"https://{host}/{owner_and_name}/{pattern.format(commit=commit)}/{prefix}{{path}}"
