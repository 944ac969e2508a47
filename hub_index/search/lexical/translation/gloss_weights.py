"""The weight of a word's glosses beside the words of the query: arithmetic alone, no index and no file.

A page in the browser repeats this module. For a word w that occurs n times in the query, with the glosses G that the
hub wholly knows: `T = Σ_w k/|G| · Σ_g c_g · (Σ_t idf_t · S_t) / Σ_t idf_t`, where k = 1.5·n/(n + 0.5), × 0.3 for a
single character, and c_g = min(Σ idf, 1.5 · max idf); × 0.3 in a document that lacks a word of the gloss. The most that
T can reach in one field is `ubT`. The query's own words and T together are `lex + u · (ub/ubT)^0.4 · T`: u is the share
of the query's Chinese that no name or description holds, so that a Chinese hub is searched as it always was.

The other way round, for English words and skills with Chinese descriptions, a word's glosses are its Chinese words,
their tokens are pairs of characters, and u is 1.
"""

from hub_index.frozen import FrozenValue

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

INCOMPLETE = 0.3  # of a gloss's score, where a document holds only some of its words
SINGLE_CHARACTER = 0.3
MAX_GLOSS_IDF = 1.5  # of its rarest word: `mind map` is rarer than `map`, but not by as much as both together
_SATURATION = 2.2
BOUND_POWER = 0.4  # with 0.3, as in fusion, Chinese queries lose 0.1 by words and Japanese ones gain as little


class WeightedGloss(FrozenValue):
    """One gloss that the hub knows; `weight` is the factor of Σ idf_t · S_t over its tokens."""

    word: str
    tokens: tuple[str, ...]
    weight: float
    chinese: str = ""  # the gloss of an English word: it counts where a skill is described in CJK

    @property
    def shown(self) -> str:
        """The word and its gloss, for `--explain`."""
        return f"{self.word} → {self.chinese or ' '.join(self.tokens)}"


class Translation(FrozenValue):
    """All glosses of a query, and the most that they can reach in one field."""

    glosses: "tuple[WeightedGloss, ...]"
    bound: float


def weigh_glosses(
    words: "Mapping[str, int]",
    glosses_of: "Callable[[str], Sequence[tuple[str, ...]]]",
    idf_of: "Callable[[str], float]",
    unknown_idf: float,
) -> Translation:
    """The glosses of the words, which have counts; `idf_of` is 0 for a token that the hub does not hold."""
    weighted: list[WeightedGloss] = []
    bound = 0.0
    for word, times in words.items():
        weight = 1.5 * times / (times + 0.5) * (SINGLE_CHARACTER if len(word) == 1 else 1.0)
        known_glosses = [(gloss, idfs) for gloss in glosses_of(word) if all(idfs := [idf_of(token) for token in gloss])]
        values = [min(sum(idfs), MAX_GLOSS_IDF * max(idfs)) for _, idfs in known_glosses]
        bound += weight * (sum(values) / len(values) if values else unknown_idf)
        weighted += [
            WeightedGloss(word, gloss, weight / len(known_glosses) * value / sum(idfs))
            for (gloss, idfs), value in zip(known_glosses, values, strict=True)
        ]
    return Translation(tuple(weighted), _SATURATION * bound)


def translated_share(own_bound: float, translated_bound: float, unknown_share: float) -> float:
    """The factor of T beside the query's own words: u · (ub/ubT)^0.4."""
    if translated_bound <= 0 or own_bound <= 0:
        return 0.0
    share: float = unknown_share * (own_bound / translated_bound) ** BOUND_POWER
    return share
