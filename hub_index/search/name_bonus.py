"""Whether a query spells a skill's name out: all of its words, two or more, next to each other.

Words of a name that are scattered over a sentence, or one everyday word (`app`, `brand`, `OAuth`, which is two tokens
but one word), are chance. Against a bonus for scattered words, nDCG@10: sealtools 91.7 → 92.0, skillprompts 56.8 →
57.0, clawhub-zh2en 93.8 → 93.9, three other sets as they were.
"""

from hub_index.search.lexical.tokens import has_cjk, split_words, tokenize

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def spells_out(tokens: "Sequence[str]", name: str) -> bool:
    """True if the query's tokens hold all tokens of the name side by side, in any order."""
    wanted = sorted(tokenize(name))
    size = len(wanted)
    if size < 2 or (len(split_words(name)) < 2 and not has_cjk(name)):
        return False
    starts = [at for at, token in enumerate(tokens) if token in wanted]
    return any(sorted(tokens[at : at + size]) == wanted for at in starts)
