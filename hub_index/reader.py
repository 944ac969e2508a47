"""Reads and searches a hub's published index: one file, the standard library alone, to be copied into any project.

    python3 reader.py path/to/hub/search "how do I analyze database perf?"
    index = TinyIndex("path/to/hub/search")
    answer = index.search("how do I analyze database perf?", k=5)                 # by words
    answer = index.search("…", vector=my_model("…"), model="openai:my-model")    # by words and meaning

docs/format.md of hub-index specifies the format and this keyword search (profile `tiny`); schemas/conformance has cases
for readers in other languages. Nothing in an index is trusted: sizes are known before memory is taken, links are not
followed, and every record and vector is checked before it is used. Python 3.11 or later. Licence: Apache-2.0.
"""

from __future__ import annotations

import json
import math
import os
import re
import stat
import sys
import unicodedata
from array import array
from collections import Counter
from collections.abc import Sequence
from hashlib import sha256
from itertools import accumulate
from operator import mul
from typing import Any, NamedTuple

Values = dict[str, Any]
Vector = Sequence[float] | None
MANIFEST = "index_manifest.json"
MAX_COUNT, MAX_DIM, MAX_PART_BITS, MAX_JSON_DEPTH, MAX_INT_CHARS = 2_000_000, 16_384, 10, 16, 20
MAX_MANIFEST, MAX_WHOLE_MANIFEST, MAX_LINE = 512 * 1024, 64 * 1024, 64 * 1024 - 1  # bytes
MAX_SKILLS, MAX_VECTORS, MAX_PART_FILE = 4 * 1024**3, 16 * 1024**3, 100_000_000  # bytes
NORM_TOLERANCE, LIFT_TOLERANCE = 1e-3, 1e-5
K1, B, RRF_K, MAX_TOKEN, MAX_QUERY, DIGITS = 1.2, 0.75, 60, 64, 8192, 6
STOP_WORDS = frozenset("""a an and are as at be by can do does for from how i if in is it me my of on or please that
    the this to use want what when where which with would you your""".split())  # fmt: skip
_HEX, _DIGEST = re.compile("[0-9a-f]{64}"), re.compile("sha256:[0-9a-f]{64}")
_LANG, _TYPE = re.compile("[A-Za-z0-9-]{0,16}"), re.compile("[a-z]{1,16}")
_DOCUMENT = re.compile("(plugins:[^:/]*:)?(workflows|commands|agents):[^/]*")
_TIME = re.compile(
    r"(?!0000)([0-9]{4})-(0[1-9]|1[0-2])-([0-9]{2})[Tt]([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]{1,9})?"
    r"([Zz]|[+-]([01][0-9]|2[0-3]):[0-5][0-9])"
)
_REVISION = re.compile(
    r"(?!-)(?!.*\.\.)[^\0- ~^:?*\[\\\x7f-\xa0\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u2000-\u200f\u2028-\u202f"
    r"\u205f-\u206f\u3000\u3164\ud800-\uf8ff\ufe00-\ufe0f\ufeff\uffa0\ufff0-\uffff\U000e0000-\U0010ffff]+"
)
_FORBIDDEN = re.compile("[\0-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f]")
_AREAS = ("".join(chr(0xE0000 + ord(letter)) for letter in area) for area in ("gbeng", "gbsct", "gbwls"))
_FLAG = re.compile(f"\U0001f3f4({'|'.join(_AREAS)})\U000e007f")  # the only use of tag characters
_CJK = "\u3005-\u3007\u3041-\u30fa\u30fc-\u31ff\u3400-\u9fff\uac00-\ud7a3\U00020000-\U0003ffff"
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_RUN = re.compile(rf"([{_CJK}]+)|[^\W_{_CJK}]+")


class IndexRefused(Exception):
    """An index, or a part of it, cannot be used. `kind` is missing, corrupt, too-new, changed or mismatch."""

    def __init__(self, kind: str, reason: str) -> None:
        super().__init__(reason)
        self.kind = kind


class TinyAnswer(NamedTuple):
    """The mode that answered, why it is not the one that was asked for, and records with scores, best first."""

    mode: str
    reason: str
    hits: list[tuple[Values, float]]


class TinyPart(NamedTuple):
    """A file of records and one of vectors: name, bytes, sha256; None is unknown. Format 1 has one part of width 0."""

    skills: tuple[str, int | None, str | None]
    vectors: tuple[str, int | None, str | None]
    rows: int | None
    number: int = 0
    width: int = 0


def _need(is_right: object, where: str, what: str, kind: str = "corrupt") -> None:
    if not is_right:
        raise IndexRefused(kind, f"{where}: {what}")


def _parse_object(data: bytes, where: str) -> Values:
    try:
        text = data.decode("utf-8")
        bare = _STRING.sub("", text) if text.count("[") + text.count("{") > MAX_JSON_DEPTH else ""
        depth = max(accumulate((sign in "[{") - (sign in "]}") for sign in bare), default=0)
        value: Values = _DECODER.decode(text) if depth <= MAX_JSON_DEPTH else _no_json("nested too deeply")
        json.dumps(value, ensure_ascii=False).encode("utf-8")  # fails for half a character
    except (ValueError, RecursionError) as error:
        raise IndexRefused("corrupt", f"{where}: is not valid JSON ({error})") from error
    _need(isinstance(value, dict), where, "is not a JSON object")
    return value


def _no_json(what: str) -> Any:
    raise ValueError(what)


_DECODER = json.JSONDecoder(
    object_pairs_hook=lambda pairs: found if len(found := dict(pairs)) == len(pairs) else _no_json("a key twice"),
    parse_int=lambda digits: int(digits) if len(digits) <= MAX_INT_CHARS else _no_json("a long number"),
    parse_float=lambda digits: float(digits) if math.isfinite(float(digits)) else _no_json("a huge number"),
    parse_constant=_no_json,
)


def _is_text(value: object, max_chars: int = 1024, keep: str = "") -> bool:
    is_short = isinstance(value, str) and len(value) <= max_chars
    return is_short and set(_FORBIDDEN.findall(_FLAG.sub(" ", str(value)))) <= set(keep)


def _is_time(value: object) -> bool:
    found = _TIME.fullmatch(value) if isinstance(value, str) else None
    year, month, day = map(int, found.group(1, 2, 3)) if found else (1, 1, 0)
    is_leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    return 1 <= day <= (31, 28 + is_leap, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)[month - 1]


def _fits(value: Any, rule: Any) -> bool:
    if isinstance(rule, re.Pattern):
        return _is_text(value) and rule.fullmatch(value) is not None
    if isinstance(rule, tuple):
        return type(value) is int and rule[0] <= value <= rule[1]  # the least and the greatest; True is no number
    return type(value) is rule if isinstance(rule, type) else value == rule if isinstance(rule, str) else rule(value)


_RULES = (
    (_is_time, "created_at"), (_REVISION, "hub_revision"), (re.compile("[^:]+:.+"), "model_id"), ((1, MAX_DIM), "dim"),
    (bool, "normalize shallow"), ("vectors.f32", "vector_file"), ("skills.jsonl", "skills_file"),
    ((0, MAX_COUNT), "count"), ((0, MAX_VECTORS), "vector_bytes"), ((0, MAX_SKILLS), "skills_bytes"),
    (_HEX, "vector_sha256 skills_sha256"), (_DIGEST, "source_digest space"), ((0, 10**6), "text_version"),
    (_is_text, "generator"), (lambda value: type(value) is float and 0 < value < 1, "constant_part"),
)  # fmt: skip


def parse_manifest(data: bytes) -> tuple[Values, list[TinyPart]]:
    """The manifest, every known field checked, and its parts. Raises IndexRefused."""
    values = _parse_object(data, MANIFEST)
    version = values.get("index_version")
    _need(type(version) is int and version > 0, MANIFEST, "index_version is not a positive number")
    _need(version in (1, 2), MANIFEST, "the index has a later format than 2; upgrade this reader", "too-new")
    _need(len(data) <= (MAX_MANIFEST if version == 2 else MAX_WHOLE_MANIFEST), MANIFEST, "is too large")
    required = "created_at hub_revision model_id dim normalize "
    for key in (required + ("vector_file skills_file" if version == 1 else "count parts")).split():
        _need(key in values, MANIFEST, f"{key} is missing")
    for key, rule in ((key, rule) for rule, keys in _RULES for key in keys.split() if key in values):
        is_misplaced = version == 2 and key.startswith(("vector_", "skills_"))
        _need(_fits(values[key], rule) and not is_misplaced, MANIFEST, f"{key} has a value that is not allowed there")
    is_liftable = values["dim"] >= 2 and values["normalize"]
    _need("constant_part" not in values or is_liftable, MANIFEST, "constant_part needs dim 2 or more, and normalize")
    _need(values.get("count", 0) * values["dim"] * 4 <= MAX_VECTORS, MANIFEST, "count × dim × 4 is too large")
    return values, [_one_part(values)] if version == 1 else _many_parts(values)


def _one_part(values: Values) -> TinyPart:
    size, stride, count = values.get("vector_bytes"), values["dim"] * 4, values.get("count")
    is_right = size is None or (size % stride == 0 if count is None else size == count * stride)
    _need(is_right, MANIFEST, "vector_bytes is not count × dim × 4")
    for kind in ("skills", "vector"):
        _need(f"{kind}_bytes" in values or f"{kind}_sha256" not in values, MANIFEST, f"{kind}_bytes is missing")
    skills = ("skills.jsonl", values.get("skills_bytes"), values.get("skills_sha256"))
    return TinyPart(skills, ("vectors.f32", size, values.get("vector_sha256")), count)


def _many_parts(values: Values) -> list[TinyPart]:
    listed, parts = values["parts"], []
    width = len(listed).bit_length() - 1 if isinstance(listed, list) else 0
    is_right = 1 <= width <= MAX_PART_BITS and len(listed) == 1 << width
    _need(is_right, MANIFEST, "parts is not a list of 2, 4, 8 … 1,024 parts")
    for number, part in enumerate(listed):
        bits, files = f"{number:0{width}b}", []
        _need(isinstance(part, dict) and part.get("bits") == bits, MANIFEST, f"part {bits} is not in its place")
        for kind, name in (("skills", f"skills-{bits}.jsonl"), ("vectors", f"vectors-{bits}.f32")):
            facts = part[kind] if isinstance(part.get(kind), dict) else {}
            is_right = _fits(facts.get("bytes"), (0, MAX_PART_FILE)) and _fits(facts.get("sha256"), _HEX)
            _need(is_right and facts.get("file") == name, MANIFEST, f"{name} is missing, or has no size or digest")
            files.append((name, facts["bytes"], facts["sha256"]))
        is_right = _fits(part.get("count"), (0, MAX_COUNT)) and files[1][1] == part["count"] * values["dim"] * 4
        _need(is_right, MANIFEST, f"part {bits} has no count, or not that of its vectors")
        parts.append(TinyPart(files[0], files[1], part["count"], number, width))
    _need(sum(part["count"] for part in listed) == values["count"], MANIFEST, "count is not the sum of all parts")
    return parts


def parse_records(data: bytes, part: TinyPart) -> list[Values]:
    """The records of a part, ids ascending. Raises IndexRefused."""
    records: list[Values] = []
    *lines, rest = data.split(b"\n")
    _need(not rest, part.skills[0], "the last line does not end in a line feed")
    _need(part.rows in (None, len(lines)), part.skills[0], f"has {len(lines)} lines, and the manifest another number")
    for number, line in enumerate(lines, start=1):
        where = f"{part.skills[0]} line {number}"
        _need(len(line) < MAX_LINE and b"\r" not in line, where, "is too long, or holds a carriage return")
        record = _parse_object(line, where)
        _check_record(record, where)
        _need(not records or record["id"] > records[-1]["id"], where, "is out of order, or its id occurs twice")
        place = int(sha256(record["id"].encode()).hexdigest()[:4], 16) >> (16 - part.width)
        _need(place == part.number, where, "belongs to another part")
        records.append(record)
    return records


def _check_record(record: Values, where: str) -> None:
    texts = ("id", "path", "name", "description", "text_hash", "updated_at")
    _need(all(isinstance(record.get(field), str) for field in texts), where, "a field is missing or not a text")
    _need(record["name"] and _is_text(record["name"], 256), where, "name is empty, too long or not plain text")
    _need(_is_text(record["description"], 8192, keep="\n"), where, "description is too long or not plain text")
    words = record.get("keywords", [])
    is_right = isinstance(words, list) and len(words) <= 2048 and all(word and _is_text(word, 2048) for word in words)
    _need(is_right, where, "keywords is not a list of texts")
    for field, rule, usual in (("lang", _LANG, ""), ("type", _TYPE, "skill"), ("text_hash", _HEX, "")):
        _need(_fits(record.get(field, usual), rule), where, f"{field} is not as the format has it")
    _need(_is_time(record["updated_at"]), where, "updated_at is not a time")
    _need(_is_place(record["id"], record["path"]), where, "id or path is unsafe, or the path does not end in the id")


def _is_place(id_: str, path: str) -> bool:
    for text, max_bytes in ((id_, 512), (path, 1024)):
        is_plain = "\\" not in text and _is_text(text) and {"", ".", ".."}.isdisjoint(text.split("/"))
        if not is_plain or len(text.encode("utf-8")) > max_bytes:
            return (id_, path) == ("root", ".")
    plain_id, plain_path = (unicodedata.normalize("NFC", text) for text in (id_, path))
    if _DOCUMENT.fullmatch(id_):  # not a skill's folder
        places = {plain_id.rpartition(":")[0].replace(":", "/"), *({id_.partition(":")[0]} - {"plugins"})}
        return ".." not in id_.split(":")[:-1] and plain_path in places
    return f"/{path}".endswith(f"/{id_}") or f"/{plain_path}".endswith(f"/{plain_id}")


def tiny_tokens(text: str) -> list[str]:
    """The words of a text, and the pairs of neighbours among its CJK characters."""
    if not text.isascii():
        loose = [sign for sign in unicodedata.normalize("NFKD", text) if unicodedata.category(sign)[0] != "M"]
        text = unicodedata.normalize("NFC", "".join(loose))
    found: list[str] = []
    for match in _RUN.finditer(text.lower()):
        run = match[0]
        if match[1]:
            found += [run[at : at + 2] for at in range(len(run) - 1)] or [run]
        elif run not in STOP_WORDS:
            found.append(run[:MAX_TOKEN])
    return found


def _products(rows: array[float], dim: int, query: list[float] | None = None) -> list[float]:
    """The product of each row with the query, or with itself, in double precision; by numpy where it is installed."""
    try:
        import numpy as np
    except ImportError:
        steps = (rows[start : start + dim] for start in range(0, len(rows), dim))
        return [sum(map(mul, row, query or row)) for row in steps]
    matrix = np.frombuffer(rows, dtype=np.float32).reshape(-1, dim)
    terms = ("ij,ij->i", matrix, matrix) if query is None else ("ij,j->i", matrix, query)
    return list(np.einsum(*terms, dtype=np.float64).tolist())


def _best(scores: list[float], least: float = 0.0) -> list[int]:
    """The rows whose score is above the least, best first; equal ones in the order of their ids."""
    return sorted((row for row, score in enumerate(scores) if score > least), key=lambda row: -scores[row])


class TinyIndex:
    """A published index: `manifest`, and `records` in the order of their ids. Raises IndexRefused.

    Records are checked at once, vectors when they are first needed. What is corrupt during a pull may soon be right.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fspath(path).rstrip("/") or "/"
        self._postings: dict[str, list[tuple[int, int]]] = {}
        self._lengths: list[int] = []
        self._rows: array[float] | None = None
        self._data, self.manifest, self._parts, found = self._read_records()
        self._lift: float = self.manifest.get("constant_part", 0.0)
        self._order = sorted(range(len(found)), key=lambda row: found[row]["id"])
        self.records = [found[row] for row in self._order]

    def vectors(self) -> list[array[float]]:
        """The vector of each record as it is published, read and checked now at the latest. Raises IndexRefused."""
        self._rows, dim = self._rows or self._read_vectors(), self.manifest["dim"]
        return [self._rows[row * dim : (row + 1) * dim] for row in self._order]

    def search(self, query: str, k: int = 10, vector: Vector = None, model: str = "", mode: str = "auto") -> TinyAnswer:
        """The best k records; `mode` is auto, hybrid, semantic or keyword, `vector` is the query's, made by `model`.

        A model is compared with the manifest's model_id and space. If meaning cannot be searched, words answer and the
        answer has the reason; `semantic` alone raises IndexRefused.
        """
        if k < 1 or mode not in ("auto", "hybrid", "semantic", "keyword"):
            raise ValueError("k is 1 or more, and mode is auto, hybrid, semantic or keyword")
        try:
            cosines, reason = self._cosines(vector, model) if mode != "keyword" else None, ""
        except IndexRefused as error:
            if mode == "semantic":
                raise
            cosines, reason = None, str(error)
        if cosines is None:
            mode, scores = "keyword", self._bm25(query)
        elif mode == "semantic":
            scores = cosines
        else:
            mode, scores = "hybrid", [0.0] * len(cosines)
            for leg in (self._bm25(query), cosines):
                for place, row in enumerate(_best(leg), start=1):
                    scores[row] += 1 / (RRF_K + place)
        rows = _best(scores, -math.inf if mode == "semantic" else 0.0)[:k]
        return TinyAnswer(mode, reason, [(self.records[row], scores[row]) for row in rows])

    def _bm25(self, query: str) -> list[float]:
        for row, record in enumerate(self.records if not self._lengths else ()):
            tokens = tiny_tokens("\n".join((record["name"], record["description"], *record.get("keywords", ()))))
            self._lengths.append(len(tokens))
            for token, times in Counter(tokens).items():
                self._postings.setdefault(token, []).append((row, times))
        scores, count, total = [0.0] * len(self.records), len(self.records), sum(self._lengths)
        for token in dict.fromkeys(tiny_tokens(query[:MAX_QUERY])):
            found = self._postings.get(token, [])
            idf = math.log(1 + (count - len(found) + 0.5) / (len(found) + 0.5))
            for row, times in found:
                scores[row] += idf * times * (K1 + 1) / (times + K1 * (1 - B + B * self._lengths[row] * count / total))
        return [round(score, DIGITS) for score in scores]

    def _cosines(self, vector: Vector, model: str) -> list[float]:
        names, where = (self.manifest["model_id"], self.manifest.get("space")), "search by meaning"
        _need(vector is not None, where, "the question has no vector", "mismatch")
        _need(model in ("", *names), where, f"the index is of {names[0]}, the vector of {model}", "mismatch")
        given, dim = list(() if vector is None else vector), self.manifest["dim"]
        if self._lift and len(given) == dim and abs(given[-1] - math.sqrt(self._lift)) <= LIFT_TOLERANCE:
            given.pop()
        norm, length = math.hypot(*given), dim - bool(self._lift)
        is_right = len(given) == length and 0 < norm < math.inf
        _need(is_right, where, f"the vector is not {length} finite numbers, or all are 0", "mismatch")
        scale = norm if self.manifest["normalize"] and abs(norm - 1) > NORM_TOLERANCE else 1.0
        query = [number / scale / math.sqrt(1 - self._lift) for number in given] + [0.0] * (dim - length)
        self._rows = self._rows or self._read_vectors()
        products = _products(self._rows, dim, query)
        return [round(products[row], DIGITS) for row in self._order]

    def _read_records(self) -> tuple[bytes, Values, list[TinyPart], list[Values]]:
        data = self._read(MANIFEST, None, None, MAX_MANIFEST)
        values, parts = parse_manifest(data)
        return data, values, parts, [r for part in parts for r in parse_records(self._read(*part.skills), part)]

    def _read_vectors(self) -> array[float]:
        rows, dim, last = array("f"), self.manifest["dim"], math.sqrt(self._lift)
        for part in self._parts:
            name, data = part.vectors[0], self._read(*part.vectors, MAX_VECTORS)
            _need(len(data) % (dim * 4) == 0, name, "is not a number of whole rows")
            found = array("f", data)
            if sys.byteorder == "big":
                found.byteswap()
            for row, square in enumerate(_products(found, dim)):
                end = found[row * dim + dim - 1] if self._lift else 0.0
                norm = math.sqrt(max(0.0, square - end * end) / (1 - self._lift)) if square < math.inf else math.inf
                is_right = abs(norm - 1) <= NORM_TOLERANCE if self.manifest["normalize"] else norm < math.inf
                _need(is_right and abs(end - last) <= LIFT_TOLERANCE, name, f"row {row} (counted from 0) is not right")
            rows += found
        _need(len(rows) == len(self.records) * dim, name, "has not as many rows as there are records")
        is_same = self._read(MANIFEST, None, None, MAX_MANIFEST) == self._data
        _need(is_same, "the index", "has changed since it was opened; open it again", "changed")
        return rows

    def _read(self, name: str, size: int | None, digest: str | None, max_bytes: int = MAX_SKILLS) -> bytes:
        path = os.path.join(self.path, name)
        flags = sum(getattr(os, flag, 0) for flag in ("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY"))
        try:
            is_link = os.path.islink(self.path) or os.path.islink(path)  # Windows has no O_NOFOLLOW
            _need(not is_link, name, "is a link, or its folder is one")
            with open(os.open(path, os.O_RDONLY | flags), "rb") as file:
                found = os.fstat(file.fileno())
                is_right = stat.S_ISREG(found.st_mode) and size in (None, found.st_size) and found.st_size <= max_bytes
                _need(is_right, name, "is not a regular file of the size that the manifest names")
                data = file.read(found.st_size + 1)
        except OSError as error:
            kind = "missing" if name == MANIFEST and not os.path.lexists(path) else "corrupt"
            raise IndexRefused(kind, f"{name}: cannot be opened as a regular file") from error
        is_right = len(data) == found.st_size and digest in (None, sha256(data).hexdigest())
        _need(is_right, name, "its bytes are not those that the manifest names")
        return data


def _main(arguments: list[str]) -> None:
    try:
        folder, question = arguments
        for record, score in TinyIndex(folder).search(question, mode="keyword").hits:
            line = f"{score:9.6f}  {record['id']}  {' '.join(record['description'].split())}\n"
            sys.stdout.buffer.write(line.encode())
    except (IndexRefused, ValueError) as error:
        sys.exit(f"{error}\nusage: python3 reader.py FOLDER QUESTION")


if __name__ == "__main__":
    _main(sys.argv[1:])
