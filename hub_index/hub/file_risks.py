"""The risks in files of a revision: a skill's own file and all beside it, read from git and scanned one at a time."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from hub_index.hub.git.repository import Repository, open_repository
from hub_index.hub.snapshot import read_hub
from hub_index.hub.tree.ids import shown_name
from hub_index.hub.tree.layout import REGULAR_MODES
from hub_index.models import SkillFile, TreeEntry
from hub_index.risks.risk import Finding
from hub_index.risks.scan import MAX_SCANNED_BYTES, scan_file

_MAX_FINDINGS = 10_000  # of a hub: a table that anybody reads is shorter


def find_hub_risks(hub: Path, rev: str = "HEAD") -> tuple[Finding, ...]:
    """The findings in every skill of a hub, by place. Raises SourceError and ConfigError."""
    repo = open_repository(hub)
    state = read_hub(repo, rev)
    return find_file_risks(repo, state.snapshot.files, repo.list_tree(state.snapshot.revision))


def find_file_risks(repo: Repository, skills: Sequence[SkillFile], entries: Iterable[TreeEntry]) -> tuple[Finding, ...]:
    """The findings in those of the entries that belong to a skill, workflow or command. Raises SourceError."""
    folders = {"" if skill.path == "." else skill.path for skill in skills if skill.kind == "skill"}
    files = {skill.file for skill in skills}
    wanted = [
        entry
        for entry in entries
        if entry.mode in REGULAR_MODES and (entry.path in files or _is_below(entry.path, folders))
    ]
    found = (finding for path, content in _read(repo, wanted) for finding in scan_file(path, content))
    return tuple(sorted((finding for finding, _ in zip(found, range(_MAX_FINDINGS), strict=False)), key=_place))


def _place(finding: Finding) -> tuple[str, int, str]:
    return finding.risk.path, finding.risk.line, finding.risk.code


def _is_below(path: str, folders: set[str]) -> bool:
    """Whether one of the folders holds the file, at any depth."""
    while path:
        path = path.rpartition("/")[0]
        if path in folders:
            return True
    return False


def _read(repo: Repository, entries: Sequence[TreeEntry]) -> Iterator[tuple[str, bytes | None]]:
    """Each file with its bytes; of a larger one than is scanned only the name counts."""
    small = [entry for entry in entries if entry.size <= MAX_SCANNED_BYTES]
    contents = repo.read_blobs(entry.blob for entry in small)
    for entry, (_, content) in zip(small, contents, strict=True):
        yield shown_name(entry.path), content
    yield from ((shown_name(entry.path), None) for entry in entries if entry.size > MAX_SCANNED_BYTES)
