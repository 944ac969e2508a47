"""Does an index follow from its hub? Makes records again from the commit, and vectors again from their texts.

Digests prove that an index is whole, not that it is true: anyone with push rights can put other words into an unsigned
one, and builds carry over rows without reading them. A build therefore checks a sample of the carried rows; `verify
--hub` checks every record and, if the embedded model made them, some vectors.
"""

from collections.abc import Iterable, Mapping
from hashlib import sha256
from random import Random

from hub_index import GENERATOR
from hub_index.embedding.encoder import Encoder
from hub_index.hub.git.repository import Repository
from hub_index.hub.inspection import inspect_files
from hub_index.hub.text import TEXT_VERSION
from hub_index.index.format.vectors import base_rows
from hub_index.index.format.verify import VerifiedIndex
from hub_index.index.rows import row_of
from hub_index.models import Manifest, SkillFile, SkillText
from hub_index.record import Record

SAMPLE = (
    30  # records that a build reads again: 0.3 ms of processor time each, and a build of one text should not be felt
)
_SAME = 0.999  # the same text under the same model; other processors differ in the sixth digit


def is_our_recipe(manifest: Manifest) -> bool:
    """Whether this version makes records as the index's did; another one may read a file otherwise."""
    return (manifest.generator, manifest.text_version) == (GENERATOR, TEXT_VERSION)


def fingerprint(record: Record) -> bytes:
    """A digest of a record without its time, which may be carried over."""
    facts = (record.id, record.path, record.name, record.description, record.text_hash, record.keywords, record.lang)
    return sha256(repr(facts).encode()).digest()[:16]


def find_other_records(repo: Repository, files: Iterable[SkillFile], known: Mapping[str, bytes]) -> list[str]:
    """The ids of files whose record differs from {id: fingerprint} or is missing in it.

    One file is in memory at a time. Raises SourceError.
    """
    others = []
    for inspected in inspect_files(repo, files):
        fresh = fingerprint(row_of(inspected.skill).record) if inspected.skill is not None else None
        if known.get(inspected.file.id) != fresh:
            others.append(inspected.file.id)
    return others


def check_some(repo: Repository, revision: str, files: Iterable[SkillFile], carried: Mapping[str, Record]) -> list[str]:
    """Rebuilds a sample of the reused records (seeded by `revision`); returns the ids that do not match their files."""
    known_files = [file for file in files if file.file in carried]
    chosen = Random(revision).sample(known_files, min(SAMPLE, len(known_files)))  # noqa: S311  a sample, no secret
    fingerprints = {file.id: fingerprint(carried[file.file]) for file in chosen}
    return find_other_records(repo, chosen, fingerprints)


def find_other_vectors(index: VerifiedIndex, texts: Mapping[str, SkillText], encoder: Encoder) -> list[str]:
    """The ids, of those whose texts are given, whose row the encoder would not make of that text."""
    rows = [(row, record.id) for row, record in enumerate(index.records) if record.id in texts]
    if not rows:
        return []
    stored = base_rows(index.rows.take([row for row, _ in rows]), index.manifest)
    fresh = encoder.embed_documents([texts[id_].text for _, id_ in rows])
    return [id_ for (_, id_), old, new in zip(rows, stored, fresh, strict=True) if float(old @ new) < _SAME]
