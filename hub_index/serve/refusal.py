"""The reason why a request gets no answer: one value for every door, and its form in each.

No text of a request is quoted, but an unknown argument's name: a refusal may be logged, and a page may have sent the
request behind its user's back.
"""

from hub_index.errors import (
    AnswerStopped,
    ConfigError,
    HubIndexError,
    IndexStale,
    IndexUnusable,
    ProviderError,
    ProviderUnavailable,
    PublishError,
    SkillAmbiguous,
    SkillUnknown,
    SourceError,
)

RETRY_S = 1  # what a client that came at a bad moment should wait

_STATUSES: tuple[tuple[type[HubIndexError], int], ...] = (  # the first that fits
    (SkillAmbiguous, 409),  # with the ids to choose from
    (SkillUnknown, 404),
    (ConfigError, 400),
    (AnswerStopped, 504),
    (ProviderUnavailable, 503),
    (ProviderError, 502),
    (IndexStale, 409),  # asking again changes nothing: somebody must sync or build
    (IndexUnusable, 503),
    (SourceError, 503),
    (PublishError, 503),
)


class RequestRefused(HubIndexError):
    """A request that is not carried out: a status as of HTTP, and what the client can change."""

    exit_code = 2

    def __init__(  # noqa: PLR0913 - what the different doors' clients read
        self,
        status: int,
        message: str,
        *,
        param: str | None = None,
        code: str | None = None,
        retry_s: int | None = None,
        allow: str = "",
    ) -> None:
        super().__init__(message)
        self.status = status
        self.param = param
        self.code = code
        self.retry_s = retry_s
        self.allow = allow  # the methods that the path takes, where another one was used


def too_many(what: str, retry_s: int) -> RequestRefused:
    """The refusal of a client that asks too often."""
    return RequestRefused(429, f"{what}; try again in {retry_s} s", code="rate_limit_exceeded", retry_s=retry_s)


def too_busy(what: str) -> RequestRefused:
    """The refusal of a client that comes while everything is taken."""
    return RequestRefused(503, f"{what}; try again in {RETRY_S} s", code="busy", retry_s=RETRY_S)


def status_of(error: HubIndexError) -> int:
    """The HTTP status of an error: 4xx for the caller's mistake, 5xx for ours."""
    if isinstance(error, RequestRefused):
        return error.status
    return next((status for kind, status in _STATUSES if isinstance(error, kind)), 500)


def is_callers_mistake(error: HubIndexError) -> bool:
    """Whether other parameters would be answered: what RPC and MCP call invalid parameters."""
    return isinstance(error, ConfigError) or status_of(error) in (400, 404)


def candidates_of(error: HubIndexError) -> dict[str, object]:
    """The member of a refusal that lists the ids to choose from; nothing if the error is another one."""
    return {"candidates": list(error.candidates)} if isinstance(error, SkillAmbiguous) else {}
