"""The requests to the service, frozen. Their fields may come from a stranger; `checks` looks at each."""

from hub_index.frozen import FrozenValue
from hub_index.search.options import DEFAULT_K, SearchOptions


class FindRequest(SearchOptions):
    """A search of the open hubs. Filters are empty where they let everything through."""

    hubs: tuple[str, ...] = ()  # names of hubs; none: all that are open
    path: str = ""  # a folder, from the hub's root, that must hold the skill
    lang: str = ""  # en, zh, zh-CN
    type: str = ""  # skill, workflow or command
    since: str = ""  # 2026, 2026-01 or 2026-01-31
    min_confidence: float | None = None  # 0 to 1; from 0.5 on a hit is not weak
    max_tokens: int | None = None  # of what the answer quotes; None: no budget
    cursor: str = ""  # `next_cursor` of the answer before
    include_text: bool = False  # passages of the body with their line numbers
    context_lines: int = 0  # lines before and after each passage
    is_printed: bool = False  # as lines, which show neither confidence nor cursor nor digest: none of them is made
    is_preview: bool = False  # the answer itself comes after it: neither recorded nor reranked


class ReadRequest(FrozenValue):
    """A skill's text, or a file's beside it: whole, some of its lines, or a heading's section."""

    skill: str  # hub:id, id, path, name, or a skill:// uri
    start: int | None = None  # the first line, from 1
    end: int | None = None  # the last line; where the text is shorter, its last
    heading: str = ""  # the section under it, its own line first; not with start and end
    file: str = ""  # a file beside SKILL.md, from the skill's folder
    context: int = 0  # lines before and after
    max_tokens: int | None = None


class RelatedRequest(FrozenValue):
    """The skills nearest to one skill."""

    skill: str
    k: int = DEFAULT_K
    hubs: tuple[str, ...] = ()
    max_tokens: int | None = None


class ListRequest(FrozenValue):
    """Skills by hub and id, a page at a time."""

    hubs: tuple[str, ...] = ()
    path: str = ""
    lang: str = ""
    type: str = ""
    since: str = ""
    limit: int = 100
    cursor: str = ""
