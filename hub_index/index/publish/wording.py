"""The texts of publishing: the messages of its commits and the notices of its reports.

Numbers only: names of skills are other people's text, which does not belong in a commit of ours.
"""

from hub_index import GENERATOR
from hub_index.hub.skill.problems import counted
from hub_index.index.folder.hold import HOLD_FILE, Hold
from hub_index.index.folder.our_files import ATTRIBUTES_FILE
from hub_index.index.reporting.report import BuildReport


def build_message(report: BuildReport) -> str:
    """The message of a commit that brings an index up to date."""
    embedded = report.embedded - report.from_cache
    return (
        f"Search index: {len(report.added)} added, {len(report.edited)} edited, {len(report.removed)} removed\n\n"
        f"{counted(report.skills, 'skill')} of {report.revision[:12]}, {counted(embedded, 'text')} embedded with "
        f"{report.model_id}, {report.from_cache} from the cache, {counted(report.reused, 'vector')} reused.\n"
        f"Made by {GENERATOR}.\n"
    )


def rollback_message(commit: str) -> str:
    """The message of a commit that puts the index of an earlier one back."""
    return (
        f"Search index: back to that of {commit[:12]}\n\n"
        f"{HOLD_FILE} holds it until `hub-index publish --resume`.\n"
        f"Made by {GENERATOR}.\n"
    )


def resume_notice(hold: Hold | None) -> str:
    """The notice of --resume: whether a hold was removed."""
    return "the index was not held: there was nothing to resume" if hold is None else "the index is not held any more"


def mended_notice() -> str:
    """Why an index that did not change is committed."""
    return f"the index is as it was: only {ATTRIBUTES_FILE} or the mode of a file was put right beside it"


def unpushed_notice(commits: int, branch: str) -> str:
    """For commits that are unknown to the remote's branch, which alone is read."""
    return f"{counted(commits, 'commit')} not pushed yet: the index is of {branch}; `git push` first"
