"""`write_hub_page`: a hub and its index → the static site in a folder. The entry of this room."""

from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from hub_index.embedding.encoder import Encoder
from hub_index.hub.git.repository import open_repository
from hub_index.hub.snapshot import read_hub
from hub_index.page.content import read_content
from hub_index.page.data import PageData, PreviousData, digest_of, make_data
from hub_index.page.folder import lock_page, read_listing, write_page
from hub_index.page.plain_list import encode_plain_list
from hub_index.page.previous import read_previous
from hub_index.page.shards import encode_json
from hub_index.page.web_address import hub_title, web_facts
from hub_index.page.well_known import encode_well_known
from hub_index.regular_file import RootedPath
from hub_index.search.lexical.translation.translator import Translator

_DATA = "data"
PAGE_FACTS = f"{_DATA}/page.json"
_STALE = "the hub's skills have changed since its index was made; build it again"


@dataclass(frozen=True, slots=True)
class PageOutcome:
    """The result of writing a page."""

    folder: Path
    skills: int
    files: int
    written: int  # 0: the page was this one already
    bytes: int
    notices: tuple[str, ...] = ()


def write_hub_page(  # noqa: PLR0913 - where from, where to, and what makes it
    hub: Path,
    folder: Path,
    encoder: Encoder,
    translator: Translator,
    *,
    index_dir: Path | None = None,
    rev: str = "HEAD",
    with_model: bool = True,
) -> PageOutcome:
    """Makes or renews the page of a commit; the index is the hub's own unless another is named.

    Raises SourceError, IndexUnusable, ConfigError, ProviderError, PublishError, IndexBusy.
    """
    with lock_page(folder):
        return _write(hub, folder, encoder, translator, index_dir=index_dir, rev=rev, with_model=with_model)


def _write(  # noqa: PLR0913 - as above
    hub: Path,
    folder: Path,
    encoder: Encoder,
    translator: Translator,
    *,
    index_dir: Path | None,
    rev: str,
    with_model: bool,
) -> PageOutcome:
    repo = open_repository(hub)
    state = read_hub(repo, rev)
    content = read_content(repo, state, index_dir or RootedPath(str(repo.hub), state.config.output), encoder)
    previous = read_previous(folder) if read_listing(folder) else PreviousData()
    well_known = encode_well_known(repo, content.skills, repo.list_tree(content.commit))
    dictionary = translator.open()
    data = make_data(content, previous, dictionary.file, with_model=with_model)
    name = hub_title(repo, hub)
    facts = {**data.facts, "hub": name, **web_facts(repo, content)}
    contents = {
        **_web_files(),
        **well_known.files,
        "skills.html": encode_plain_list(name, content.skills),
        **{f"{_DATA}/{file}": stored for file, stored in data.files.items()},
        PAGE_FACTS: _encode_facts(facts, data),
    }
    written = write_page(folder, contents)
    notices = ((_STALE,) if content.is_stale else ()) + well_known.notices
    notices += (f"{dictionary.notice}: the page is without them",) if dictionary.file is None else ()
    size = sum(map(len, contents.values()))
    return PageOutcome(folder, len(content.skills), len(contents) + 1, written, size, notices)  # and the list of files


def _encode_facts(facts: dict[str, object], data: PageData) -> bytes:
    return encode_json({**facts, "files": {name: digest_of(stored) for name, stored in sorted(data.files.items())}})


def _web_files() -> dict[str, bytes]:
    """The page's own files, as they are packaged."""
    folder = files("hub_index.page") / "web"
    return {
        entry.name: entry.read_bytes() for entry in sorted(folder.iterdir(), key=lambda e: e.name) if entry.is_file()
    }
