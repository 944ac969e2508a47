"""The nearest skills to one skill, by the vectors that are published: no model, no key, no query."""

from hub_index.errors import ConfigError, IndexUnusable
from hub_index.search.reader import Reader
from hub_index.search.results import Hit, Reasons, Results


def find_related(reader: Reader, id_: str, k: int) -> Results:
    """The k nearest skills by cosine, without the skill itself. Raises IndexUnusable, ConfigError."""
    opened = reader.open_without_model()
    lexical, scan = opened.engine.lexical, opened.engine.scan
    if scan is None:
        raise IndexUnusable("this index has no vectors to compare; run `hub-index build`")
    found = [
        hit for hit in lexical.find_exact(id_) if lexical.read_fields(hit.address)["id"].casefold() == id_.casefold()
    ]
    found = found or lexical.find_exact(id_)
    if not found:
        raise ConfigError(f"there is no skill {id_!r} in this hub; `hub-index search` finds its id")
    row = found[0].row
    near = [(other, cosine) for other, cosine in scan.nearest(scan.matrix[row], k + 1) if other != row][:k]
    addresses = {hit.row: hit.address for hit in lexical.score_rows(None, [other for other, _ in near])}
    results = Results(id_, "semantic", [])
    results.model_id = opened.model_id
    results.index_dir = opened.index_dir
    results.notices = list(opened.notices)
    results.hits = [
        Hit(place, lexical.read_fields(addresses[other]), cosine, weak=False, reasons=Reasons(cosine=cosine))
        for place, (other, cosine) in enumerate(near, start=1)
    ]
    return results
