"""The results of a search for people: a line for each hit, or two if a line is too narrow.

A description is cut at 300 characters, and on a terminal at its width; a name or a path never: they are there to be
pasted. A match that lies in the body has a line of its own.
"""

import argparse

from hub_index.base.characters import short_line
from hub_index.cli.terminal import (
    BOLD,
    CYAN,
    DIM,
    cell_width,
    cut_to_width,
    has_colour,
    notice,
    pad_to_width,
    paint,
    print_json,
    printable,
    terminal_width,
)
from hub_index.cli.wiring.search_tools import describe_cost
from hub_index.search.results import encode_results

TYPE_CHECKING = False  # as typing's own, which a cold search cannot afford
if TYPE_CHECKING:
    from collections.abc import Iterator

    from hub_index.search.results import Hit, Results, Snippet

_NAME_COLUMNS = (16, 32)  # at least, at most
_PATH_COLUMNS = (24, 48)
_DESCRIPTION_CHARS = 300  # `--json` and `show` have all of it
_LEAST_DESCRIPTION = 24  # columns, else the path goes to the next line
_INDENT = " " * 5
_WEAK = " (weak match)"


def print_results(results: "Results", arguments: argparse.Namespace, *, several: bool = False) -> None:
    """Results on stdout, with their hubs' names where several were asked; notices and --debug facts on stderr."""
    if arguments.debug:
        _print_debug(results)
    if arguments.json:
        print_json(encode_results(results, explain=getattr(arguments, "explain", False)))
        return
    for text in results.notices:
        notice(f"note: {text}")
    if results.rerank is not None and results.rerank.count:
        notice(f"note: {describe_cost(results.rerank)}")
    if results.fallback_reason and not arguments.debug:
        notice(f"note: keyword search only: {results.fallback_reason}")
    print(format_results(results, terminal_width(), explain=getattr(arguments, "explain", False), several=several))


def format_results(results: "Results", width: int, *, explain: bool = False, several: bool = False) -> str:
    """The results in lines for a terminal of `width` columns."""
    lines = [_heading(results)]
    name_columns = _columns(_NAME_COLUMNS, [hit.name for hit in results.hits])
    path_columns = _columns(_PATH_COLUMNS, [_place(hit, several=several) for hit in results.hits])
    widest = max([_width_of(hit, name_columns, path_columns, several=several) for hit in results.hits], default=0)
    is_wide = widest + _LEAST_DESCRIPTION <= width
    for hit in results.hits:
        name, place = printable(hit.name), printable(_place(hit, several=several))
        description = f"— {short_line(printable(hit.description), _DESCRIPTION_CHARS)}"
        rank = f"{hit.rank:>3}. "
        if is_wide:
            name, place = pad_to_width(name, name_columns), pad_to_width(place, path_columns)
            before = cell_width(f"{rank}{name}  {place}  ")
            lines.append(
                f"{rank}{paint(name, BOLD)}  {paint(place, CYAN)}  {_described(hit, description, width - before)}"
            )
        else:
            room = width - cell_width(f"{rank}{name} ")
            lines.append(f"{rank}{paint(name, BOLD)} {_described(hit, description, room)}".rstrip())
            lines.append(f"{_INDENT}{paint(place, CYAN)}")
        if explain:
            lines.extend(_explanation(hit, width))
        elif hit.snippet:
            lines.append(_passage(hit.snippet, width))
    if results.search_id:
        lines.append(paint(f"{_INDENT}search {results.search_id}", DIM))
    if results.did_you_mean:
        lines.append(f"Did you mean: {paint(printable(results.did_you_mean), BOLD)}?")
    return "\n".join(lines)


def _heading(results: "Results") -> str:
    if not results.hits:
        return "No skill matches."
    if all(hit.weak for hit in results.hits):
        return "No good match; the nearest are:"
    return f"Results ({len(results.hits)} found):"


def _width_of(hit: "Hit", name_columns: int, path_columns: int, *, several: bool) -> int:
    """Columns of a hit's line before its description."""
    name = max(name_columns, cell_width(printable(hit.name)))
    return 5 + name + 2 + max(path_columns, cell_width(printable(_place(hit, several=several)))) + 2


def _place(hit: "Hit", *, several: bool) -> str:
    """The path to open or to paste; with several hubs, the names of all hubs that hold it."""
    if not several:
        return hit.place
    return f"{hit.hub}:{hit.place}" + "".join([f" = {place.hub}:{place.id}" for place in hit.also_in])


def _columns(limits: tuple[int, int], texts: list[str]) -> int:
    least, most = limits
    return min(most, max([least, *(cell_width(printable(text)) for text in texts)]))


def _described(hit: "Hit", description: str, room: int) -> str:
    """The description and the label, in that many columns; the label always whole."""
    label = (_WEAK if hit.weak else "") + (f" (+{len(hit.also_like)} like it)" if hit.also_like else "")
    shown = cut_to_width(description, room - len(label)) if room > len(label) + 2 else ""
    return shown + paint(label, DIM)


def _explanation(hit: "Hit", width: int) -> "Iterator[str]":
    reasons = hit.reasons
    facts = [f"score {hit.score:.3f}"]
    if reasons.cosine is not None:
        facts.append(f"cosine {reasons.cosine:.3f}")
    if reasons.lexical is not None:
        facts.append(f"lexical {reasons.lexical:.3f}")
    if reasons.bonus:
        facts.append(f"name bonus {reasons.bonus:.2f}")
    if reasons.presumed:
        facts.append(f"presumed for another script {reasons.presumed:+.3f}")
    if reasons.rerank is not None:
        facts.append(f"rerank {reasons.rerank:.3f}")
    if reasons.boost:
        facts.append(f"boost {reasons.boost:+.3f}")
    if reasons.is_exact:
        facts.append("exact name or id")
    if reasons.matched:
        facts.append("matched " + ", ".join(reasons.matched))
    if hit.also_like:
        facts.append("like it " + ", ".join([place.id for place in hit.also_like]))
    if reasons.translated:
        facts.append("translated " + ", ".join(reasons.translated))
    yield cut_to_width(f"{_INDENT}{printable(', '.join(facts))}", width)
    if hit.snippet and hit.snippet.highlights:
        yield _passage(hit.snippet, width)


def _passage(snippet: "Snippet", width: int) -> str:
    """The piece of text that matched, with the name of its field."""
    field = f"{_INDENT}{snippet.field}: "
    return field + _highlighted(snippet, width - len(field))


def _highlighted(snippet: "Snippet", room: int) -> str:
    """The snippet with its matches in bold, or between asterisks without colour."""
    mark = "" if has_colour() else "*"
    shown = ""
    for text, is_match in _pieces(snippet):
        whole = f"{mark}{printable(text)}{mark}" if is_match else printable(text)
        part = cut_to_width(whole, room)
        shown += paint(part, BOLD) if is_match else part
        room -= cell_width(part)
        if part != whole or room <= 0:
            break
    return shown


def _pieces(snippet: "Snippet") -> "Iterator[tuple[str, bool]]":
    """The snippet's text in order, cut where a match begins or ends, and whether a piece is one."""
    at = 0
    for start, end in snippet.highlights:
        if start > at:
            yield snippet.text[at:start], False
        yield snippet.text[start:end], True
        at = end
    if at < len(snippet.text):
        yield snippet.text[at:], False


def _print_debug(results: "Results") -> None:
    notice(f"mode: {results.mode}")
    notice(f"provider: {results.embedded_by.partition(':')[0] or 'none'}")
    notice(f"model id: {results.model_id or 'none'}")
    notice(f"index: {results.index_dir or 'none, the files of the checkout were read'}")
    notice(f"fall-back: {results.fallback_reason or 'none'}")
    notice(f"reranker: {results.rerank.by if results.rerank else 'none'}")
