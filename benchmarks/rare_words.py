"""`python -m benchmarks.rare_words FOLDER [SEED …]`: is the one skill found that holds a word?

FOLDER holds labelled sets as `benchmarks.confidence` takes them. For each seed (1, 2 and 3 unless named) 120 words are
drawn that stand in the body of exactly one skill and in no name or description; each is asked alone and in a
sentence, by both legs and by words. Printed: the share of words whose skill is first, and among the first five.
"""

import random
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.hubs import unpack_hub
from benchmarks.measure import run
from hub_index.search import open_index
from hub_index.search.index import Index
from hub_index.search.words.tokens import split_words, tokenize

_WORDS = 120
_LEAST_CHARS, _MOST_CHARS = 5, 20
_QUESTIONS = ("{}", "how do I use {}")
_MODES = ("hybrid", "keyword")


def main() -> None:
    """Prints a line for each set, question and mode."""
    if len(sys.argv) < 2:
        sys.exit("usage: python -m benchmarks.rare_words FOLDER [SEED …]")
    seeds = list(map(int, sys.argv[2:])) or [1, 2, 3]
    print(f"{'set':<16} {'question':<18} {'mode':<8} {'n':>4} {'first':>7} {'of five':>8}")
    with tempfile.TemporaryDirectory(prefix="hub-index-rare-") as temporary:
        for folder in sorted(Path(sys.argv[1]).iterdir()):
            if (folder / "hub.tar.xz").exists():
                hub = unpack_hub(folder / "hub.tar.xz", Path(temporary, folder.name))
                index = Path(temporary, f"{folder.name}.index")
                run([sys.executable, "-m", "hub_index", "build", str(hub), "--out", str(index)])
                _print_set(folder.name, open_index(index, hub), draw_words(hub, seeds))


def draw_words(hub: Path, seeds: Sequence[int]) -> list[tuple[str, str]]:
    """Words that one skill alone holds, in its body, and that skill's folder."""
    owners: dict[str, set[str]] = defaultdict(set)
    written: dict[str, set[str]] = defaultdict(set)
    in_heads: set[str] = set()
    for folder, head, body in read_skills(hub):
        in_heads.update(tokenize(head))
        for word in set(split_words(body)):
            for token in tokenize(word):
                owners[token].add(folder)
            if (
                _LEAST_CHARS <= len(word) <= _MOST_CHARS
                and word.isascii()
                and word.isalpha()
                and len(tokenize(word)) == 1
            ):
                written[tokenize(word.lower())[0]].add(word.lower())
    lone = sorted(token for token in written if len(owners[token]) == 1 and token not in in_heads)
    return [
        (min(written[token]), next(iter(owners[token])))
        for seed in seeds
        for token in random.Random(seed).sample(lone, min(_WORDS, len(lone)))
    ]


def read_skills(hub: Path) -> Iterator[tuple[str, str, str]]:
    """Each skill's folder, its frontmatter and its body."""
    for file in sorted(hub.rglob("SKILL.md")):
        _, _, rest = file.read_text("utf-8", "replace").partition("---")
        head, _, body = rest.partition("\n---")
        yield file.parent.name, f"{file.parent.name} {head}", body


def _print_set(name: str, index: Index, words: Sequence[tuple[str, str]]) -> None:
    for question in _QUESTIONS:
        for mode in _MODES:
            places = [_place_of(index, question.format(word), folder, mode) for word, folder in words]
            first, five = (sum(place <= limit for place in places) / len(places) for limit in (1, 5))
            print(f"{name:<16} {question:<18} {mode:<8} {len(places):>4} {first:>7.1%} {five:>8.1%}", flush=True)


def _place_of(index: Index, query: str, folder: str, mode: str) -> float:
    hits = index.search(query, 5, mode)
    return next((hit.rank for hit in hits if hit.path.rsplit("/", 1)[-1] == folder), float("inf"))


if __name__ == "__main__":
    main()
