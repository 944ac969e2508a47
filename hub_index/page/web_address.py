"""The address of a hub's clone, and the pattern of its host's pages for files at one commit."""

from pathlib import Path

from hub_index.errors import HubIndexError, SourceError
from hub_index.hub.git.address import parse_address
from hub_index.hub.git.repository import Repository
from hub_index.page.content import HubContent

_PATTERNS = {"github.com": "blob/{commit}", "gitlab.com": "-/blob/{commit}", "codeberg.org": "src/commit/{commit}"}


def hub_title(repo: Repository, hub: Path) -> str:
    """The page's title of a hub: its folder in a larger repository, else the repository's name, else its folder's."""
    folder = Path(repo.prefix).name if repo.prefix else hub.resolve().name
    if repo.prefix:
        return folder
    try:
        shown = parse_address(repo.remote_address(), must_exist=False).shown
    except HubIndexError:
        return folder
    return shown.rstrip("/").rpartition("/")[2].rpartition(":")[2].removesuffix(".git") or folder


def web_facts(repo: Repository, content: HubContent) -> dict[str, str]:
    """The pattern of the files' pages, where the hub is cloned from, and its folder in the clone."""
    home = web_home(repo)
    return {
        "webAddress": web_pattern(repo, _linked_revision(repo, content)),
        "cloneAddress": home and f"{home}.git",
        "hubFolder": repo.prefix.strip("/"),
    }


def web_home(repo: Repository) -> str:
    """`https://HOST/OWNER/NAME` for hosts whose pages are known; empty for all others."""
    try:
        shown = parse_address(repo.remote_address()).shown
    except HubIndexError:
        return ""
    host, _, path = shown.partition("://")[2].rpartition("@")[2].replace(":", "/", 1).partition("/")
    if "://" not in shown:  # git@host:owner/name
        host, _, path = shown.rpartition("@")[2].partition(":")
    owner_and_name = path.strip("/").removesuffix(".git")
    if host not in _PATTERNS or "/" not in owner_and_name:
        return ""
    return f"https://{host}/{owner_and_name}"


def web_pattern(repo: Repository, commit: str) -> str:
    """`https://…/blob/COMMIT/{path}` for hosts whose pages are known; empty for all others."""
    home = web_home(repo)
    if not home:
        return ""
    place = _PATTERNS[home.split("/")[2]].format(commit=commit)
    prefix = f"{repo.prefix.strip('/')}/" if repo.prefix else ""
    return f"{home}/{place}/{prefix}{{path}}"


def _linked_revision(repo: Repository, content: HubContent) -> str:
    """The indexed revision where every file that the page shows is the same there: a later commit may not be pushed."""
    try:
        changed = {entry.path for entry in repo.changed_entries(content.revision, content.commit)}
    except SourceError:  # a shallow clone has no commit but its own
        return content.commit
    shown = {f"{page.record.path}/{path}" for page in content.skills for path, _ in page.files}
    shown |= {page.file for page in content.skills}
    return content.commit if changed & shown else content.revision
