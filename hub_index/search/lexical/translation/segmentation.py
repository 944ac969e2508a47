"""Han runs of a query → the fewest words of the dictionary: 数据库备份 is 数据库 and 备份, not five characters."""

from hub_index.search.words.stopwords import CJK_WORDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from hub_index.search.lexical.translation.derived_file import DerivedFile

MAX_WORD_CHARS = 8  # as long as the dictionary's longest
_STOP_SIZES = (2, 3)  # `一个` is no word of the dictionary


def han_runs(text: str) -> "Iterator[str]":
    """The stretches of Chinese characters in a text."""
    start = -1
    for at, character in enumerate(text):
        if "\u3400" <= character <= "\u9fff":
            start = at if start < 0 else start
        elif start >= 0:
            yield text[start:at]
            start = -1
    if start >= 0:
        yield text[start:]


def segment(run: str, dictionary: "DerivedFile") -> list[str]:
    """The run as the fewest words; of equally many the ones with the longest among them, and first."""
    size = end = len(run)
    costs = [(0, 0)] * (size + 1)  # for the rest of the run from here: words, then minus the sum of squares
    steps = [1] * size
    for start in range(size - 1, -1, -1):
        options = {1, *[len(word) for word in dictionary.words_at(run, start, MAX_WORD_CHARS) if len(word) > 1]}
        options |= {size for size in _STOP_SIZES if start + size <= end and run[start : start + size] in CJK_WORDS}
        ranked = [(costs[start + n][0] + 1, costs[start + n][1] - n * n, -n) for n in options]
        count, squares, longest = min(ranked)
        steps[start] = -longest
        costs[start] = (count, squares)
    words: list[str] = []
    at = 0
    while at < size:
        words.append(run[at : at + steps[at]])
        at += steps[at]
    return words
