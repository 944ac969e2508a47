"""An index as bytes and labelled queries → nDCG@10 of each: the evaluator that cli and pipelines hand to a build.

The index is opened from a temporary folder, far from any checkout, so that the old and the new one are asked alike: by
their records and vectors, without bodies. Nothing is left in the user's cache but the dictionary for Chinese words.
"""

from pathlib import Path
from typing import TYPE_CHECKING

from hub_index.index.folder.writing import write_files
from hub_index.search import open_index
from hub_index.search.lexical.translation.translator import Translator
from hub_index.settings import read_settings

if TYPE_CHECKING:  # every publisher imports this, and few have anything to ask
    from collections.abc import Callable, Sequence

    from hub_index.embedding.encoder import Encoder
    from hub_index.hub.labels.labels import LabelledQuery
    from hub_index.models import IndexFiles
    from hub_index.search.index import Index
    from hub_index.search.places.query_model import Connect


class IndexEvaluator:
    """Asks indexes; `connect` reaches the model of one that was not made with the encoder at hand."""

    def __init__(self, connect: "Connect") -> None:
        self._connect = connect

    def __call__(
        self,
        files: "IndexFiles",
        queries: "Sequence[LabelledQuery]",
        encoder: "Encoder | None",
        advance: "Callable[[int], None]",
    ) -> list[float]:
        """nDCG@10 of each query; of one that nothing fits 0 if its first hit is called strong, else 1.

        Raises IndexUnusable, ConfigError, ProviderError.
        """
        from tempfile import TemporaryDirectory

        connect = self._connect if encoder is None else lambda _model_id, _dim: encoder
        with TemporaryDirectory(prefix="hub-index-evaluation-", ignore_cleanup_errors=True) as name:
            place = Path(name)
            write_files(place / "index", files)
            index = open_index(place / "index", home=place, cache_dir=place / "cache", connect=connect)
            index.reader.translator = Translator(read_settings().cache_folder)
            try:
                return [_ask_one(index, query, advance) for query in queries]
            finally:
                if encoder is None:  # else it is the caller's
                    index.close()


def _ask_one(index: "Index", query: "LabelledQuery", advance: "Callable[[int], None]") -> float:
    from hub_index.search.measure.evaluate import ask, judge_copies, score_answer

    answer = ask(index, query.text, "hybrid")
    advance(1)
    if query.is_nothing:
        return float(not answer.is_strong)
    return score_answer(*judge_copies(answer, query.grades))["ndcg10"]
