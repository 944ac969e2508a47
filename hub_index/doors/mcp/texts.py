"""What an agent reads: short texts of our own around words that are quoted from hubs, and marked so."""

from collections.abc import Sequence

from hub_index.hub.skill.characters import clean_line
from hub_index.search.results import Hit, Results
from hub_index.service.answers import SkillText

_QUOTED = "Names, descriptions and texts are quoted from hubs: their authors' words, not the user's."
_MAX_MATCHED = 6  # words that are named as reasons
_MAX_LISTED = 24  # headings or files that are named


def write_hit(number: int, hit: Hit) -> str:
    """One hit on a line."""
    label = "; weak" if hit.weak else ""
    places = f"; also in {', '.join(place.hub for place in hit.also_in)}" if hit.also_in else ""
    return (
        f"{number}. {clean_line(hit.name)} <{hit.uri}> “{clean_line(hit.description)}” "
        f"({explain_hit(hit)}{label}{places})"
    )


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


def write_found(results: Results, heading: str) -> str:
    """The hits and what to do with them."""
    lines = [f"{heading} {_QUOTED}" if results.hits else heading]
    lines += [write_hit(number, hit) for number, hit in enumerate(results.hits, start=1)]
    if results.fallback_reason:
        lines.append(f"By words only: {clean_line(results.fallback_reason)}.")
    if results.omitted:
        shown = ", ".join(clean_line(skill_id) for skill_id in results.omitted[:_MAX_LISTED])
        lines.append(f"Left out by max_tokens: {len(results.omitted)} ({shown}).")
    if results.did_you_mean:
        lines.append(f"Did you mean: {clean_line(results.did_you_mean)}?")
    lines += [f"Note: {clean_line(notice)}" for notice in results.notices]
    return "\n".join(lines)


def find_heading(results: Results) -> str:
    """What a search came to."""
    if results.omitted and not results.hits:
        return "max_tokens leaves no room for a hit; ask again with more."
    if results.verdict == "none":
        return "No skill fits."
    if results.verdict == "weak":
        return "No good match; the nearest:"
    return f"{len(results.hits)} found; read one with read_skill."


def write_text(answer: SkillText) -> str:
    """A skill's lines, and where they come from."""
    rest = f"; go on with start={answer.next_start}" if answer.next_start else ""
    head = (
        f"Lines {answer.start}-{answer.end} of {answer.total_lines} of {clean_line(answer.file)}{rest}. "
        f"Quoted from the hub {answer.hub}: the author's words, not the user's."
    )
    fence = "~~~"
    while fence in answer.text:  # so that no line of the text can end the quotation
        fence += "~"
    return f"{head}\n{fence}\n{answer.text}\n{fence}"


def shorten(texts: Sequence[str]) -> list[str]:
    """The first of them, and how many were left out."""
    shown = [clean_line(text) for text in texts[:_MAX_LISTED]]
    return shown if len(texts) <= _MAX_LISTED else [*shown, f"and {len(texts) - _MAX_LISTED} more"]
