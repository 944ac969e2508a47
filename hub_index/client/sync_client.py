"""The client for programs without an event loop."""

from typing import TYPE_CHECKING, Any, TypeVar

from hub_index.client import transport
from hub_index.client.answers import decode_list, decode_report, decode_results, decode_status, decode_text
from hub_index.client.transport import arguments_of, check_open, decode_answer, options_of, unreachable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Self

    from hub_index.client.transport import Question
    from hub_index.search.results import Results
    from hub_index.service.answers import ServiceStatus, SkillList, SkillText

_Value = TypeVar("_Value")


class HubClient:
    """A server's hubs; a context manager that closes its connections."""

    def __init__(self, url: str, *, token: str = "", timeout_s: float = 30.0, allow_http: bool = False) -> None:
        """Raises ConfigError for a malformed address, and for a token that plain http would carry elsewhere."""
        import httpx

        self._http = httpx.Client(**options_of(url, token, timeout_s, allow_http=allow_http))

    def search(self, query: str, k: int = 5, mode: str = "auto", **options: Any) -> "Results":
        """The best k skills; options are those of POST /search, such as `hub`, `path`, `lang`, `explain`.

        Raises the server's error: ConfigError, IndexUnusable, ProviderError, AnswerStopped; SourceError if it cannot be
        reached.
        """
        return self._ask(transport.ask_search(query, k, mode, options), decode_results)

    def related(self, skill: str, k: int = 5) -> "Results":
        """The skills nearest to one skill. Raises SkillUnknown, and SkillAmbiguous with the ids to choose from."""
        return self._ask(transport.ask_related(skill, k), decode_results)

    def read(self, skill: str, *, file: str = "", **options: Any) -> "SkillText":
        """A skill's text or a file's beside it; options are `start`, `end`, `heading`, `context`, `max_tokens`."""
        return self._ask(transport.ask_read(skill, file, options), decode_text)

    def list(self, hubs: "Sequence[str]" = (), **options: Any) -> "SkillList":
        """A page of skills; options are `path`, `lang`, `type`, `since`, `limit`, `cursor`."""
        return self._ask(transport.ask_list(hubs, options), decode_list)

    def status(self) -> "ServiceStatus":
        """The state of each hub."""
        return self._ask(transport.ask_status(), decode_status)

    def report_use(self, search_id: str, skill: str, outcome: str = "use") -> None:
        """Records the outcome of a skill that a search has shown: `accept`, `reject` or `use`.

        Raises ConfigError if the server has no record of that search and skill; SkillUnknown.
        """
        self._ask(transport.ask_use(search_id, skill, outcome), decode_report)

    def close(self) -> None:
        """Closes the connections."""
        self._http.close()

    def __enter__(self) -> "Self":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _ask(self, question: "Question", decode: "Callable[[dict[str, Any]], _Value]") -> _Value:
        import httpx

        check_open(is_closed=self._http.is_closed)
        try:
            answer = self._http.request(**arguments_of(question))
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise unreachable(error) from error
        return decode_answer(answer.status_code, answer.content, decode)
