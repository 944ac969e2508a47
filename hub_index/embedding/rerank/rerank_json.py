"""A /rerank answer's JSON value → scores in the texts' order; every answer must score every text exactly once.

Three forms are in use: TEI's list of {index, score}; `results` of {index, relevance_score} (Cohere, Jina, vLLM); and
`data` of the same (Voyage). Which it is, is seen from the answer.
"""

import math
from collections.abc import Mapping

from hub_index.embedding.api.embeddings_json import charged_tokens
from hub_index.embedding.rerank.reranker import RerankAnswer
from hub_index.errors import ProviderBrokePromise
from hub_index.hub.skill.problems import counted


def parse_rerank(value: object, count: int) -> RerankAnswer:
    """The answer to a request with `count` texts. Raises ProviderBrokePromise."""
    items = value
    if isinstance(value, Mapping):
        items = value.get("results", value.get("data"))
    if not isinstance(items, list):
        raise ProviderBrokePromise("the answer is not a list of scores")
    if len(items) != count:
        raise ProviderBrokePromise(f"the answer holds {counted(len(items), 'score')} for {counted(count, 'text')}")
    scores: dict[int, float] = {}
    for item in items:
        index = item.get("index") if isinstance(item, Mapping) else None
        if not isinstance(item, Mapping) or type(index) is not int or not 0 <= index < count or index in scores:
            raise ProviderBrokePromise(f"the answer's indexes are not exactly 0 to {count - 1}")
        score = item.get("relevance_score", item.get("score"))
        if type(score) not in (int, float) or not math.isfinite(score):
            raise ProviderBrokePromise("the answer holds a score that is not a finite number")
        scores[index] = float(score)
    return RerankAnswer(tuple(scores[index] for index in range(count)), charged_tokens(value))
