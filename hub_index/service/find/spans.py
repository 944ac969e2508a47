"""Passages of a hit's body that fit the query best: words choose three at most, the embedded model orders them.

Embedding a text takes 3.6 ms; a model behind an API is not asked, and words alone decide.
"""

from dataclasses import dataclass, replace

from hub_index.errors import HubIndexError
from hub_index.search.words.tokens import tokenize
from hub_index.service.reading.passages import make_span, split_passages
from hub_index.service.reading.skill_files import body_line, split_lines
from hub_index.settings import EMBEDDED_MODEL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from hub_index.embedding.encoder import Encoder
    from hub_index.search.lexical.lexical import LexicalIndex
    from hub_index.search.results import Hit, Results
    from hub_index.service.hubs.open_hubs import OpenHub
    from hub_index.service.reading.passages import Passage
    from hub_index.service.requests import Deadline

_MOST = 3  # passages of a hit
_EMBEDDED_CHARS = 600  # of a passage: the time grows with the text, and its beginning shows its topic


@dataclass(frozen=True, slots=True)
class _Chosen:
    """A hit's text and the passages that its words chose, best first."""

    lines: "Sequence[str]"
    passages: "Sequence[Passage]"
    notices: tuple[str, ...] = ()

    def texts(self) -> list[str]:
        return ["\n".join(self.lines[passage.start - 1 : passage.end]) for passage in self.passages]


def add_spans(results: "Results", hubs: "Sequence[OpenHub]", context_lines: int, deadline: "Deadline") -> "Results":
    """The results with the spans of each hit; none if a hub has no checkout to read from."""
    by_name = {hub.name: hub for hub in hubs}
    wanted = dict.fromkeys(tokenize(results.query))
    chosen: dict[int, _Chosen] = {}
    for place, hit in enumerate(results.hits):
        deadline.check()
        passages = _choose(by_name[hit.hub], hit, wanted)
        if passages is not None:
            chosen[place] = passages
    if results.mode != "keyword" and chosen:
        chosen = _order(chosen, _embedded_model(hubs), results.query, deadline)
    hits = [
        hit.replace(
            spans=tuple(
                [make_span(chosen_passages.lines, passage, context_lines) for passage in chosen_passages.passages]
            )
        )
        if (chosen_passages := chosen.get(place))
        else hit
        for place, hit in enumerate(results.hits)
    ]
    notices = [text for chosen_passages in chosen.values() for text in chosen_passages.notices]
    return results.replace(hits=tuple(hits), notices=(*results.notices, *notices))


def _choose(hub: "OpenHub", hit: "Hit", wanted: dict[str, None]) -> _Chosen | None:
    """The passages with the highest weight of the query's words; the first passages if none has any."""
    if not hub.has_texts:
        return None
    try:
        own = hub.read_own(hit)
    except HubIndexError:
        return None
    lines = split_lines(own.text)
    passages = split_passages(lines, body_line(own.text, lines))
    with hub.lock:
        weights = _weigh(hub.index.open_engine().lexical, wanted)
    scores = [_score("\n".join(lines[passage.start - 1 : passage.end]), weights) for passage in passages]
    best = sorted(range(len(passages)), key=lambda at: (-scores[at], at))[:_MOST]
    if best and scores[best[0]] > 0:
        best = [at for at in best if scores[at] > 0]
    return _Chosen(lines, [passages[at] for at in best], own.notices)


def _weigh(lexical: "LexicalIndex", wanted: dict[str, None]) -> dict[str, float]:
    return {token: lexical.bound_of(lexical.document_frequency(token)) for token in wanted}


def _score(text: str, weights: dict[str, float]) -> float:
    """The weight of the query's words in the passage, each once; a little less for a long passage."""
    held = set(tokenize(text))
    return sum([weight for token, weight in weights.items() if token in held]) / (1.0 + len(held) / 400)


def _embedded_model(hubs: "Sequence[OpenHub]") -> "Encoder | None":
    """The embedded model, if one of the hubs is searched with it."""
    for hub in hubs:
        with hub.lock:
            encoder = hub.index.open_engine("auto").encoder
        if encoder is not None and encoder.model_id == EMBEDDED_MODEL:
            return encoder
    return None


def _order(
    chosen: dict[int, _Chosen], encoder: "Encoder | None", query: str, deadline: "Deadline"
) -> dict[int, _Chosen]:
    """The same with the passages of each hit by their cosine with the query."""
    if encoder is None:
        return chosen
    deadline.check()
    vector = encoder.embed_query(query)
    ordered = {}
    for place, hit_passages in chosen.items():
        # as queries: the embedded model has no prefixes, and documents would start its pool of processes
        near = [float(encoder.embed_query(text[:_EMBEDDED_CHARS]) @ vector) for text in hit_passages.texts()]
        deadline.check()
        best = sorted(range(len(near)), key=lambda at: (-round(near[at], 6), at))
        ordered[place] = replace(hit_passages, passages=[hit_passages.passages[at] for at in best])
    return ordered
