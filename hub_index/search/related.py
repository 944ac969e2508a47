"""The nearest skills to one skill, by the vectors that are published: no model, no key, no query."""

from hub_index.errors import IndexStale, IndexUnusable
from hub_index.search.engine import Engine
from hub_index.search.lookup import find_skill
from hub_index.search.presence import PresentRows, file_of, is_gone, keep_present
from hub_index.search.reader import Reader
from hub_index.search.results import Hit, Reasons, Results

_MAX_GONE = 1_000  # how many skills that are gone from the checkout are looked past


def find_related(reader: Reader, said: str, k: int) -> Results:
    """The k nearest skills by cosine that are still there, without the skill itself. Raises IndexUnusable, ConfigError.

    `said` is an id, a path or a name.
    """
    engine = reader.open_without_model()
    subject = find_skill(engine.lexical, said)
    if not engine.has_vector(subject.row):
        raise IndexStale(
            f"{subject.record.id} is not in the index and has no vector yet; sync again or rebuild the index"
        )
    notices = engine.notices
    if is_gone(engine, subject.record):
        notices += (f"{subject.record.id} is no longer in the checkout",)
    near = _nearest(engine, subject.row, k, k + 1)
    if near.gone:
        near = _nearest(engine, subject.row, k, k + 1 + _MAX_GONE)
        notices += (near.say_gone("nearer skill", "nearer skills"),)
    hits = [
        Hit(rank, record, row.cosine, weak=False, reasons=Reasons(cosine=row.cosine), file=file_of(engine, record))
        for rank, (row, record) in enumerate(near.rows, start=1)
    ]
    return Results(said, "semantic", tuple(hits), model_id=engine.model_id, index_dir=engine.index_dir, notices=notices)


def _nearest(engine: Engine, row: int, k: int, limit: int) -> PresentRows:
    if engine.scan is None:
        raise IndexUnusable("this index has no vectors to compare; run `hub-index build`")
    cosines = {other: cosine for other, cosine in engine.scan.nearest(engine.scan.matrix[row], limit) if other != row}
    candidates = {candidate.row: candidate for candidate in engine.lexical.score_rows(None, list(cosines))}
    for other, candidate in candidates.items():
        candidate.cosine = cosines[other]
    return keep_present(engine, [candidates[other] for other in cosines], k)
