"""The dictionary for Chinese words, made before the first query asks for it, with a progress bar."""

from hub_index.cli.progress import ProgressBar
from hub_index.search.lexical.translation.translator import Translator


def prepare_dictionary(cache: str, bar: ProgressBar) -> None:
    """Makes the dictionary if it is missing; an obstacle is reported by the query that needs it."""
    shown = 0

    def advance(done: int, total: int) -> None:
        nonlocal shown
        if not shown:
            bar.expect("preparing the dictionary for Chinese words", total)
        bar.advance(done - shown)
        shown = done

    Translator(cache, advance).open()
