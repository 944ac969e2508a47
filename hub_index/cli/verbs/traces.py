"""`hub-index traces show|stats|export|forget|replay`: what is recorded on this machine, and what it teaches."""

import argparse
import json
import time
from collections.abc import Iterable, Sequence
from dataclasses import asdict

from hub_index.cli.arguments import VerbParser, add_json, not_empty, positive
from hub_index.cli.terminal import format_table, print_json, printable, terminal_width
from hub_index.cli.text.times import as_utc_text, moment
from hub_index.cli.wiring.search_wiring import add_index_options, open_from
from hub_index.errors import ConfigError
from hub_index.settings import LEARN_VARIABLE, TRACES_VARIABLE, Settings, read_settings
from hub_index.traces.database import database_path, has_traces
from hub_index.traces.outcomes import read_outcomes
from hub_index.traces.recording import identify_hub
from hub_index.traces.replay import LEAST_SEARCHES, Replay, accepted_searches, replay
from hub_index.traces.retention import forget_all, forget_before, forget_queries
from hub_index.traces.trace_history import SkillUse, Totals, export_events, read_events, read_skill_uses, read_totals
from hub_index.traces.verdict import Verdict, write_verdict

_EXAMPLES = f"""\
  hub-index traces show --k 50                    the last events, newest first
  hub-index traces stats
  hub-index traces export --anonymous > mine.jsonl
  hub-index traces forget --before 30d
  hub-index traces forget --query "salary"        every search whose query holds this
  hub-index traces forget --all
  hub-index traces replay                         would learning from them help?

Nothing is recorded without {TRACES_VARIABLE}=on or `search --track`, and nothing leaves this machine by itself.
{LEARN_VARIABLE}=auto learns what the last replay found to help, =on everything, =off (the default) nothing."""
_ACTIONS = ("show", "stats", "export", "forget", "replay")


def parse(arguments: list[str]) -> argparse.Namespace:
    """The verb's arguments."""
    parser = VerbParser("traces", "Look at, export or forget recorded searches, or learn from them.", _EXAMPLES)
    parser.add_argument("action", choices=_ACTIONS)
    parser.add_argument("--k", type=positive, default=20, metavar="N", help="show, stats: how many lines (default: 20)")
    parser.add_argument("--anonymous", action="store_true", help="export: without queries, times of day and sessions")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--before", type=moment, metavar="DAY", help="forget: what is older; 2026-01-31, or 30d")
    which.add_argument("--query", type=not_empty, metavar="TEXT", help="forget: searches whose query holds this text")
    which.add_argument("--all", action="store_true", help="forget: everything, files included")
    add_index_options(parser)
    add_json(parser)
    parsed = parser.parse_args(arguments)
    chosen = parsed.before is not None or parsed.query is not None or parsed.all
    if chosen != (parsed.action == "forget"):
        parser.error("forget takes one of --before, --query and --all, and no other action does")
    if parsed.anonymous and parsed.action != "export":
        parser.error("--anonymous is for export")
    return parsed


def run(arguments: argparse.Namespace) -> int:
    """Does what the action says."""
    actions = {"show": _show, "stats": _stats, "export": _export, "forget": _forget, "replay": _replay}
    return actions[arguments.action](arguments, read_settings())


def _show(arguments: argparse.Namespace, settings: Settings) -> int:
    print_events(read_events(settings.state_folder, arguments.k), as_json=arguments.json)
    return 0


def _stats(arguments: argparse.Namespace, settings: Settings) -> int:
    if not has_traces(settings.state_folder):
        raise ConfigError(f"nothing is recorded yet; set {TRACES_VARIABLE}=on, or search with --track")
    skills = read_skill_uses(settings.state_folder, limit=arguments.k)
    print_stats(read_totals(settings.state_folder), skills, settings.state_folder, as_json=arguments.json)
    return 0


def _export(arguments: argparse.Namespace, settings: Settings) -> int:
    print_lines(export_events(settings.state_folder, anonymous=arguments.anonymous))
    return 0


def _forget(arguments: argparse.Namespace, settings: Settings) -> int:
    folder = settings.state_folder
    if arguments.all:
        count, what = forget_all(folder), "files"
    elif arguments.query is not None:
        count, what = forget_queries(folder, arguments.query), "searches"
    else:
        count, what = forget_before(folder, arguments.before), "events"
    if arguments.json:
        print_json({"forgotten": count, "of": what})
    else:
        print(f"forgotten {what}: {count:,}")
    return 0


def _replay(arguments: argparse.Namespace, settings: Settings) -> int:
    with open_from(arguments, settings) as index:
        index.open_engine()  # a hub that is not there has no history, which would read as one that is too short
        hub = identify_hub(index)
        outcomes = read_outcomes(settings.state_folder, hub)
        count = len(accepted_searches(outcomes))
        if count < LEAST_SEARCHES:
            raise ConfigError(
                f"{count} of this hub's recorded searches ended in an accepted skill, a replay needs {LEAST_SEARCHES}; "
                "search with --track and say `hub-index use ID` when a skill was the right one"
            )
        outcome = replay(index, outcomes)
    verdict = outcome.verdict(time.time())
    write_verdict(settings.state_folder, hub, verdict)
    print_replay(outcome, verdict, settings.learn, as_json=arguments.json)
    return 0


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
