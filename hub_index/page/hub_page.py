"""`write_hub_page`: a hub and its index → the static site in a folder. The entry of this room.

`.well-known/agent-skills/` stands beside it, from the commit: the rules are export/well_known's.
"""

import os
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from pathlib import Path

from hub_index.base.safe_open import RootedPath
from hub_index.embedding.encoder import Encoder
from hub_index.errors import HubIndexError, SourceError
from hub_index.export.well_known import PLACE, Collected, make_artifact, why_not_served
from hub_index.hub.git.address import parse_address
from hub_index.hub.git.repository import Repository, open_repository
from hub_index.hub.record_file import is_skill_file
from hub_index.hub.skill.problems import counted, listed
from hub_index.hub.snapshot import read_hub
from hub_index.hub.tree.layout import REGULAR_MODES
from hub_index.limits import MAX_PAGE_WELL_KNOWN_BYTES, MAX_SKILL_FILES, MAX_SKILL_FOLDER_BYTES
from hub_index.models import TreeEntry
from hub_index.page.content import HubContent, SkillPage, read_content
from hub_index.page.data.data_file import PreviousData, encode_json, read_previous
from hub_index.page.data.page_data import PageData, digest_of, make_data
from hub_index.page.page_folder import lock_page, read_listing, write_page
from hub_index.search.lexical.translation.translator import Translator

_SHOWN_SKILLS = 3
_TOO_LARGE = "the hub's skills are too large to stand beside the page, which is without .well-known/agent-skills"
_DATA = "data"
PAGE_FACTS = f"{_DATA}/page.json"
_STALE = "the hub's skills have changed since its index was made; build it again"

_HEAD = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'self'; base-uri 'none'">
<title>Skills of {hub}</title>
<link rel="stylesheet" href="style.css">
</head>
<body>
<main>
<h1>Skills of {hub}</h1>
<p>{count} skills. <a href="index.html">Search them</a>.</p>
<dl>
"""
_TAIL = "</dl>\n</main>\n</body>\n</html>\n"
_MAX_LISTED = 5_000  # a browser opens that in a moment; the search page lists the rest
_PATTERNS = {"github.com": "blob/{commit}", "gitlab.com": "-/blob/{commit}", "codeberg.org": "src/commit/{commit}"}


@dataclass(frozen=True, slots=True)
class WellKnown:
    """The files by their path from the site's root, and notices on the missing ones."""

    files: Mapping[str, bytes]
    notices: tuple[str, ...] = ()


def encode_well_known(repo: Repository, skills: Sequence[SkillPage], tree: Iterable[TreeEntry]) -> WellKnown:
    """The index of a commit's skills, and the skills as it names them. Raises SourceError."""
    folders = _files_by_skill(tree)
    wanted = [(page, _served(page, folders)) for page in skills if page.kind == "skill"]
    if sum(entry.size for _, entries in wanted for entry in entries.values()) > MAX_PAGE_WELL_KNOWN_BYTES:
        return WellKnown({}, (_TOO_LARGE,))
    blobs = repo.read_blobs(entry.blob for _, entries in wanted for entry in entries.values())
    collected = Collected()
    files: dict[str, bytes] = {}
    for page, entries in wanted:
        contents = {path: next(blobs)[1] for path in entries}
        artifact_or_reason = why_not_served(page.record) or make_artifact(
            page.record, os.path.basename(page.file), contents
        )
        artifact = collected.take(page.record.id, artifact_or_reason)
        if artifact is not None:
            files[f"{PLACE}/{artifact.file}"] = artifact.content
    name, content = collected.encode_index()
    files[f"{PLACE}/{name}"] = content
    left = collected.left_out
    notice = f"{counted(len(left), 'skill')} left out of {PLACE}: {listed(left, _SHOWN_SKILLS)}"
    return WellKnown(files, (notice,) if left else ())


def _served(page: SkillPage, folders: Mapping[str, Mapping[str, TreeEntry]]) -> Mapping[str, TreeEntry]:
    """The files of a skill that are read; none if it cannot be served anyway."""
    entries = folders.get(os.path.dirname(page.file), {})
    size = sum(entry.size for entry in entries.values())
    is_too_much = len(entries) > MAX_SKILL_FILES or size > MAX_SKILL_FOLDER_BYTES
    return {} if is_too_much or why_not_served(page.record) else entries


def _files_by_skill(tree: Iterable[TreeEntry]) -> dict[str, dict[str, TreeEntry]]:
    """Each skill's folder with its files, by their path from there: a file belongs to the nearest skill above it."""
    regular = [entry for entry in tree if entry.mode in REGULAR_MODES]
    folders: dict[str, dict[str, TreeEntry]] = defaultdict(dict)
    skills = {os.path.dirname(entry.path) for entry in regular if is_skill_file(entry.path)}
    for entry in regular:
        folder = os.path.dirname(entry.path)
        while folder not in skills and folder:
            folder = os.path.dirname(folder)
        below = entry.path[len(folder) + 1 :] if folder else entry.path
        if folder in skills and not any(part.startswith(".") for part in below.split("/")):
            folders[folder][below] = entry
    return folders


@dataclass(frozen=True, slots=True)
class PageOutcome:
    """The result of writing a page."""

    folder: Path
    skills: int
    files: int
    written: int  # 0: the page was this one already
    bytes: int
    notices: tuple[str, ...] = ()


def write_hub_page(  # noqa: PLR0913 - where from, where to, and what makes it
    hub: Path,
    folder: Path,
    encoder: Encoder,
    translator: Translator,
    *,
    index_dir: Path | None = None,
    rev: str = "HEAD",
    with_model: bool = True,
) -> PageOutcome:
    """Makes or renews the page of a commit; the index is the hub's own unless another is named.

    Raises SourceError, IndexUnusable, ConfigError, ProviderError, PublishError, IndexBusy.
    """
    with lock_page(folder):
        return _write(hub, folder, encoder, translator, index_dir=index_dir, rev=rev, with_model=with_model)


def _write(  # noqa: PLR0913 - as above
    hub: Path,
    folder: Path,
    encoder: Encoder,
    translator: Translator,
    *,
    index_dir: Path | None,
    rev: str,
    with_model: bool,
) -> PageOutcome:
    repo = open_repository(hub)
    state = read_hub(repo, rev)
    content = read_content(repo, state, index_dir or RootedPath(str(repo.hub), state.config.output), encoder)
    previous = read_previous(folder) if read_listing(folder) else PreviousData()
    well_known = encode_well_known(repo, content.skills, repo.list_tree(content.commit))
    dictionary = translator.open()
    data = make_data(content, previous, dictionary.file, with_model=with_model)
    name = hub_title(repo, hub)
    facts = {**data.facts, "hub": name, **web_facts(repo, content)}
    contents = {
        **_web_files(),
        **well_known.files,
        "skills.html": encode_plain_list(name, content.skills),
        **{f"{_DATA}/{file}": stored for file, stored in data.files.items()},
        PAGE_FACTS: _encode_facts(facts, data),
    }
    written = write_page(folder, contents)
    notices = ((_STALE,) if content.is_stale else ()) + well_known.notices
    notices += (f"{dictionary.notice}: the page is without them",) if dictionary.file is None else ()
    size = sum(map(len, contents.values()))
    return PageOutcome(folder, len(content.skills), len(contents) + 1, written, size, notices)  # and the list of files


def _encode_facts(facts: dict[str, object], data: PageData) -> bytes:
    return encode_json({**facts, "files": {name: digest_of(stored) for name, stored in sorted(data.files.items())}})


def _web_files() -> dict[str, bytes]:
    """The page's own files, as they are packaged."""
    folder = files("hub_index.page") / "web"
    return {
        entry.name: entry.read_bytes() for entry in sorted(folder.iterdir(), key=lambda e: e.name) if entry.is_file()
    }


def encode_plain_list(hub: str, skills: Sequence[SkillPage]) -> bytes:
    """The page's bytes; every word of the hub is escaped."""
    rows = [
        f"<dt>{escape(page.record.name)} <code>{escape(page.place)}</code></dt>\n"
        f"<dd>{escape(page.record.description)}</dd>\n"
        for page in skills[:_MAX_LISTED]
    ]
    if len(skills) > _MAX_LISTED:
        rows.append(f"<dt>… and {len(skills) - _MAX_LISTED} more</dt>\n")
    head = _HEAD.format(hub=escape(hub), count=len(skills))
    return (head + "".join(rows) + _TAIL).encode("utf-8", "replace")


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
