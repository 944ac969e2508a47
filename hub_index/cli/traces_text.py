"""Traces for people."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict

from hub_index.cli.terminal import format_table, print_json, printable, terminal_width
from hub_index.cli.times import as_utc_text
from hub_index.settings import LEARN_VARIABLE
from hub_index.traces.database import database_path
from hub_index.traces.history import SkillUse, Totals
from hub_index.traces.replay import Replay
from hub_index.traces.verdict import Verdict


def print_events(events: Sequence[dict[str, object]], *, as_json: bool) -> None:
    """The events, a line each."""
    events = [event | {"at": as_utc_text(float(str(event["at"])))} for event in events]
    if as_json:
        print_json(events)
        return
    if not events:
        print("Nothing is recorded.")
        return
    rows = [
        (
            str(event["at"]),
            str(event["kind"]),
            str(event["search_id"] or "-"),
            str(event.get("query") or event["skill"]),
        )
        for event in events
    ]
    print(format_table(("time", "event", "search", "query or skill"), rows, terminal_width()))


def print_lines(events: Iterable[dict[str, object]]) -> None:
    """One JSON object a line; all but ASCII is escaped, so that no line can hold what a terminal acts on."""
    for event in events:
        print(json.dumps(event))


def print_stats(totals: Totals, skills: Sequence[SkillUse], folder: str, *, as_json: bool) -> None:
    """The totals of the traces, and the skills that were shown most."""
    rows = [_encode_use(skill) for skill in skills]
    if as_json:
        times = {"first_at": as_utc_text(totals.first_at), "last_at": as_utc_text(totals.last_at)}
        print_json(asdict(totals) | times | {"skills": rows})
        return
    print(f"searches {totals.searches:,}, sessions {totals.sessions:,}, {totals.size_bytes / 1024:,.0f} kB")
    print(f"  in {printable(database_path(folder))}")
    print(f"  since {as_utc_text(totals.first_at) or '-'}, last {as_utc_text(totals.last_at) or '-'}")
    print(f"  modes: {_listed(totals.modes)}; events: {_listed(totals.events)}")
    if totals.mean_accepted_place is not None:
        print(f"  accepted in {totals.accepted_searches:,}, at place {totals.mean_accepted_place:.1f} on average")
    if rows:
        names = ("retrieval_count", "last_retrieved_at", "accepts", "rejects", "acceptance", "skill")
        cells = [tuple("-" if row[name] is None else str(row[name]) for name in names) for row in rows]
        print(format_table(("shown", "last", "accepted", "rejected", "acceptance", "skill"), cells, terminal_width()))


def _encode_use(use: SkillUse) -> dict[str, object]:
    acceptance = None if use.acceptance is None else round(use.acceptance, 4)
    return asdict(use) | {"last_retrieved_at": as_utc_text(use.last_retrieved_at), "acceptance": acceptance}


def print_replay(found: Replay, verdict: Verdict, learn: str, *, as_json: bool) -> None:
    """The result of a replay, and its consequence."""
    if as_json:
        gains = [{"parts": list(it.parts), "gain": round(it.gain, 3), "se": round(it.error, 3)} for it in found.gains]
        before = {"taught": found.taught, "asked": found.asked, "ndcg10": round(found.before, 3)}
        print_json({**before, "gains": gains, "verdict": list(verdict.parts)})
        return
    print(f"{found.taught:,} accepted searches taught, the {found.asked:,} after them were asked again.")
    print(f"nDCG@10 without learning: {found.before:.1f}")
    for gain in found.gains:
        print(f"  {' + '.join(gain.parts):<15} {gain.gain:+.1f} ± {gain.error:.1f}")
    if not verdict.parts:
        print(f"No gain is more than chance: {LEARN_VARIABLE}=auto learns nothing.")
        return
    print(f"{LEARN_VARIABLE}=auto uses: {' + '.join(verdict.parts)}" + (" (it is off now)" if learn == "off" else ""))


def _listed(counts: dict[str, int]) -> str:
    return ", ".join(f"{name} {count:,}" for name, count in counts.items()) or "none"
