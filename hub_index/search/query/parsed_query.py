"""The values of a parsed query: items, groups of them, and all of it together."""

from hub_index.frozen import FrozenValue, set_field
from hub_index.search.query.filters import FILTERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    Group = tuple[tuple["Item", ...], ...]  # alternatives, each of items that must stand together


class Item(FrozenValue):
    """A word or a phrase of the query, perhaps tied to a field; with `lang` or `since` it is a filter."""

    text: str
    field: str = ""
    sign: str = ""
    is_phrase: bool = False
    is_prefix: bool = False
    written: str = ""  # as written in the query, if that is more than the text

    def __init__(self, text: str, **named: "str | bool") -> None:
        if named:
            super().__init__(text, **named)
        else:  # most items are plain words, and a sentence has many
            set_field(self, "text", text)

    @property
    def is_filter(self) -> bool:
        """Whether it only restricts: nothing scores for its language or its date."""
        return self.field in FILTERS


class ParsedQuery(FrozenValue):
    """A query, understood. `required` holds groups: of each group one alternative, and all of its items, must match."""

    text: str
    semantic_text: str  # what is embedded: a sentence as it stands, a structured query without its signs
    items: "tuple[Item, ...]" = ()  # all that scores
    required: "tuple[Group, ...]" = ()
    excluded: "tuple[Item, ...]" = ()
    filters: "tuple[Group, ...]" = ()  # groups of nothing but filters; several languages are one group
    words: str = ""  # whose tokens are counted: a sentence with its lines, of a structured query its free words
    notices: tuple[str, ...] = ()  # what was taken otherwise than it may have been meant
    is_lone_phrase: bool = False  # nothing but phrases: demanded, but only if the hub has them at all
    is_plain: bool = False  # nothing but words, as most queries are

    @property
    def only_excludes(self) -> bool:
        """True if the query excludes words and asks for none."""
        return bool(self.excluded) and not (self.items or self.required or self.filters)

    @property
    def is_restricted(self) -> bool:
        """Whether some documents cannot be an answer, however well they score."""
        return bool(self.required or self.excluded or self.filters)
