"""`publish --page`: the page of what was just published, on its branch or in a folder."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from hub_index.cli.terminal import notice, printable

if TYPE_CHECKING:
    from hub_index.page.branch import PageTarget
    from hub_index.page.page import PageOutcome


def check_page_place(arguments: argparse.Namespace) -> None:
    """Raises ConfigError if the page's branch belongs to another project; checked before the index is published."""
    if arguments.page_out:
        return
    from hub_index.page.branch import check_page_branch

    check_page_branch(arguments.hub, _target(arguments, ""))


def publish_page_of(arguments: argparse.Namespace, output: str) -> dict[str, object]:
    """Makes and publishes the page; returns its place for --json. `output` is the index folder from the hub's root."""
    from hub_index.cli.page_wiring import make_page
    from hub_index.page.branch import publish_page, write_page_folder

    target, hub = _target(arguments, output), arguments.hub

    def make(site: Path, index_dir: Path, rev: str) -> "PageOutcome":
        return make_page(hub, site, index_dir=index_dir, rev=rev)

    if arguments.page_out:
        written = write_page_folder(hub, target, arguments.page_out, make)
        notice(f"the page: {written.written} of {written.files} files written to {printable(str(written.folder))}")
        return {"folder": str(written.folder), "written": written.written}
    published = publish_page(hub, target, make)
    what = f"commit {published.commit[:12]}" if published.commit else "nothing changed"
    notice(f"the page: {what} on {printable(published.branch)}")
    return {"branch": published.branch, "commit": published.commit}


def _target(arguments: argparse.Namespace, output: str) -> "PageTarget":
    from hub_index.page.branch import PAGE_BRANCH, PageTarget

    return PageTarget(
        output=output,
        branch=arguments.page_branch or PAGE_BRANCH,
        push=arguments.push,
        remote=arguments.remote,
        index_branch=arguments.branch,
        index_is_orphan=arguments.orphan,
        author=arguments.author,
    )
