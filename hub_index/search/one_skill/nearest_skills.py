"""The nearest skills to one skill, by the published vectors: no model, no key, no query."""

from hub_index.base.characters import quote_line
from hub_index.errors import IndexStale, IndexUnusable
from hub_index.search.one_skill.lookup import find_skill
from hub_index.search.places.missing_files import PresentRows, file_of, is_gone, keep_present
from hub_index.search.ranking.engine import Engine
from hub_index.search.results import Hit, Reasons, Results

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hub_index.search.semantic.semantic import Vectors

_MAX_GONE = 1_000  # how many skills that are gone from the checkout are looked past


def find_related(engine: Engine, said: str, k: int) -> Results:
    """The k nearest skills by cosine whose files exist, without the skill itself. Raises IndexUnusable, ConfigError.

    `said` is an id, a path or a name; the engine needs its vectors, but no encoder.
    """
    subject = find_skill(engine.lexical, said)
    if not engine.has_vector(subject.row):
        raise IndexStale(
            f"{quote_line(subject.record.id)} is not in the index and has no vector yet; "
            "sync again or rebuild the index"
        )
    notices = engine.notices
    if is_gone(engine, subject.record):
        notices += (f"{quote_line(subject.record.id)} is no longer in the checkout",)
    return _near_results(engine, said, vector_of(engine, subject.row), k, subject.row, notices)


def vector_of(engine: Engine, row: int) -> "Vectors":
    """A skill's own vector. Raises IndexUnusable without vectors."""
    if engine.scan is None:
        raise IndexUnusable("this index has no vectors to compare; run `hub-index build`")
    vector: Vectors = engine.scan.vector_of(row)
    return vector


def find_near(engine: Engine, said: str, vector: "Vectors", k: int) -> Results:
    """The k skills nearest to a skill of another hub with the same model, whose vector this is."""
    return _near_results(engine, said, vector, k, -1, engine.notices)


def _near_results(  # noqa: PLR0913, PLR0917 - one answer's parts
    engine: Engine, said: str, vector: "Vectors", k: int, without: int, notices: tuple[str, ...]
) -> Results:
    near = _nearest(engine, vector, k, k + 1, without)
    if near.gone:
        near = _nearest(engine, vector, k, k + 1 + _MAX_GONE, without)
        notices += (near.say_gone("nearer skill", "nearer skills"),)
    hits = [
        Hit(rank, record, row.cosine, weak=False, reasons=Reasons(cosine=row.cosine), file=file_of(engine, record))
        for rank, (row, record) in enumerate(near.rows, start=1)
    ]
    return Results(said, "semantic", tuple(hits), model_id=engine.model_id, index_dir=engine.index_dir, notices=notices)


def _nearest(engine: Engine, vector: "Vectors", k: int, limit: int, without: int) -> PresentRows:
    assert engine.scan is not None  # noqa: S101 - vector_of has looked
    cosines = {other: cosine for other, cosine in engine.scan.nearest(vector, limit) if other != without}
    candidates = {candidate.row: candidate for candidate in engine.lexical.score_rows(None, list(cosines))}
    for other, candidate in candidates.items():
        candidate.cosine = cosines[other]
    return keep_present(engine, [candidates[other] for other in cosines], k)
