"""The results of a search: hits with their reasons, and how the answer came about."""

import os

from hub_index.frozen import FrozenValue
from hub_index.hub.record_file import is_document_record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Literal

    from hub_index.record import Record

    Mode = Literal["keyword", "semantic", "hybrid"]


class Reasons(FrozenValue):
    """The reasons for a hit's rank; None for a leg that did not take part."""

    cosine: float | None = None
    lexical: float | None = None
    bonus: float = 0.0  # for a name that the query spells out
    is_exact: bool = False  # the query is this skill's id or name
    rerank: float | None = None  # the reranker's score, which decides the order of the first hits
    matched: tuple[str, ...] = ()  # the query's words that the skill holds; filled in on request
    boost: float = 0.0  # what earlier outcomes, or a preset's own arithmetic, added to the score
    presumed: float = 0.0  # added to the score of a skill in another script, which the query's words cannot find
    translated: tuple[
        str, ...
    ] = ()  # `备份 → backup`, `backup → 备份`: what it holds of the words in the other language


class RerankNote(FrozenValue):
    """The reranker, the number of reordered hits and the cost; or the reason why the order is the search's own."""

    by: str
    count: int  # 0: the order is the search's own
    tokens: int | None = None
    usd: float | None = None  # None: unknown
    problem: str = ""


class Snippet(FrozenValue):
    """A piece of text that explains the hit, and the places of the query's words in it."""

    field: str
    text: str
    highlights: tuple[tuple[int, int], ...]


class Span(FrozenValue):
    """A passage of a skill's file, by its line numbers, from 1; the last line counts."""

    start: int
    end: int
    text: str


class Place(FrozenValue):
    """The place of a skill: a hub's name, the id there and the file from the hub's root."""

    hub: str
    id: str
    file: str

    @property
    def uri(self) -> str:
        """The skill's address among all open hubs."""
        return skill_uri(self.hub, self.file)


def skill_uri(hub: str, file: str) -> str:
    """`skill://HUB/FILE`, the file from the hub's root; what a URI cannot hold is percent-encoded."""
    return f"skill://{hub}/" + "".join([chr(byte) if byte in _URI_BYTES else f"%{byte:02X}" for byte in _bytes(file)])


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


_URI_BYTES = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/!$&'()*+,;=@")


class Hit(FrozenValue):
    """One skill that was found: its record, and how well it fits."""

    rank: int
    record: "Record"
    score: float
    weak: bool  # it probably does not fit
    reasons: Reasons
    file: str = ""  # the skill's or document's own file, from the hub's root
    snippet: Snippet | None = None  # filled in on request
    notices: tuple[str, ...] = ()  # of one record that is shown by itself; a search has its notices in Results
    hub: str = ""  # the hub's name, where the service answers
    also_in: tuple[Place, ...] = ()  # where else the same skill stands, text and body
    also_like: tuple[Place, ...] = ()  # near copies of it that are not shown by themselves, best first
    confidence: float | None = None  # 0 to 1, below 0.5 it is weak; None if the model was not measured
    spans: tuple[Span, ...] = ()  # passages of its file that fit best, the best first; filled in on request

    @property
    def uri(self) -> str:
        """Its address among all open hubs; empty if no service answers."""
        return skill_uri(self.hub, self.file) if self.hub else ""

    @property
    def id(self) -> str:
        """The record's id: the skill's folder below the hub's folder of skills."""
        return self.record.id

    @property
    def name(self) -> str:
        """The skill's own name."""
        return self.record.name

    @property
    def path(self) -> str:
        """The skill's folder, from the hub's root."""
        return self.record.path

    @property
    def place(self) -> str:
        """The path to open or to paste: a skill's folder with a slash at its end, a workflow's or a command's file."""
        return self.file if is_document_record(self.id, self.path) else f"{self.path}/"

    @property
    def description(self) -> str:
        """The skill's own description."""
        return self.record.description

    @property
    def keywords(self) -> tuple[str, ...]:
        """The skill's keywords, from every field of the file that names some."""
        return self.record.keywords

    @property
    def lang(self) -> str:
        """The skill's language, such as `en` or `zh-CN`; empty if unknown."""
        return self.record.lang

    @property
    def updated_at(self) -> str:
        """When the skill's file was last changed; empty if the checkout's files were searched."""
        return self.record.updated_at

    def __repr__(self) -> str:
        return f"<Hit {self.rank} {self.id} {self.score:.3f}{' weak' if self.weak else ''}>"


class QueryVector(FrozenValue):
    """A query's vector as it was compared: little-endian float32, and the space in which it means something."""

    space: str
    values: bytes


class Results(FrozenValue):
    """The hits of one query, best first, and what the user should know about them."""

    query: str
    mode: "Mode"  # what answered, not what was asked for
    hits: tuple[Hit, ...]
    fallback_reason: str = ""  # why it is not the mode that could have been
    model_id: str = ""  # the index's model, where the query was embedded
    embedded_by: str = ""  # the model that embedded it: an index under an alias is searched with the embedded model
    index_dir: str = ""  # the index that answered; empty: the checkout's own files
    notices: tuple[str, ...] = ()
    did_you_mean: str = ""
    rerank: RerankNote | None = None  # None: no reranker was asked
    query_vector: QueryVector | None = None  # for the traces
    upper_bound: float = 0.0  # the most that the query's words could score: what a lexical score is measured by
    hubs_digest: str = ""  # over all hubs that answered: changes when one of them does
    omitted: tuple[str, ...] = ()  # ids of hits that the token budget left out
    judged: str = ""  # the verdict before that, where it did
    next_cursor: str = ""  # asks for what comes after these hits
    search_id: str = ""  # under which a use can be reported, where searches are recorded

    @property
    def verdict(self) -> str:
        """`strong`, `weak` where every hit probably does not fit, or `none`."""
        if self.judged:
            return self.judged
        if not self.hits:
            return "none"
        return "weak" if all(hit.weak for hit in self.hits) else "strong"

    def __len__(self) -> int:
        return len(self.hits)

    def __iter__(self) -> "Iterator[Hit]":
        return iter(self.hits)

    def __getitem__(self, place: int) -> Hit:
        return self.hits[place]

    def __repr__(self) -> str:
        ids = ", ".join(hit.id for hit in self.hits[:5]) + (", …" if len(self.hits) > 5 else "")
        return f"<Results of {self.mode} search for {self.query!r}: {ids or 'none'}>"


def new_search_id() -> str:
    """The id of a recorded answer: sixteen random signs."""
    return os.urandom(8).hex()


def encode_results(results: Results, *, explain: bool = False) -> dict[str, object]:
    """The JSON object of schemas/search_result.schema.json."""
    encoded: dict[str, object] = {
        "query": results.query,
        "mode": results.mode,
        "fallback_reason": results.fallback_reason or None,
        "model_id": results.model_id or None,
        "index_dir": results.index_dir or None,
        "did_you_mean": results.did_you_mean or None,
        "notices": list(results.notices),
        "rerank": _encode_rerank(results.rerank),
        "hits": [_encode_hit(hit, explain=explain) for hit in results.hits],
    }
    if results.hubs_digest:  # a service answers
        encoded |= {"verdict": results.verdict, "hubs_digest": results.hubs_digest}
    for key in ("omitted", "next_cursor", "search_id"):
        if value := getattr(results, key):
            encoded[key] = list(value) if key == "omitted" else value
    return encoded


def _encode_rerank(note: RerankNote | None) -> dict[str, object] | None:
    if note is None:
        return None
    problem = note.problem or None
    return {"by": note.by, "count": note.count, "tokens": note.tokens, "usd": note.usd, "problem": problem}


def encode_place(place: Place) -> dict[str, object]:
    """The JSON object of another skill that a hit names; of one hub that is searched by itself the id alone."""
    return {"hub": place.hub, "id": place.id, "uri": place.uri} if place.hub else {"id": place.id}


def _encode_hit(hit: Hit, *, explain: bool) -> dict[str, object]:
    encoded: dict[str, object] = {
        "rank": hit.rank,
        "id": hit.id,
        "name": hit.name,
        "path": hit.path,
        "file": hit.file,
        "description": hit.description,
        "score": hit.score,
        "weak": hit.weak,
        "lang": hit.lang or None,
        "updated_at": hit.updated_at or None,
        "keywords": list(hit.keywords),
    }
    if hit.hub:
        encoded |= {"hub": hit.hub, "uri": hit.uri, "confidence": hit.confidence}
    if hit.also_in:
        encoded["also_in"] = [encode_place(place) for place in hit.also_in]
    if hit.also_like:
        encoded["also_like"] = [encode_place(place) for place in hit.also_like]
    if hit.spans:
        encoded["spans"] = [{"start": span.start, "end": span.end, "text": span.text} for span in hit.spans]
    if hit.snippet:
        highlights = [list(span) for span in hit.snippet.highlights]
        encoded["snippet"] = {"field": hit.snippet.field, "text": hit.snippet.text, "highlights": highlights}
    if explain:
        reasons = hit.reasons
        encoded["explain"] = {
            "cosine": reasons.cosine,
            "lexical": reasons.lexical,
            "bonus": reasons.bonus,
            "rerank": reasons.rerank,
            "exact": reasons.is_exact,
            "matched": list(reasons.matched),
            "boost": reasons.boost,
            "translated": list(reasons.translated),
            "presumed": reasons.presumed,
        }
    return encoded
