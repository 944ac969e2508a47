"""The frozen values that pass from one room to the next (the arrows in ARCHITECTURE.md); no behaviour, no I/O.

The record, which a keyword search shows as well, is in `record.py`, which does not import `dataclasses`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

Level = Literal["error", "warning", "advice"]


@dataclass(frozen=True, slots=True)
class Problem:
    """One problem of a file: error = not indexed, warning = repaired, advice = against the specification."""

    level: Level
    path: str  # the file, from the hub's root
    line: int  # 1-based; 0 means the file or folder as a whole
    code: str  # a stable word for programs, such as "yaml-colon"
    reason: str
    fix: str  # what to write instead


@dataclass(frozen=True, slots=True)
class TreeEntry:
    """One entry of the hub's tree, before its name, mode and size are checked."""

    mode: str  # git's six digits: 100644, 100755, 120000 (link), 160000 (submodule)
    blob: str
    size: int  # 0 where unknown
    path: str  # from the hub's root; bytes that are not UTF-8 as surrogate escapes


@dataclass(frozen=True, slots=True)
class SkillFile:
    """A regular file of the hub's tree that should become one record."""

    id: str
    path: str  # the folder, from the hub's root, as it is published
    file: str  # the file itself, from the hub's root
    kind: Literal["skill", "document"]  # document: workflows, commands and agents
    blob: str
    size: int


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The state of a revision: its candidate files, sorted by id, and the problems of the tree."""

    revision: str
    files: Sequence[SkillFile]
    problems: tuple[Problem, ...]
    source_digest: str
    shallow: bool
    outside: tuple[SkillFile, ...] = ()  # skills that lie outside of the root, which the hub did not choose itself


@dataclass(frozen=True, slots=True)
class Skill:
    """The skill in one file, after every repair."""

    id: str
    path: str
    name: str
    description: str
    keywords: tuple[str, ...]  # every source of keywords, for the record and the lexical leg
    text_keywords: str  # only what the Axon client would put into the embedding text
    lang: str
    body: str


@dataclass(frozen=True, slots=True)
class SkillText:
    """The text that is embedded, and its sha256."""

    text: str
    text_hash: str


@dataclass(frozen=True, slots=True)
class PartFile:
    """The manifest's facts on one file of a part."""

    file: str
    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Part:
    """The manifest's facts on one part: the skills whose sha256(id) begins with these bits."""

    bits: str
    count: int
    skills: PartFile
    vectors: PartFile


@dataclass(frozen=True, slots=True)
class Manifest:
    """index_manifest.json; the fields after skills_file are our own, and may be missing from other writers' files.

    Format 2 has `parts` instead of everything that format 1 says of its two files.
    """

    index_version: int
    created_at: str
    hub_revision: str
    model_id: str
    dim: int
    normalize: bool
    vector_file: str | None
    skills_file: str | None
    count: int | None = None
    vector_bytes: int | None = None
    vector_sha256: str | None = None
    skills_bytes: int | None = None
    skills_sha256: str | None = None
    source_digest: str | None = None
    text_version: int | None = None
    space: str | None = None
    generator: str | None = None
    shallow: bool | None = None  # true: some updated_at are times at which a shallow clone ended, and may be too late
    constant_part: float | None = None  # how much of every vector is one fixed number (embedding/constant_part.py)
    parts: tuple[Part, ...] | None = None


class StoredFile(Protocol):
    """A file of a part that lies in a folder or in git, and is not in memory."""

    @property
    def size(self) -> int:
        """The size in bytes."""

    @property
    def sha256(self) -> str:
        """The digest that its bytes must have."""

    def read(self) -> bytes:
        """Its bytes, of this size and digest. Raises IndexCorrupt for any others."""


Content = bytes | StoredFile


@dataclass(frozen=True, slots=True)
class PartContent:
    """The two files of one part, each in memory or where it is stored."""

    skills: Content
    vectors: Content


@dataclass(frozen=True, slots=True)
class IndexFiles:
    """The published files; beside them the manifest's signature and their owner's hold, if any.

    Format 1 has `skills` and `vectors`, format 2 has `parts` instead, in the order of the manifest.
    """

    manifest: bytes
    skills: bytes = b""
    vectors: bytes = b""
    signature: bytes | None = None
    hold: bytes | None = None
    parts: tuple[PartContent, ...] = ()
