"""The record: one line of skills.jsonl, and what a hit of a search shows. One class for both sides."""

from hub_index.frozen import FrozenValue


class Record(FrozenValue):
    """One line of skills.jsonl. In a hit text_hash is empty; where a checkout's files were searched, updated_at too."""

    id: str
    path: str
    name: str
    description: str
    text_hash: str = ""
    updated_at: str = ""
    keywords: tuple[str, ...] = ()
    lang: str = ""
