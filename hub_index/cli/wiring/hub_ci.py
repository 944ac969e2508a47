"""The workflows that `hub-index init --ci github` writes into a hub, with this program's address and commit."""

import re
from dataclasses import dataclass

from hub_index.base.install_hint import read_origin
from hub_index.errors import ConfigError

_SOURCE = re.compile(
    r"(?:https://[\w.-]+/|ssh://git@[\w.-]+/|git@[\w.-]+:)?([\w.-]+/[\w.-]+?)(?:\.git)?/?@([0-9a-f]{40})", re.ASCII
)
_INDEX = """\
# Written by `hub-index init --ci github`: each night, and after a push of skills, the index is brought up to date.
on: {{ push: {{ branches: [{branch}], paths: ["**.md", "**/hub-index.toml"] }}, schedule: [{{ cron: "17 3 * * *" }}], \
workflow_dispatch: {{}} }}
jobs:
  index:
    permissions: {{ contents: write }}
    uses: {repository}/.github/workflows/build-index.yml@{commit}
  report:
    needs: index
    if: always()
    permissions: {{ issues: write }}
    uses: {repository}/.github/workflows/report-failure.yml@{commit}
    with: {{ result: "${{{{ needs.index.result }}}}" }}
"""
_CHECK = """\
# Written by `hub-index init --ci github`: answers each pull request, at the lines of the skills that it changes.
on: {{ pull_request: {{ paths: ["**.md", "**/hub-index.toml", "search/**"] }} }}
jobs:
  check:
    permissions: {{ contents: read }}
    uses: {repository}/.github/workflows/check-skills.yml@{commit}
"""


@dataclass(frozen=True, slots=True)
class ProgramSource:
    """Where workflows find this program: OWNER/NAME and a commit."""

    repository: str
    commit: str


def parse_source(text: str) -> ProgramSource:
    """The value of --from, such as https://github.com/OWNER/hub-index@COMMIT. Raises ConfigError."""
    match = _SOURCE.fullmatch(text)
    if match is None:
        raise ConfigError(
            "--from takes the repository of hub-index and a whole commit id: OWNER/hub-index@ and 40 hexadecimal digits"
        )
    return ProgramSource(match[1], match[2])


def installed_source() -> ProgramSource:
    """The repository and commit that pip noted when it installed this program. Raises ConfigError."""
    origin = read_origin()
    commit = str(origin.get("vcs_info", {}).get("commit_id", ""))
    match = _SOURCE.fullmatch(f"{origin.get('url', '')}@{commit}")
    if match is None:
        raise ConfigError(
            "this installation does not say which repository and commit it came from; add --from OWNER/hub-index@COMMIT"
        )
    return ProgramSource(match[1], match[2])


def hub_workflows(source: ProgramSource, branch: str) -> dict[str, str]:
    """The files to write, by their path in the hub."""
    values = {"repository": source.repository, "commit": source.commit, "branch": branch}
    return {
        ".github/workflows/hub-index.yml": _INDEX.format(**values),
        ".github/workflows/hub-index-check.yml": _CHECK.format(**values),
    }
