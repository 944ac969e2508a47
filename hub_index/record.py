"""The record: one line of skills.jsonl, and what a hit of a search shows. One class for both sides."""

from hub_index.frozen import FrozenValue, set_field


class Record(FrozenValue):
    """One line of skills.jsonl. In a hit text_hash is empty; where a checkout's files were searched, updated_at too."""

    id: str
    path: str
    name: str
    description: str
    text_hash: str
    updated_at: str
    keywords: tuple[str, ...] = ()
    lang: str = ""

    def __init__(  # noqa: PLR0913, PLR0917 - the line's own fields
        self,
        id: str,  # noqa: A002 - the format's word
        path: str,
        name: str,
        description: str,
        text_hash: str = "",
        updated_at: str = "",
        keywords: tuple[str, ...] = (),
        lang: str = "",
    ) -> None:
        set_field(self, "id", id)
        set_field(self, "path", path)
        set_field(self, "name", name)
        set_field(self, "description", description)
        set_field(self, "text_hash", text_hash)
        set_field(self, "updated_at", updated_at)
        set_field(self, "keywords", keywords)
        set_field(self, "lang", lang)
