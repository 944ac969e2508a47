"""What a search gives back: hits with their reasons, and how the answer came about."""

from hub_index.frozen import FrozenValue

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from hub_index.record import Record


class Reasons(FrozenValue):
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


class Snippet(FrozenValue):
    """A piece of text that shows why, and where in it the query's words stand."""

    __slots__ = ("field", "highlights", "text")

    def __init__(self, field: str, text: str, highlights: tuple[tuple[int, int], ...]) -> None:
        self.field = field
        self.text = text
        self.highlights = highlights


class Hit(FrozenValue):
    """One skill that was found: its record, and how well it fits."""

    __slots__ = ("notices", "rank", "reasons", "record", "score", "snippet", "weak")

    def __init__(  # noqa: PLR0913 - one value of many named fields
        self,
        rank: int,
        record: "Record",
        score: float,
        *,
        weak: bool,
        reasons: Reasons,
        snippet: Snippet | None = None,
        notices: tuple[str, ...] = (),
    ) -> None:
        self.rank = rank
        self.record = record
        self.score = score
        self.weak = weak
        self.reasons = reasons
        self.snippet = snippet  # filled in on request
        self.notices = notices  # of one record that is shown by itself; those of a search are the Results' own

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
    def description(self) -> str:
        """What the skill says of itself."""
        return self.record.description

    @property
    def keywords(self) -> tuple[str, ...]:
        """The skill's keywords, from every place where it names some."""
        return self.record.keywords

    @property
    def lang(self) -> str:
        """The skill's language, such as `en` or `zh-CN`; empty where nobody knows."""
        return self.record.lang

    @property
    def updated_at(self) -> str:
        """When the skill's file was last changed; empty where the checkout's files were searched."""
        return self.record.updated_at

    def __repr__(self) -> str:
        return f"<Hit {self.rank} {self.id} {self.score:.3f}{' weak' if self.weak else ''}>"


class Results(FrozenValue):
    """The hits of one query, best first, and what the user should know about them."""

    __slots__ = (
        "did_you_mean", "embedded_by", "fallback_reason", "hits", "index_dir", "mode", "model_id", "notices", "query",
    )  # fmt: skip

    def __init__(  # noqa: PLR0913 - one value of many named fields
        self,
        query: str,
        mode: str,
        hits: tuple[Hit, ...],
        *,
        fallback_reason: str = "",
        model_id: str = "",
        embedded_by: str = "",
        index_dir: str = "",
        notices: tuple[str, ...] = (),
        did_you_mean: str = "",
    ) -> None:
        self.query = query
        self.mode = mode  # keyword, semantic or hybrid: what answered, not what was asked for
        self.hits = hits
        self.fallback_reason = fallback_reason  # why it is not the mode that could have been
        self.model_id = model_id  # the index's model, where the query was embedded
        self.embedded_by = embedded_by  # who embedded it: an index under an alias is searched with the embedded model
        self.index_dir = index_dir  # the index that answered; empty: the checkout's own files
        self.notices = notices
        self.did_you_mean = did_you_mean

    def __len__(self) -> int:
        return len(self.hits)

    def __iter__(self) -> "Iterator[Hit]":
        return iter(self.hits)

    def __getitem__(self, place: int) -> Hit:
        return self.hits[place]

    def __repr__(self) -> str:
        found = ", ".join(hit.id for hit in self.hits[:5]) + (", …" if len(self.hits) > 5 else "")
        return f"<Results of {self.mode} search for {self.query!r}: {found or 'none'}>"


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
