"""The gate for risks: what changed files of skills bring along is said, or with `risks = "refuse"` not published.

Only changed skills are scanned. A build that would only warn scans a few hundred at most, so that the first build of a
big hub takes no longer; `hub-index lint` scans all.
"""

from collections import Counter
from collections.abc import Sequence

from hub_index.errors import RisksRefused
from hub_index.hub.config_values import CONFIG_FILE
from hub_index.hub.file_risks import find_file_risks
from hub_index.hub.git.repository import Repository
from hub_index.hub.skill.problems import counted, listed
from hub_index.hub.snapshot import HubState
from hub_index.index.draft import Draft
from hub_index.risks.risk import Risk

REFUSE, WARN = "refuse", "warn"
_MAX_WARNED = 200  # skills: some 0.4 s of processor time
_SHOWN = 5


def check_risks(draft: Draft, repo: Repository, state: HubState, *, is_accepted: bool) -> str:
    """A notice on the risks of changed skills, empty without one. Raises RisksRefused if the hub refuses them."""
    changed = {*draft.plan.added, *draft.plan.edited}
    is_refused = state.config.risks == REFUSE and not is_accepted
    if not changed or (len(changed) > _MAX_WARNED and not is_refused):
        return ""
    skills = [file for file in state.snapshot.files if file.id in changed]
    places = ["" if skill.path == "." else skill.path if skill.kind == "skill" else skill.file for skill in skills]
    asked = () if "" in places or len(places) > _MAX_WARNED else places
    entries = repo.list_tree(state.snapshot.revision, *asked)
    risks = [finding.risk for finding in find_file_risks(repo, skills, entries) if finding.risk.level == "risk"]
    if not risks:
        return ""
    if is_refused:
        raise RisksRefused(
            f'{say_risks(risks)}, and {CONFIG_FILE} says risks = "{REFUSE}"; not published; '
            "`hub-index lint` lists them; "
            "if they are intentional, pass --accept risks"
        )
    accepted = "--accept risks: " if is_accepted and state.config.risks == REFUSE else ""
    return f"{accepted}{say_risks(risks)}; `hub-index lint` lists them"


def say_risks(risks: Sequence[Risk]) -> str:
    """How many risks changed skills bring, of which kinds and where; quotes nothing but paths."""
    codes = ", ".join(
        f"{code} ({count})" if count > 1 else code for code, count in Counter(r.code for r in risks).items()
    )
    places = list(dict.fromkeys(f"{risk.path}:{risk.line}" if risk.line else risk.path for risk in risks))
    return f"changed skills bring {counted(len(risks), 'risk')}: {codes}, in {listed(places, _SHOWN)}"
