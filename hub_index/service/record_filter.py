"""The records that a request's filters let through; a filter means the same for a search and for a list."""

from hub_index.hub.record_file import record_type
from hub_index.search.query.filters import normalize_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from hub_index.record import Record
    from hub_index.service.requests import FindRequest, ListRequest

    Allows = Callable[[Record], bool]


def plan_filter(request: "FindRequest | ListRequest") -> "Allows | None":
    """A function that says whether a record passes; None where every record does."""
    tests: list[Allows] = []
    if request.type:
        tests.append(lambda record: record_type(record.id, record.path) == request.type)
    if folder := request.path.strip().removeprefix("./").strip("/"):
        tests.append(lambda record: f"{record.path}/".startswith(f"{folder}/"))
    if request.lang:
        tag = normalize_value("lang", request.lang)
        tests.append(lambda record: _speaks(record.lang, tag))
    if request.since:
        day = normalize_value("since", request.since)
        tests.append(lambda record: record.updated_at[:10].replace("-", "") >= day)
    return (lambda record: all(test(record) for test in tests)) if tests else None


def _speaks(lang: str, tag: str) -> bool:
    """As `lang:` in a query: `zh` is every Chinese; `zh-cn` is that and what only says `zh`, but not `zh-tw`."""
    own = lang.lower()
    return own == tag or own.startswith(f"{tag}-") or (bool(own) and tag.startswith(f"{own}-"))
