"""The nearest skills to one skill, by the vectors that are published: no model, no key, no query."""

from hub_index.errors import IndexUnusable
from hub_index.hub.tree.record_file import record_file
from hub_index.search.lookup import find_skill
from hub_index.search.reader import OpenIndex, Reader
from hub_index.search.results import Hit, Reasons, Results

_MAX_GONE = 1_000  # how many skills that are gone from the checkout are looked past


def find_related(reader: Reader, said: str, k: int) -> Results:
    """The k nearest skills by cosine that are still there, without the skill itself. Raises IndexUnusable, ConfigError.

    `said` is an id, a path or a name.
    """
    opened = reader.open_without_model()
    subject = find_skill(opened.engine.lexical, said)
    results = Results(said, "semantic", [])
    results.model_id = opened.model_id
    results.index_dir = opened.index_dir
    results.notices = list(opened.notices)
    if opened.hub and not record_file(opened.hub, subject.fields["id"], subject.fields["path"]):
        results.notices.append(f"{subject.fields['id']} is no longer in the checkout")
    near = _nearest(opened, subject.row, k, k + 1)
    if near.gone:
        near = _nearest(opened, subject.row, k, k + 1 + _MAX_GONE)
        results.notices.append(f"{near.gone} nearer skills are no longer in the checkout and were left out")
    results.hits = near.hits
    return results


class _Near:
    __slots__ = ("gone", "hits")

    def __init__(self) -> None:
        self.hits: list[Hit] = []
        self.gone = 0


def _nearest(opened: OpenIndex, row: int, k: int, limit: int) -> _Near:
    lexical, scan = opened.engine.lexical, opened.engine.scan
    if scan is None:
        raise IndexUnusable("this index has no vectors to compare; run `hub-index build`")
    rows = [(other, cosine) for other, cosine in scan.nearest(scan.matrix[row], limit) if other != row]
    addresses = {hit.row: hit.address for hit in lexical.score_rows(None, [other for other, _ in rows])}
    near = _Near()
    for other, cosine in rows:
        if len(near.hits) == k:
            break
        fields = lexical.read_fields(addresses[other])
        if opened.hub and not record_file(opened.hub, fields["id"], fields["path"]):
            near.gone += 1
            continue
        near.hits.append(Hit(len(near.hits) + 1, fields, cosine, weak=False, reasons=Reasons(cosine=cosine)))
    return near
