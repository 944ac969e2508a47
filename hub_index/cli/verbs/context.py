"""`hub-index context TASK`: the skills that fit a task, for an agent that begins; empty if none fits."""

import argparse
from dataclasses import replace

from hub_index.cli.arguments import VerbParser, positive
from hub_index.cli.terminal import notice, printable
from hub_index.cli.user_settings import settings_from
from hub_index.cli.wiring.search_tools import open_search_service
from hub_index.cli.wiring.search_wiring import add_index_options, add_installed
from hub_index.cli.wiring.trace_wiring import record_answer
from hub_index.search.results import new_search_id
from hub_index.service.context import DEFAULT_SKILLS, DEFAULT_TOKENS, encode_context, find_context
from hub_index.service.requests import check_budget

_EXAMPLES = """\
  hub-index context "make a slide deck from this report"
  hub-index context "fix the slow query" --max-tokens 500 --format markdown
  hub-index context "我想制作一个ppt" --format json"""


def parse(arguments: list[str]) -> argparse.Namespace:
    """The verb's arguments."""
    parser = VerbParser(
        "context",
        "Print what an agent should know before it begins: up to three skills that surely fit its task, or nothing.",
        _EXAMPLES,
    )
    parser.add_argument("task", metavar="TASK", nargs="+", help="what the agent is asked to do")
    add_index_options(parser, several=True, store=True)
    add_installed(parser)
    parser.add_argument(
        "-k", "--max-skills", type=positive, default=DEFAULT_SKILLS, metavar="N", help="most skills shown (default: 3)"
    )
    parser.add_argument(
        "--max-tokens",
        type=positive,
        default=DEFAULT_TOKENS,
        metavar="N",
        help="budget of the output in tokens (default: 300)",
    )
    parser.add_argument("--explain", action="store_true", help="say on stderr why nothing is printed")
    parser.add_argument("--format", choices=("xml", "markdown", "json"), default="xml", help="default: xml")
    parsed = parser.parse_args(arguments)
    if not printable(" ".join(parsed.task)).strip():
        parser.error("the task is empty; say what the agent is asked to do")
    return parsed


def run(arguments: argparse.Namespace) -> int:
    """Prints the fitting skills; notices go to stderr."""
    check_budget(arguments.max_tokens)
    settings = settings_from(arguments)
    with open_search_service(arguments, settings) as service:
        context = find_context(service, " ".join(arguments.task), arguments.max_tokens, arguments.max_skills)
        for text in context.results.notices:
            notice(f"note: {text}")
        if context.results.fallback_reason:
            notice(f"note: keyword search only: {context.results.fallback_reason}")
        if arguments.explain and context.why_silent:
            notice(f"silent: {context.why_silent}")
        if settings.traces:
            context = replace(context, results=context.results.replace(search_id=new_search_id()))
        if text := encode_context(context, arguments.format):
            print(printable(text, keep="\n"))
        if settings.traces:
            record_answer(service, context.results, {}, settings)
    return 0
