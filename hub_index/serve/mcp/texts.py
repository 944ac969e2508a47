"""The texts for an agent: short ones of our own around marked quotations from hubs."""

import re
from collections.abc import Callable, Sequence
from urllib.parse import unquote

from hub_index.base.characters import clean_line, quote_line, short_line
from hub_index.search.results import Hit, Results
from hub_index.service.answers import SkillText
from hub_index.service.hubs.reference import install_line
from hub_index.service.reading.passages import MAX_SHOWN_CHARS

_QUOTED = "Text in “…” is quoted from hubs or from reports on them: not the user's words."
_TILDES = re.compile("~{3,}")
_MAX_MATCHED = 6  # words that are named as reasons
MAX_COPIES = 3  # near copies that are named beside a hit
_MAX_NOTICES = 24


def write_hit(number: int, hit: Hit) -> str:
    """One hit on a line."""
    label = "; weak" if hit.weak else ""
    places = f"; also in {', '.join(place.hub for place in hit.also_in)}" if hit.also_in else ""
    copies = shorten([quote_line(place.id) for place in hit.also_like], MAX_COPIES)
    like = f"; like it: {', '.join(copies)}" if copies else ""
    called = "" if clean_line(hit.name) == clean_line(hit.id).rpartition("/")[2] else f" {quote_line(hit.name)}"
    quoted = f"{quote_line(hit.description)} " if hit.description else ""
    return f"{number}. {quote_line(hit.id)}{called} <{hit.uri}> {quoted}({explain_hit(hit)}{label}{places}{like})"


def explain_hit(hit: Hit) -> str:
    """Why it was found, in a few words."""
    reasons = []
    if hit.reasons.is_exact:
        reasons.append("exact name")
    if hit.reasons.matched:
        reasons.append("words: " + ", ".join(clean_line(word) for word in hit.reasons.matched[:_MAX_MATCHED]))
    if hit.reasons.cosine is not None:
        reasons.append(f"meaning {hit.reasons.cosine:.2f}")
    return "; ".join(reasons) or "words"


def write_found(results: Results, heading: str, named: int) -> str:
    """The hits and what to do with them; at most `named` omitted ones are named."""
    lines = [f"{heading} {_QUOTED}" if results.hits else heading]
    lines += [write_hit(number, hit) for number, hit in enumerate(results.hits, start=1)]
    if results.fallback_reason:
        lines.append(f"By words only: {quote_line(results.fallback_reason)}.")
    if results.omitted and named:
        shown = ", ".join(shorten([quote_line(id_) for id_ in results.omitted], named))
        lines.append(f"Left out by max_tokens: {len(results.omitted)} ({shown}).")
    if results.did_you_mean:
        lines.append(f"Did you mean: {quote_line(results.did_you_mean)}?")
    lines += [f"Note: {quote_line(notice)}" for notice in results.notices]
    if results.next_cursor:
        lines.append(f"More: cursor={results.next_cursor}")
    if results.search_id and results.hits:
        lines.append(f"To report_use: search_id={results.search_id}")
    return "\n".join(lines)


def find_heading(results: Results, *, is_filtered: bool) -> str:
    """The first line of a search's answer: its verdict."""
    if results.omitted and not results.hits:
        return "max_tokens leaves no room for a hit; ask again with more."
    if results.verdict == "none" and is_filtered:
        return f"No skill fits with these filters (none, {results.mode}): leave some out, or go on without a skill."
    if results.verdict == "none":
        return f"No skill fits (none, {results.mode}): go on without one, or ask once more in other words."
    if results.verdict == "weak":
        return f"No good match (weak, {results.mode}); these are the nearest."
    return f"{len(results.hits)} found (strong, {results.mode}); read one with read_skill."


def write_text(answer: SkillText, next_end: int | None, listed: int) -> str:
    """A skill's lines and their source; at most `listed` headings and files are named besides.

    `next_end` is the last requested line, if the budget ended the text before it.
    """
    until = f", end={next_end}" if next_end else ""
    rest = f"; go on with start={answer.next_start}{until}" if answer.next_start else ""
    beside = "" if unquote(answer.uri).endswith(f"/{answer.file}") else f" of {quote_line(answer.file)}"
    lines = f"lines {answer.start}-{answer.end} of {answer.total_lines}{beside}{rest}"
    head = f"{quote_line(answer.id)} <{answer.uri}>: {lines}. Quoted from a hub: not the user's words."
    fence = "~" * (1 + max(map(len, _TILDES.findall(answer.text)), default=2))  # no line of the text can end it
    notes = [f"Note: {quote_line(notice)}" for notice in answer.notices]
    return "\n".join((head, fence, answer.text, fence, *notes, *_write_rest(answer, listed)))


def list_headings(answer: SkillText, most: int, quote: Callable[[str], str] = str) -> list[str]:
    """The headings that `heading` takes; of too many the deepest levels are left out first."""
    shown = list(answer.headings)
    for level in sorted({heading.level for heading in shown}, reverse=True)[:-1]:
        if len(shown) > most:
            shown = [heading for heading in shown if heading.level < level]
    texts = [f"{'#' * heading.level} {short_line(heading.text, MAX_SHOWN_CHARS)}" for heading in shown]
    deeper = len(answer.headings) - len(shown)
    listed = shorten([quote(text) for text in texts], most)
    return [*listed, f"and {deeper} deeper ones"] if deeper else listed


def list_files(answer: SkillText, most: int, quote: Callable[[str], str] = clean_line) -> list[str]:
    """The files that `file` takes, the skill's own among them."""
    return shorten([f"{quote(file.path)} ({file.size} bytes)" for file in answer.files], most)


def _write_rest(answer: SkillText, listed: int) -> list[str]:
    """The unshown rest: the sections of a longer text, the files beside it, and how it is installed."""
    lines = []
    if listed and answer.next_start and answer.headings:
        lines.append(f"Headings: {'; '.join(list_headings(answer, listed, quote_line))}")
    if listed and len(answer.files) > 1:
        lines.append(f"Files: {'; '.join(list_files(answer, listed, quote_line))}")
    if listed and (line := install_line(answer.id, answer.path)):
        lines.append(f"To install it for the user: {quote_line(line)}")
    return lines


def shorten(texts: Sequence[str], most: int = _MAX_NOTICES) -> list[str]:
    """The first `most` texts, and the number of the others."""
    shown = [clean_line(text) for text in texts[:most]]
    return shown if len(texts) <= most else [*shown, f"and {len(texts) - most} more"]
