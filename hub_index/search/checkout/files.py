"""The checkout's own files: what keyword search reads when there is no index, and the bodies beside one.

Regular files only, links are never followed and no git process is started. Names and bytes go through the same
door as in a build: `hub.listing` decides what counts, `hub.skill` what it says.
"""

import os
from collections.abc import Callable, Container, Iterator, Sequence
from hashlib import sha256

from hub_index.errors import ConfigError
from hub_index.hub.config import CONFIG_FILE, HubConfig, parse_config
from hub_index.hub.tree.listing import select_files, source_digest
from hub_index.limits import MAX_BODY_CHARS, MAX_HUB_CONFIG_BYTES, MAX_SKILL_BYTES
from hub_index.models import SkillFile, TreeEntry
from hub_index.record import Record
from hub_index.regular_file import read_regular
from hub_index.search.checkout.git_index import read_git_index
from hub_index.search.lexical.build import LexicalDocument

Progress = Callable[[int, int], None]  # how many are done, of how many


def read_config(hub: str) -> HubConfig:
    """The hub's settings as they stand in the checkout; unreadable ones count as none, search goes on."""
    try:
        return parse_config(read_regular(os.path.join(hub, CONFIG_FILE), MAX_HUB_CONFIG_BYTES))
    except (OSError, ConfigError):
        return HubConfig()


def list_checkout(hub: str) -> tuple[SkillFile, ...]:
    """The files that a build would index, found by walking the folder."""
    return select_files(_walk(hub), read_config(hub)).files


def digest_checkout(hub: str) -> str:
    """What the files were when they were read: changes with every file that is added, edited or removed.

    By name, size and time, for folders without git, where there is no commit to go by.
    """
    digest = sha256()
    for file in list_checkout(hub):
        changed = os.lstat(os.path.join(hub, file.file)).st_mtime_ns
        digest.update(f"{file.file}\0{file.size}\0{changed}\n".encode("utf-8", "surrogateescape"))
    return digest.hexdigest()


def read_source_digest(hub: str) -> str:
    """The manifest's `source_digest` of this checkout, from git's index; empty where it cannot be known."""
    files = _list_git_index(hub)
    return "" if files is None else source_digest(files)


def read_documents(hub: str, progress: Progress | None = None) -> Iterator[LexicalDocument]:
    """The checkout's skills as documents, sorted by id; what cannot be read is left out."""
    return _read_files(hub, list_checkout(hub), progress)


def read_unindexed(hub: str, known: Container[str]) -> Iterator[LexicalDocument]:
    """The skills of git's index whose ids are not known, as documents, sorted by id."""
    return _read_files(hub, [file for file in _list_git_index(hub) or () if file.id not in known])


def _list_git_index(hub: str) -> tuple[SkillFile, ...] | None:
    entries = read_git_index(hub)
    return None if entries is None else select_files(entries, read_config(hub)).files


def _read_files(hub: str, files: Sequence[SkillFile], progress: Progress | None = None) -> Iterator[LexicalDocument]:
    from hub_index.hub.skill.skill import parse_skill

    for done, file in enumerate(files):
        if progress:
            progress(done, len(files))
        try:
            skill = parse_skill(file, read_regular(os.path.join(hub, file.file), MAX_SKILL_BYTES)).skill
        except OSError:
            continue
        if skill is not None:
            record = Record(
                skill.id, skill.path, skill.name, skill.description, keywords=skill.keywords, lang=skill.lang
            )
            yield LexicalDocument(record, skill.body)


def list_record_files(hub: str) -> dict[str, str]:
    """Every record's file by its id, from the hub's root."""
    return {file.id: file.file for file in list_checkout(hub)} if hub else {}


def read_body(hub: str, file: str) -> str:
    """The body of a record's file, cut to what is scored; empty where it cannot be read, or no file is given.

    Only the fences are looked for: the fields are in the record, and YAML would take ten times as long.
    """
    from hub_index.hub.skill.block_split import split_frontmatter
    from hub_index.hub.skill.encoding import decode_content
    from hub_index.hub.skill.problems import ProblemList

    try:
        content = read_regular(os.path.join(hub, file), MAX_SKILL_BYTES) if file else b""
    except OSError:
        return ""
    ignored = ProblemList("")
    return split_frontmatter(decode_content(content, ignored).text, ignored).body[:MAX_BODY_CHARS] if content else ""


def _walk(hub: str) -> Iterator[TreeEntry]:
    """Every entry below the hub but git's own folder; a link is an entry and is not followed."""
    todo = [""]
    while todo:
        below = todo.pop()
        try:
            found = list(os.scandir(os.path.join(hub, below) if below else hub))
        except OSError:
            continue
        for entry in found:
            path = f"{below}/{entry.name}" if below else entry.name
            if entry.is_dir(follow_symlinks=False):
                if entry.name != ".git":
                    todo.append(path)
            elif entry.is_symlink():
                yield TreeEntry("120000", "", 0, path)
            elif entry.is_file(follow_symlinks=False):
                yield TreeEntry("100644", "", entry.stat(follow_symlinks=False).st_size, path)
