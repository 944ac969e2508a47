"""The page as verbs make and serve it: with the embedded model and the dictionary of the user's cache."""

import argparse
import threading
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from hub_index.cli.terminal import notice, printable
from hub_index.embedding.local import LocalEncoder
from hub_index.errors import ConfigError, HubIndexError
from hub_index.page.hub_page import write_hub_page
from hub_index.page.page_branch import PAGE_BRANCH, PageTarget, check_page_branch, publish_page, write_page_folder
from hub_index.page.page_folder import list_served
from hub_index.search.lexical.translation.translator import Translator
from hub_index.serve.http.site import Site
from hub_index.settings import read_settings

if TYPE_CHECKING:
    from hub_index.page.hub_page import PageOutcome
    from hub_index.page.page_branch import PageTarget
    from hub_index.serve.http.site import Site
    from hub_index.service.service import Service


def make_page(
    hub: Path, folder: Path, *, index_dir: str | Path | None = None, rev: str = "HEAD", with_model: bool = True
) -> "PageOutcome":
    """Makes or renews a hub's page in a folder, and says what is to be known of it."""
    cache = read_settings().cache_folder
    encoder = LocalEncoder(Path(cache))
    place = Path(index_dir) if index_dir else None
    try:
        outcome = write_hub_page(
            hub, folder, encoder, Translator(str(cache)), index_dir=place, rev=rev, with_model=with_model
        )
    finally:
        encoder.close()
    for sentence in outcome.notices:
        notice(f"note: {sentence}")
    return outcome


def find_site(asked: str, service: "Service | None", index_dir: str | None) -> "Site":
    """The page that `serve --page` serves: the folder that is named, else the one hub's, made in the user's cache.

    Raises ConfigError.
    """
    if not asked:
        return _own_site(service, index_dir)
    folder = Path(asked)
    if not list_served(folder):
        raise ConfigError(f"{folder} is not a page: make one with `hub-index page HUB --out {folder}`")
    return Site(str(folder), lambda: list_served(folder))


def _own_site(service: "Service | None", index_dir: str | None) -> "Site":
    """The page of the one hub, made or renewed while the server answers; an older one is served meanwhile."""
    hubs = service.hubs if service is not None else ()
    if len(hubs) != 1 or not hubs[0].folder:
        raise ConfigError("--page makes the page of one hub with a checkout: name one --hub, or a page's folder")
    hub = Path(hubs[0].folder).resolve()
    folder = Path(read_settings().cache_folder) / "pages" / sha256(str(hub).encode("utf-8", "replace")).hexdigest()[:16]
    reasons = ["the page is being made; try again in a few seconds"]

    def make() -> None:
        try:
            make_page(hub, folder, index_dir=index_dir)
            notice("the page is made")
        except HubIndexError as error:
            notice(f"note: the page could not be made: {error}")
            reasons.append("the page could not be made; the server's messages say why")

    notice("making the page ...")
    threading.Thread(target=make, name="page", daemon=True).start()
    return Site(str(folder), lambda: list_served(folder), lambda: reasons[-1])


def check_page_place(arguments: argparse.Namespace) -> None:
    """Raises ConfigError if the page's branch belongs to another project; checked before the index is published."""
    if arguments.page_out:
        return

    check_page_branch(arguments.hub, _target(arguments, ""))


def publish_page_of(arguments: argparse.Namespace, output: str) -> dict[str, object]:
    """Makes and publishes the page; returns its place for --json. `output` is the index folder from the hub's root."""
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
    return PageTarget(
        output=output,
        branch=arguments.page_branch or PAGE_BRANCH,
        push=arguments.push,
        remote=arguments.remote,
        index_branch=arguments.branch,
        index_is_orphan=arguments.orphan,
        author=arguments.author,
    )
