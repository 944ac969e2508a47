"""A hub's content → the page's data files, packed, and the list of them with their digests.

The same content after the same previous page gives the same bytes; an edit changes the files of its row and words.
"""

import gzip
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256

import numpy as np

from hub_index.hub.record_file import TYPES
from hub_index.page.content import HubContent, SkillPage
from hub_index.page.data.browser_vectors import encode_basis, encode_vectors, pack_vectors
from hub_index.page.data.constants import search_constants
from hub_index.page.data.data_file import (
    BODY_ROWS,
    RECORD_ROWS,
    PreviousData,
    encode_bodies,
    encode_json,
    encode_records,
    encode_sections,
)
from hub_index.page.data.everyday_words import encode_everyday
from hub_index.page.data.model_files import (
    BLOCK_ROWS,
    DIGEST_BYTES,
    SHARD_ROWS,
    encode_block_digests,
    encode_model,
    encode_small_talk,
    read_table,
    table_shards,
)
from hub_index.page.data.overview import draw_map, encode_axes, encode_map, summarize
from hub_index.page.data.terms import (
    FIELDS,
    PageDocument,
    Postings,
    count_words,
    encode_shards,
    encode_tokens,
    encode_written,
    file_of,
    known_lengths,
    length_codes,
)
from hub_index.search.lexical.build import is_told_in_cjk, parse_day
from hub_index.search.lexical.lexical import (
    FIELD_WEIGHTS,
    FOREIGN_WEIGHT,
    LONE_HOLDERS,
    LONE_LIFT,
    LONE_SHARE,
    are_enough_told,
)
from hub_index.search.lexical.translation.derived_file import DerivedFile
from hub_index.search.lexical.translation.to_chinese import choose_meanings
from hub_index.search.words.general_words import GENERAL_SHARE, GENERAL_TOKENS
from hub_index.search.words.stopwords import CJK_UNTRANSLATED

PAGE_VERSION = 2  # of page.json and the scripts that read it
_NO_LANGUAGE = 255  # a hub of more languages has skills that no filter finds
KINDS = TYPES
_MAX_BYTES = 500_000_000  # of all data files; where bodies would make them more, they are links to the hub

SHARDS = 64  # by the first character's number: a query asks for as many as it has different characters, at the most


@dataclass(frozen=True, slots=True)
class PageData:
    """Data files by name, as they are stored, and what page.json says besides their digests."""

    files: Mapping[str, bytes]
    facts: Mapping[str, object]


def make_data(
    content: HubContent, previous: PreviousData, dictionary: DerivedFile | None, *, with_model: bool = True
) -> PageData:
    """All data files of the page. Raises ConfigError if the model's wheel cannot be read."""
    ids = assign_rows([page.record.id for page in content.skills], previous.rows)
    by_id = {page.record.id: (page, vector) for page, vector in zip(content.skills, content.vectors, strict=True)}
    rows = [by_id[id_][0] if id_ else None for id_ in ids]
    vectors = np.zeros((len(ids), content.vectors.shape[1]), np.float32)
    for row, id_ in enumerate(ids):
        if id_:
            vectors[row] = by_id[id_][1]
    postings = _post(rows)
    packed = pack_vectors(vectors, previous.basis)
    present = [page for page in rows if page is not None]
    drawn = draw_map(present, vectors[[page is not None for page in rows]], previous.axes)
    shards = encode_shards(postings)
    raw: dict[str, bytes] = {
        "ids.bin": encode_json(ids),
        "documents.bin": _encode_documents(rows, postings),
        "vectors.bin": encode_vectors(packed),
        "map.bin": encode_map(drawn),
        "axes.bin": encode_axes(drawn.axes),
        **_numbered("terms", shards),
        "everyday.bin": encode_everyday(postings.known.__contains__),
        "written.bin": encode_written(count_words(p.record for p in present)),
        **{f"tokens/{name}.bin": data for name, data in encode_tokens(postings).items()},
        **_numbered("records", encode_records(rows)),
    }
    if packed.basis is not None:
        raw["basis.bin"] = encode_basis(packed.basis)
    if dictionary is not None:
        raw |= {"han/fold.bin": encode_fold(dictionary)}
        raw |= _numbered("han", encode_words(dictionary, postings.known))
        if are_enough_told(postings.told_count, postings.count):
            english = encode_english(dictionary, postings.is_in_short_field)
            raw |= {f"english/{name}.bin": data for name, data in english.items()}
    files = {name: pack(data) for name, data in raw.items()}
    if with_model:
        files |= _model_files()
    files |= _bodies(rows, _MAX_BYTES - sum(map(len, files.values())))
    return PageData(files, _facts(content, rows, postings, len(shards), drawn.names, with_model=with_model))


def pack(data: bytes) -> bytes:
    """gzip without a time or a name in it."""
    return gzip.compress(data, mtime=0)


def digest_of(data: bytes) -> dict[str, object]:
    """The entry of a file in page.json."""
    return {"sha256": sha256(data).hexdigest(), "bytes": len(data)}


def _post(rows: list[SkillPage | None]) -> Postings:
    postings = Postings(len(rows))
    for row, page in enumerate(rows):
        if page is not None:
            postings.add(PageDocument(row, page.record, page.body))
    return postings


def _encode_documents(rows: list[SkillPage | None], postings: Postings) -> bytes:
    kinds = [KINDS.index(page.kind) if page is not None else 255 for page in rows]
    days = [parse_day(page.record.updated_at) or 0 if page is not None else 0 for page in rows]
    languages = _languages(rows)
    numbers = {lang: number for number, lang in enumerate(languages)}
    langs = [_NO_LANGUAGE if page is None else numbers.get(page.record.lang, _NO_LANGUAGE) for page in rows]
    return encode_sections(
        {
            **{field: length_codes(lengths) for field, lengths in postings.lengths.items()},
            "name_sizes": postings.name_sizes,
            "kinds": np.array(kinds, np.uint8),
            "langs": np.array(langs, np.uint8),
            "days": np.array(days, np.uint32),
            "cjk": np.array([page is not None and is_told_in_cjk(page.record) for page in rows], np.uint8),
        }
    )


def _languages(rows: list[SkillPage | None]) -> list[str]:
    return sorted({page.record.lang for page in rows if page is not None})[:_NO_LANGUAGE]


def _bodies(rows: list[SkillPage | None], most: int) -> dict[str, bytes]:
    files = {name: pack(data) for name, data in _numbered("bodies", encode_bodies(rows)).items()}
    if sum(map(len, files.values())) <= most:
        return files
    return {name: pack(data) for name, data in _numbered("bodies", encode_bodies(rows, with_text=False)).items()}


def _model_files() -> dict[str, bytes]:
    table = read_table()
    shards = {f"model/rows/{at:03}.bin": rows for at, rows in enumerate(table_shards(table))}
    small = {
        "model/model.bin": pack(encode_model()),
        "model/blocks.bin": pack(encode_block_digests(table)),
        "model/small_talk.bin": pack(encode_small_talk()),
    }
    return {**small, **shards}


def _numbered(folder: str, contents: list[bytes]) -> dict[str, bytes]:
    return {f"{folder}/{number:04}.bin": content for number, content in enumerate(contents)}


def _facts(  # noqa: PLR0913 - each is one thing that page.json says
    content: HubContent,
    rows: list[SkillPage | None],
    postings: Postings,
    term_shards: int,
    cluster_names: tuple[str, ...],
    *,
    with_model: bool,
) -> dict[str, object]:
    count = max(1, postings.count)
    averages = {field: float(np.float32(int(lengths.sum()) / count)) for field, lengths in postings.lengths.items()}
    return {
        "version": PAGE_VERSION,
        "revision": content.revision,
        "commit": content.commit,
        "created": content.created_at,
        "count": postings.count,
        "rows": len(rows),
        "hasModel": with_model,
        "languages": _languages(rows),
        "kinds": list(KINDS),
        "clusters": list(cluster_names),
        "overview": summarize([page for page in rows if page is not None]),
        "chunks": {
            "records": RECORD_ROWS,
            "bodies": BODY_ROWS,
            "terms": term_shards,
            "table": SHARD_ROWS,
            "block": BLOCK_ROWS,
            "blockDigest": DIGEST_BYTES,
            "han": SHARDS,
        },
        "lexical": {
            "count": postings.count,
            "cjkCount": postings.cjk_count,
            "weights": {**dict(FIELD_WEIGHTS), "foreign": FOREIGN_WEIGHT, "path": 1.0},
            "generalTokens": sorted(GENERAL_TOKENS),
            "generalShare": GENERAL_SHARE,
            "lone": {"holders": LONE_HOLDERS, "share": LONE_SHARE, "lift": LONE_LIFT},
            "fields": list(FIELDS),
            "lengthTable": known_lengths().tolist(),
            "averages": averages,
        },
        **search_constants(),
    }


def assign_rows(ids: Sequence[str], previous: Sequence[str]) -> list[str]:
    """The id of each row; empty for a hole. `previous` is the last page's answer, or nothing."""
    wanted = set(ids)
    rows = [id_ if id_ in wanted else "" for id_ in previous]
    if len(set(rows) - {""}) != sum(map(bool, rows)):
        rows = []  # a previous page that names an id twice is not ours to trust
    new = sorted(wanted - set(rows))
    for row, id_ in enumerate(rows):
        if not id_ and new:
            rows[row] = new.pop(0)
    rows += new
    while rows and not rows[-1]:
        rows.pop()
    return rows


def encode_words(dictionary: DerivedFile, known: Mapping[str, int]) -> list[bytes]:
    """The shards: word → glosses, each as its tokens joined by spaces."""
    shards: list[dict[str, list[str]]] = [{} for _ in range(SHARDS)]
    for word, glosses in dictionary.entries():
        meant = () if word in CJK_UNTRANSLATED else glosses
        held = [" ".join(gloss) for gloss in meant if all(known.get(token) for token in gloss)]
        if held or len(word) > 1:
            shards[ord(word[0]) % SHARDS][word] = held
    return [encode_json(shard) for shard in shards]


def encode_english(dictionary: DerivedFile, is_held: Callable[[str], bool]) -> dict[str, bytes]:
    """A file for each first character: gloss, as its tokens joined by spaces → Chinese words."""
    files: dict[str, dict[str, list[str]]] = {}
    for gloss, words in dictionary.english_entries():
        if held := choose_meanings(words, is_held):
            files.setdefault(file_of(gloss), {})[gloss] = list(held.values())
    return {name: encode_json(content) for name, content in sorted(files.items())}


def encode_fold(dictionary: DerivedFile) -> bytes:
    """The characters that are folded before a word is looked up, and what to."""
    fold = dictionary.folded_characters()
    return encode_json(["".join(fold), "".join(fold.values())])
