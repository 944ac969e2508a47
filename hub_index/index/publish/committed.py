"""The index of a commit → IndexFiles, as in git; the files of parts stay in git until they are read."""

from dataclasses import dataclass
from hashlib import sha256

from hub_index.errors import IndexCorrupt, IndexUnusable, SourceError
from hub_index.hub.git.repository import Repository
from hub_index.index.folder.hold import HOLD_FILE
from hub_index.index.format.manifest import decode_manifest
from hub_index.index.format.parts import MANIFEST_FILE, SIGNATURE_FILE, SKILLS_FILE, VECTOR_FILE
from hub_index.index.format.sections import load
from hub_index.limits import (
    MAX_GIT_FILE_BYTES,
    MAX_MANIFEST_BYTES,
    MAX_SIGNATURE_BYTES,
    MAX_SKILLS_BYTES,
    MAX_VECTOR_BYTES,
)
from hub_index.models import Content, IndexFiles, Part, PartContent, PartFile, TreeEntry


@dataclass(frozen=True, slots=True)
class GitFile:
    """A file of a part as a blob, whose bytes are read when they are needed, and hashed each time."""

    repo: Repository
    name: str
    blob: str
    size: int
    sha256: str

    def read(self) -> bytes:
        """Its bytes. Raises IndexCorrupt if they are not those that the manifest names."""
        try:
            ((_, data),) = self.repo.read_blobs([self.blob])
        except SourceError as error:
            raise IndexCorrupt.at(self.name, f"cannot be read from git ({error})") from error
        if len(data) != self.size or sha256(data).hexdigest() != self.sha256:
            raise IndexCorrupt.at(self.name, "its bytes are not those that the manifest names")
        return data


def read_committed(repo: Repository, commit: str | None, output: str) -> IndexFiles | None:
    """The files of a commit's index folder as they are; None if it has no manifest."""
    if commit is None:
        return None
    manifest = repo.read_file(commit, f"{output}/{MANIFEST_FILE}", MAX_MANIFEST_BYTES)
    if manifest is None:
        return None
    signature = repo.read_file(commit, f"{output}/{SIGNATURE_FILE}", MAX_SIGNATURE_BYTES)
    hold = repo.read_file(commit, f"{output}/{HOLD_FILE}", MAX_GIT_FILE_BYTES)
    if parts := _parts_of(manifest):
        entries = {entry.path: entry for entry in repo.list_tree(commit, f"{output}/")}
        contents = tuple(
            PartContent(_stored(repo, entries, output, part.skills), _stored(repo, entries, output, part.vectors))
            for part in parts
        )
        return IndexFiles(manifest, signature=signature, hold=hold, parts=contents)
    skills = repo.read_file(commit, f"{output}/{SKILLS_FILE}", MAX_SKILLS_BYTES)
    vectors = repo.read_file(commit, f"{output}/{VECTOR_FILE}", MAX_VECTOR_BYTES)
    return IndexFiles(manifest, skills or b"", vectors or b"", signature=signature, hold=hold)


def holds_same(committed: IndexFiles, files: IndexFiles) -> bool:
    """Whether a commit's index is exactly these files; a blob that both name need not be read again."""
    committed_facts, new_facts = (
        (index.manifest, index.skills, index.vectors, index.signature, index.hold) for index in (committed, files)
    )
    if committed_facts != new_facts or len(committed.parts) != len(files.parts):
        return False
    return all(
        _is_same(committed_part.skills, here.skills) and _is_same(committed_part.vectors, here.vectors)
        for committed_part, here in zip(committed.parts, files.parts, strict=True)
    )


def _is_same(one: Content, other: Content) -> bool:
    if isinstance(one, GitFile) and isinstance(other, GitFile) and one.blob == other.blob:
        return True
    try:
        return load(one) == load(other)
    except IndexCorrupt:
        return False


def _parts_of(manifest: bytes) -> tuple[Part, ...]:
    try:
        return decode_manifest(manifest).parts or ()
    except IndexUnusable:  # the user of the index reports it
        return ()


def _stored(repo: Repository, entries: dict[str, TreeEntry], output: str, facts: PartFile) -> Content:
    """The blob of a part's file; nothing if the commit does not have it as a plain file of that size."""
    entry = entries.get(f"{output}/{facts.file}")
    if entry is None or not entry.mode.startswith("100") or entry.size != facts.bytes:
        return b""
    return GitFile(repo, facts.file, entry.blob, facts.bytes, facts.sha256)
