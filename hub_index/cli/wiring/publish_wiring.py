"""Arguments → one publication, with its page and its summary: `publish` and `build --commit` run it."""

import argparse
from dataclasses import replace

from hub_index.cli.text.report_text import print_report
from hub_index.cli.text.run_summary import RunSummary
from hub_index.cli.wiring.build_wiring import build_options, build_tools
from hub_index.cli.wiring.page_wiring import check_page_place, publish_page_of
from hub_index.index.build_tools import BuildTools
from hub_index.index.publish.publish import PublishOptions, PublishOutcome, publish_index
from hub_index.index.publish.rollback import roll_back


def run_publish(arguments: argparse.Namespace) -> int:
    """Publishes or rolls back, then prints the summary."""
    asked = vars(arguments)  # `build --commit` has no --remote, --branch, --orphan and --summary
    options = PublishOptions(
        push=arguments.push,
        remote=asked.get("remote"),
        branch=asked.get("branch"),
        orphan=asked.get("orphan", False),
        author=arguments.author,
        message=arguments.message,
        resume=asked.get("resume", False),
        sign=arguments.sign,
    )
    summary = RunSummary(arguments.hub, asked.get("summary"))
    is_rollback = asked.get("rollback") is not None
    with summary, build_tools(arguments, evaluates=not is_rollback) as tools:
        if asked.get("page"):
            check_page_place(arguments)
        published = _change_branch(arguments, options, replace(tools, ledger=summary.ledger))
    place = arguments.hub / published.folder if arguments.json else published.place
    state: dict[str, object] = {"branch": published.branch, "commit": published.commit, "tries": published.tries}
    state["rolled_back_to"] = published.rolled_back_to
    try:
        if asked.get("page"):
            state["page"] = publish_page_of(arguments, published.folder)
    finally:  # whatever becomes of the page, the index is published
        print_report(published.report, place, summary.seconds, arguments, **state)
        summary.append(published)
    return 0


def _change_branch(arguments: argparse.Namespace, options: PublishOptions, tools: BuildTools) -> PublishOutcome:
    rollback = vars(arguments).get("rollback")
    if rollback is None:
        return publish_index(arguments.hub, build_options(arguments), options, tools)
    return roll_back(arguments.hub, None if rollback is True else rollback, options, tools)
