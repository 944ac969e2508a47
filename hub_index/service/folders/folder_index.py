"""A plain folder → an index in the user's cache, in the published format. Only changes are read, or embedded.

A file counts as unchanged while its name, size and time are the same; a text that was embedded before keeps its vector.
Everything here can be deleted at any time, and nothing is ever written into the folder itself.
"""

import json
import os
import time
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hub_index import GENERATOR
from hub_index.base.file_permissions import make_private_folder
from hub_index.base.safe_open import read_below, read_regular
from hub_index.errors import HubIndexError
from hub_index.hub.skill.skill import parse_skill
from hub_index.hub.text import TEXT_VERSION, embedding_text
from hub_index.index.folder.reading import read_files
from hub_index.index.folder.writing import lock_folder, write_files
from hub_index.index.format.manifest import SKILLS_FILE, VECTOR_FILE, WHOLE, encode_manifest
from hub_index.index.format.records import encode_records
from hub_index.index.format.vectors import encode_vectors, view_vectors
from hub_index.index.format.verify import VerifiedIndex, decode_index
from hub_index.limits import MAX_SKILL_BYTES
from hub_index.models import IndexFiles, Manifest, SkillFile
from hub_index.record import Record
from hub_index.search.checkout.files import digest_checkout, list_checkout
from hub_index.settings import EMBEDDED_MODEL

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = dict[str, NDArray[np.float32]]  # by text_hash

_INDEX, _STAMPS = "index", "stamps.json"
_MAX_STAMPS_BYTES = 64 * 1024 * 1024  # some 150 bytes a file
_NO_REVISION = "0" * 40  # there is no commit


@dataclass(frozen=True, slots=True)
class FolderPlan:
    """The coming index of a folder: its records, the known vectors, and the texts to embed."""

    digest: str  # of the folder's files when they were looked at
    records: tuple[Record, ...]
    vectors: "Vectors"
    texts: dict[str, str]  # to be embedded, by text_hash
    stamps: dict[str, list[object]]  # file → size, time, id


def place_of(cache: str, folder: str) -> str:
    """The folder of a plain folder's index, below the user's cache."""
    return os.path.join(cache, "folders", sha256(os.fsencode(os.path.realpath(folder))).hexdigest()[:32])


def index_dir_of(place: str) -> str:
    """The index folder at that place."""
    return os.path.join(place, _INDEX)


def is_current(place: str, digest: str, space: str) -> bool:
    """Whether the index at that place was made of the files of that digest, in that space."""
    stored = _read_stamps(place)
    return stored.get("digest") == digest and stored.get("space") == space


def plan_folder(folder: str, place: str, space: str) -> FolderPlan:
    """The plan for a folder as it is now; files that have not changed since are not read."""
    digest = digest_checkout(folder)
    stored, old = _read_stamps(place), _read_old(place, space)
    old_records = {record.id: record for record in old.records} if old is not None else {}
    seen = stored.get("files", {}) if old is not None else {}
    records: list[Record] = []
    texts: dict[str, str] = {}
    stamps: dict[str, list[object]] = {}
    for file in list_checkout(folder):
        stamp = _stamp(folder, file)
        if stamp is None:
            continue
        record = old_records.get(file.id) if seen.get(file.file) == stamp else None
        if record is None:
            skill = _read_skill(folder, file, stamp)
            if skill is None:
                continue
            record, texts[skill[0].text_hash] = skill
        stamps[file.file] = stamp
        records.append(record)
    vectors = _vectors_of(old, {record.text_hash for record in records})
    missing = {text_hash: text for text_hash, text in texts.items() if text_hash not in vectors}
    return FolderPlan(digest, tuple(sorted(records, key=lambda record: record.id)), vectors, missing, stamps)


def write_folder_index(plan: FolderPlan, fresh: "Vectors", place: str, space: str) -> None:
    """Puts the index of a plan in its place. Raises PublishError, IndexBusy if another process does the same."""
    import numpy as np

    rows = {**plan.vectors, **fresh}
    skills = encode_records(plan.records)
    vectors = encode_vectors(np.stack([rows[record.text_hash] for record in plan.records]))
    manifest = Manifest(
        index_version=WHOLE,
        created_at=_time_text(time.time()),
        hub_revision=_NO_REVISION,
        model_id=EMBEDDED_MODEL,
        dim=len(rows[plan.records[0].text_hash]),
        normalize=True,
        vector_file=VECTOR_FILE,
        skills_file=SKILLS_FILE,
        count=len(plan.records),
        vector_bytes=len(vectors),
        vector_sha256=sha256(vectors).hexdigest(),
        skills_bytes=len(skills),
        skills_sha256=sha256(skills).hexdigest(),
        text_version=TEXT_VERSION,
        space=space,
        generator=GENERATOR,
    )
    files = IndexFiles(encode_manifest(manifest), skills, vectors)
    decode_index(files)  # our own reader must accept it first
    make_private_folder(place)
    target = Path(index_dir_of(place))
    with lock_folder(target):
        write_files(target, files)
        _write_stamps(place, {"digest": plan.digest, "space": space, "files": plan.stamps})


def _stamp(folder: str, file: SkillFile) -> list[object] | None:
    try:
        return [file.size, os.lstat(os.path.join(folder, file.file)).st_mtime_ns, file.id]
    except OSError:  # it went a moment ago
        return None


def _read_skill(folder: str, file: SkillFile, stamp: list[object]) -> tuple[Record, str] | None:
    """The record of a file and its embedding text; None if it cannot be one."""
    try:
        skill = parse_skill(file, read_below(folder, file.file, MAX_SKILL_BYTES)).skill
    except OSError:
        return None
    if skill is None:
        return None
    text = embedding_text(skill)
    changed = _time_text(int(str(stamp[1])) / 1e9)
    texts = (skill.id, skill.path, skill.name, skill.description, text.text_hash, changed)
    return Record(*texts, keywords=skill.keywords, lang=skill.lang), text.text


def _time_text(seconds: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(min(max(0.0, seconds), 253_402_300_799.0)))


def _read_old(place: str, space: str) -> VerifiedIndex | None:
    try:
        old = decode_index(read_files(Path(index_dir_of(place))))
    except HubIndexError:
        return None
    return old if old.manifest.space == space and old.manifest.text_version == TEXT_VERSION else None


def _vectors_of(old: VerifiedIndex | None, wanted: set[str]) -> "Vectors":
    if old is None:
        return {}
    rows = view_vectors(old.vectors, old.manifest)
    return {record.text_hash: rows[row] for row, record in enumerate(old.records) if record.text_hash in wanted}


def _read_stamps(place: str) -> dict[str, Any]:
    try:
        stored = json.loads(read_regular(os.path.join(place, _STAMPS), _MAX_STAMPS_BYTES))
    except (OSError, ValueError, RecursionError):
        return {}
    return stored if isinstance(stored, dict) and isinstance(stored.get("files"), dict) else {}


def _write_stamps(place: str, stamps: dict[str, object]) -> None:
    temporary = os.path.join(place, f".{_STAMPS}-{os.getpid()}")
    with open(temporary, "w", encoding="utf-8", errors="surrogateescape") as file:
        json.dump(stamps, file)
    os.replace(temporary, os.path.join(place, _STAMPS))
