"""What a search gives back: hits with their reasons, and how the answer came about.

Classes written out by hand: `dataclasses` costs a cold keyword query 7 ms of its 50.
"""


class Reasons:
    """Why a hit stands where it stands; a leg that did not take part is None."""

    __slots__ = ("bonus", "cosine", "is_exact", "lexical", "matched")

    def __init__(
        self,
        *,
        cosine: float | None = None,
        lexical: float | None = None,
        bonus: float = 0.0,
        is_exact: bool = False,
        matched: tuple[str, ...] = (),
    ) -> None:
        self.cosine = cosine
        self.lexical = lexical
        self.bonus = bonus  # for a name that the query spells out
        self.is_exact = is_exact  # the query is this skill's id or name
        self.matched = matched  # the query's words that the skill holds; filled in on request


class Snippet:
    """A piece of text that shows why, and where in it the query's words stand."""

    __slots__ = ("field", "highlights", "text")

    def __init__(self, field: str, text: str, highlights: tuple[tuple[int, int], ...]) -> None:
        self.field = field
        self.text = text
        self.highlights = highlights


class Hit:
    """One skill that was found."""

    __slots__ = (
        "description", "id", "keywords", "lang", "name", "notices", "path", "rank", "reasons",
        "score", "snippet", "updated_at", "weak",
    )  # fmt: skip

    def __init__(self, rank: int, fields: dict[str, str], score: float, *, weak: bool, reasons: Reasons) -> None:
        self.rank = rank
        self.id = fields["id"]
        self.name = fields["name"]
        self.path = fields["path"]
        self.description = fields["description"]
        self.lang = fields["lang"]
        self.updated_at = fields["updated_at"]
        self.keywords = tuple(fields["keywords"].split("\n")) if fields["keywords"] else ()
        self.score = score
        self.weak = weak
        self.reasons = reasons
        self.snippet: Snippet | None = None
        self.notices: list[str] = []  # of one record that is shown by itself; those of a search are the Results' own

    def __repr__(self) -> str:
        return f"<Hit {self.rank} {self.id} {self.score:.3f}{' weak' if self.weak else ''}>"


class Results:
    """The hits of one query, best first, and what the user should know about them."""

    __slots__ = (
        "did_you_mean", "embedded_by", "fallback_reason", "hits", "index_dir", "mode", "model_id", "notices", "query",
    )  # fmt: skip

    def __init__(self, query: str, mode: str, hits: list[Hit]) -> None:
        self.query = query
        self.mode = mode  # keyword, semantic or hybrid: what answered, not what was asked for
        self.hits = hits
        self.fallback_reason = ""  # why it is not the mode that could have been
        self.model_id = ""  # the index's model, where the query was embedded
        self.embedded_by = ""  # who embedded it: an index under an alias is searched with the embedded model
        self.index_dir = ""  # the index that answered; empty: the checkout's own files
        self.notices: list[str] = []
        self.did_you_mean = ""


def encode_results(results: Results, *, explain: bool = False) -> dict[str, object]:
    """The JSON object of schemas/search_result.schema.json."""
    return {
        "query": results.query,
        "mode": results.mode,
        "fallback_reason": results.fallback_reason or None,
        "model_id": results.model_id or None,
        "index_dir": results.index_dir or None,
        "did_you_mean": results.did_you_mean or None,
        "notices": list(results.notices),
        "hits": [_encode_hit(hit, explain=explain) for hit in results.hits],
    }


def _encode_hit(hit: Hit, *, explain: bool) -> dict[str, object]:
    encoded: dict[str, object] = {
        "rank": hit.rank,
        "id": hit.id,
        "name": hit.name,
        "path": hit.path,
        "description": hit.description,
        "score": hit.score,
        "weak": hit.weak,
        "lang": hit.lang or None,
        "updated_at": hit.updated_at or None,
        "keywords": list(hit.keywords),
    }
    if hit.snippet:
        highlights = [list(span) for span in hit.snippet.highlights]
        encoded["snippet"] = {"field": hit.snippet.field, "text": hit.snippet.text, "highlights": highlights}
    if explain:
        reasons = hit.reasons
        encoded["explain"] = {
            "cosine": reasons.cosine,
            "lexical": reasons.lexical,
            "bonus": reasons.bonus,
            "exact": reasons.is_exact,
            "matched": list(reasons.matched),
        }
    return encoded
