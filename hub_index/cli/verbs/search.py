"""`hub-index search QUERY`: the best skills, which mode answered, and why not a better one."""

import argparse

from hub_index.cli.arguments import VerbParser, add_json, positive, result_count, share
from hub_index.cli.terminal import printable
from hub_index.cli.text.results_text import print_results
from hub_index.cli.user_settings import settings_from
from hub_index.cli.wiring.search_tools import add_rerank_options, open_search_service
from hub_index.cli.wiring.search_wiring import add_index_options, add_installed
from hub_index.errors import ConfigError
from hub_index.search.options import FUSIONS, SCORINGS, SearchOptions
from hub_index.search.places.index_places import check_named
from hub_index.search.results import new_search_id
from hub_index.service.requests import FindRequest

TYPE_CHECKING = False  # as typing's own, which a cold search cannot afford
if TYPE_CHECKING:
    from typing import Any

    from hub_index.service.service import Service
    from hub_index.settings import Settings

_OTHER_WAY = ("query", "rerank")  # many words, and the name of what `open_search_service` opens

_EXAMPLES = """\
  hub-index search "how do I analyze database perf?"
  hub-index search "我想制作一个ppt，哪些skill可用" -k 3
  hub-index search '+postgres -mysql "slow query" tag:database since:2026-01-01' --keyword
  hub-index search pdf --hub path/to/hub --explain
  hub-index search pdf --hub path/to/hub --hub ~/.claude/skills
  hub-index search pdf --store postgresql://me@db.example/skills
  hub-index search --index                        builds an index of your own with the configured model

the query (whatever is not clearly syntax is plain text; so is a sentence, but for its filters lang: and since:):
  slow query          words, in any language; typing errors are corrected
  "slow query"        a phrase; alone it must occur, beside words it ranks what holds it higher
  +must  -not         what every result must hold, or must not
  a AND b, a OR b, NOT c
  post*               words that begin with it
  name:x tag:x path:x must occur in that field; also name:"two words", tag:post*
  lang:zh             that language; zh-CN is zh too, but not zh-TW; lang:zh lang:en is either
  since:2026-01-31    updated then or later, also since:2026-01 and since:2026; -lang: and -since: exclude
  -- -word            after `--` a query may begin with a minus

Options win over variables of the environment, which win over ~/.axon/.env (`hub-index init` writes one).
AXON_EMBEDDINGS_PROVIDER and AXON_EMBEDDINGS_MODEL name the model, AXON_EMBEDDINGS_DEVICE where it runs.

scores (--min-score) are comparable within one mode: keyword from 0 up, a good match often 5 to 30; semantic -1 to 1;
hybrid about 0 to 1.5; with --fusion linear 0 to 1, with rrf below 0.04

AXON_TRACES=on is --track for every search; AXON_LEARN=auto lets recorded outcomes move results where `hub-index traces
replay` found that to help, =on always, =off (the default) never; both also in ~/.axon/.env"""


def parse(arguments: list[str]) -> argparse.Namespace:
    """The verb's arguments."""
    parser = VerbParser("search", "Find skills by keyword, by meaning, or both.", _EXAMPLES)
    parser.add_argument("query", metavar="QUERY", nargs="*", help="words, in any language")
    add_index_options(parser, several=True, store=True)
    add_installed(parser)
    parser.add_argument(
        "-k",
        "--k",
        type=result_count,
        metavar="N",
        help="how many results, up to 10000 (default: AXON_SEARCH_K, else 5)",
    )
    mode = parser.add_mutually_exclusive_group()
    for name, about in (
        ("keyword", "words only; no model is needed"),
        ("semantic", "meaning only; an error where that is not possible"),
        ("hybrid", "both, the default; keyword alone where vectors cannot be used"),
    ):
        mode.add_argument(f"--{name}", dest="mode", action="store_const", const=name, default="auto", help=about)
    parser.add_argument("--fusion", choices=FUSIONS, default="default", help="how both are joined")
    parser.add_argument(
        "--alpha",
        type=share,
        metavar="A",
        help="weight of the semantic leg, 0 to 1; linear unless --fusion rrf (default: AXON_SEARCH_ALPHA, else none)",
    )
    parser.add_argument(
        "--min-score",
        type=float,
        metavar="S",
        help="leave out what scores less; see below (default: AXON_SEARCH_MIN_SCORE, else none)",
    )
    parser.add_argument(
        "--min-confidence",
        type=share,
        metavar="C",
        help="leave out what fits less surely, 0 to 1; a first hit that is called weak has less than 0.5",
    )
    parser.add_argument("--recency", action="store_true", help="prefer what was updated lately, by a weight of 0.15")
    parser.add_argument(
        "--recency-weight",
        type=share,
        metavar="W",
        help="the same by another weight, 0 to 1 (default: AXON_SEARCH_RECENCY_WEIGHT, else 0)",
    )
    parser.add_argument("--diverse", action="store_true", help="prefer results that differ from each other")
    parser.add_argument(
        "--no-fold", dest="fold", action="store_false", help="show near copies of a better result by themselves"
    )
    parser.add_argument("--max-per-folder", type=positive, metavar="N", help="at most N results of one top folder")
    add_rerank_options(parser)
    parser.add_argument("--scoring", choices=SCORINGS, default="", help="another system's arithmetic")
    parser.add_argument("--track", action="store_true", help="record this search, on this machine alone")
    parser.add_argument("--explain", action="store_true", help="say for each result why it stands there")
    parser.add_argument("--index", action="store_true", help="build an index of your own instead of searching")
    parser.add_argument("--force", action="store_true", help="with --index: embed everything again")
    add_json(parser)
    found = parser.parse_args(arguments)
    if found.index == bool(found.query):
        parser.error("give a query, or --index alone")
    if found.query and not printable(" ".join(found.query)).strip():
        parser.error('the query is empty; say what you are looking for, such as "make slides"')
    if found.force and not found.index:
        parser.error("--force embeds everything again and needs --index")
    if found.alpha is not None and found.mode in ("keyword", "semantic"):
        parser.error(f"--alpha weighs keyword against meaning, so it cannot be used with --{found.mode}")
    if found.rerank not in (None, "none") and (found.diverse or found.recency or found.recency_weight):
        parser.error("a reranker decides the order, so it cannot be used with --diverse or --recency")
    if found.scoring and (
        found.alpha is not None or found.fusion != "default" or found.mode in ("keyword", "semantic")
    ):
        parser.error(
            "--scoring brings its own fusion and cannot be used with --fusion, --alpha, --keyword or --semantic"
        )
    if found.recency_weight is not None:
        found.recency = found.recency_weight
    found.explain |= found.scoring == "nexus"  # whose users expect a breakdown in every hit
    return found


def run(arguments: argparse.Namespace) -> int:
    """Prints the results; a fall-back to keyword is not an error, and its reason is said."""
    if arguments.index:
        from hub_index.cli.wiring.user_index_wiring import run_user_index

        return run_user_index(arguments)
    if arguments.min_score is not None and arguments.min_score != arguments.min_score:
        raise ConfigError("--min-score must be a number")
    if arguments.index_dir and arguments.hub:
        check_named(arguments.index_dir)
    settings = settings_from(arguments)
    embed = "never" if arguments.mode == "keyword" else "now"
    with open_search_service(arguments, settings, embed=embed) as service:
        return _answer(service, arguments, settings)


def _answer(service: "Service", arguments: argparse.Namespace, settings: "Settings") -> int:
    is_recorded = bool(arguments.track or settings.traces)
    least = arguments.min_confidence
    is_printed = not arguments.json and not is_recorded and least is None
    query = " ".join(arguments.query)
    request = FindRequest(query, min_confidence=least, is_printed=is_printed, **_options(arguments, service))
    results = service.find(request).replace(next_cursor="")  # there is no option that takes it
    if is_recorded:
        results = results.replace(search_id=new_search_id())
    print_results(results, arguments, several=len(service.hubs) > 1)
    if is_recorded:
        from hub_index.cli.wiring.trace_wiring import record_answer

        chosen = {"k": arguments.k} if arguments.k else {}
        record_answer(service, results, request.given() | chosen, settings)
    return 0


def _options(arguments: argparse.Namespace, service: "Service") -> "dict[str, Any]":
    """The fields of a search that have an option of the same name."""
    given = {name: getattr(arguments, name, None) for name in SearchOptions.__annotations__ if name not in _OTHER_WAY}
    options = {name: value for name, value in given.items() if value is not None}
    is_shown = arguments.explain or arguments.json
    return {"k": service.default_k, "snippets": is_shown, "passages": not is_shown} | options
