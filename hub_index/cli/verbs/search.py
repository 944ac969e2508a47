"""`hub-index search QUERY`: the best skills, which mode answered, and why not a better one."""

import argparse

from hub_index.cli.arguments import VerbParser, add_json, positive, share
from hub_index.cli.results_text import print_results
from hub_index.cli.search_wiring import add_index_options, open_from
from hub_index.cli.terminal import printable
from hub_index.errors import ConfigError

_EXAMPLES = """\
  hub-index search "how do I analyze database perf?"
  hub-index search "我想制作一个ppt，哪些skill可用" --k 3
  hub-index search '+postgres -mysql "slow query" tag:database since:2026-01-01' --keyword
  hub-index search pdf --hub path/to/hub --explain
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

scores (--min-score) are comparable within one mode: keyword from 0 up, a good match often 5 to 30; semantic -1 to 1;
hybrid about 0 to 1.5; with --fusion linear 0 to 1, with rrf below 0.04"""


def parse(arguments: list[str]) -> argparse.Namespace:
    """The verb's arguments."""
    parser = VerbParser("search", "Find skills by keyword, by meaning, or both.", _EXAMPLES)
    parser.add_argument("query", metavar="QUERY", nargs="*", help="words, in any language")
    add_index_options(parser)
    parser.add_argument("--k", type=positive, default=5, metavar="N", help="how many results, up to 10000 (default: 5)")
    mode = parser.add_mutually_exclusive_group()
    for name, about in (
        ("keyword", "words only; no model is needed"),
        ("semantic", "meaning only; an error where that is not possible"),
        ("hybrid", "both, the default; keyword alone where vectors cannot be used"),
    ):
        mode.add_argument(f"--{name}", dest="mode", action="store_const", const=name, default="auto", help=about)
    parser.add_argument("--fusion", choices=("default", "rrf", "linear"), default="default", help="how both are joined")
    parser.add_argument(
        "--alpha", type=share, metavar="A", help="weight of the semantic leg, 0 to 1; linear unless --fusion rrf"
    )
    parser.add_argument("--min-score", type=float, metavar="S", help="leave out what scores less; see below")
    parser.add_argument("--recency", action="store_true", help="prefer what was updated lately")
    parser.add_argument("--diverse", action="store_true", help="prefer results that differ from each other")
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
    return found


def run(arguments: argparse.Namespace) -> int:
    """Prints the results; a fall-back to keyword is not an error, and its reason is said."""
    if arguments.index:
        from hub_index.cli.user_index_wiring import run_user_index

        return run_user_index(arguments)
    if arguments.min_score is not None and arguments.min_score != arguments.min_score:
        raise ConfigError("--min-score must be a number")
    index = open_from(arguments)
    try:
        results = index.search(
            " ".join(arguments.query),
            arguments.k,
            arguments.mode,
            fusion=arguments.fusion,
            alpha=arguments.alpha,
            min_score=arguments.min_score,
            recency=arguments.recency,
            diverse=arguments.diverse,
            explain=arguments.explain,
            snippets=arguments.explain or arguments.json,
        )
    finally:
        index.close()
    print_results(results, arguments)
    return 0
