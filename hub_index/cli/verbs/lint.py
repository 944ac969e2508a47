"""`hub-index lint`: every problem of every skill, with what to write instead."""

import argparse
from dataclasses import asdict

from hub_index.cli.arguments import VerbParser, add_hub, add_json
from hub_index.cli.terminal import notice, print_json
from hub_index.cli.text.problems_text import count_problems, problems_text, worst_first
from hub_index.cli.text.risks_text import encode_risk, risks_first, risks_text
from hub_index.errors import SkillError
from hub_index.hub.uncommitted import uncommitted_notice

_EXAMPLES = """\
  hub-index lint path/to/hub
  hub-index lint path/to/hub --strict     exits 4 if there is any problem
  hub-index lint path/to/hub --json"""


def parse(arguments: list[str]) -> argparse.Namespace:
    """The verb's arguments."""
    parser = VerbParser(
        "lint", "Report what is wrong with a hub's skills, where, and what to write instead.", _EXAMPLES
    )
    add_hub(parser)
    parser.add_argument("--rev", default="HEAD", help="the git revision to read (default: HEAD)")
    parser.add_argument(
        "--strict", action="store_true", help="exit 4 if there is any problem, advice and risks included"
    )
    add_json(parser)
    return parser.parse_args(arguments)


def run(arguments: argparse.Namespace) -> int:
    """Prints the problems, worst first."""
    from hub_index.hub.file_risks import find_hub_risks
    from hub_index.hub.inspection import inspect_hub
    from hub_index.hub.spec_fields import find_field_advice

    inspected = inspect_hub(arguments.hub, arguments.rev)
    problems = worst_first([*inspected.problems, *find_field_advice(arguments.hub, arguments.rev)])
    findings = find_hub_risks(arguments.hub, arguments.rev)
    if arguments.json:
        listed = list(map(asdict, problems))
        waiting = len(inspected.uncommitted)
        risks = [encode_risk(finding.risk) | {"shown": finding.shown} for finding in risks_first(findings)]
        counts = count_problems(problems)
        print_json({"problems": listed, "counts": counts, "risks": risks, "uncommitted": waiting})
    else:
        if inspected.uncommitted:
            notice(f"note: {uncommitted_notice(inspected.uncommitted)}")
        print(problems_text(problems))
        if findings:
            print(f"\n{risks_text(findings, shows=True)}")
    is_risky = any(finding.risk.level == "risk" for finding in findings)
    return SkillError.exit_code if arguments.strict and (problems or is_risky) else 0
