"""The connection to a database: its address without the password, and every failure as one line of ours.

psycopg's messages name host, user and database, and never the password; the given address is not repeated.
"""

from __future__ import annotations

import logging
import re
from contextlib import contextmanager
from dataclasses import dataclass

from hub_index.base.characters import short_line
from hub_index.base.install_hint import install_hint
from hub_index.base.shown_address import is_well_formed, shown_address
from hub_index.errors import ConfigError, HubIndexError, IndexUnusable, PublishError, RemoteUnavailable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    import psycopg

    Connection = psycopg.Connection[tuple[object, ...]]

_SCHEMES = ("postgresql://", "postgres://")
_CONNECT_S = 10
_REPLIES_S = 60  # a search that takes longer is not worth waiting for; an export has no limit
_MAX_REASON_CHARS = 200


@dataclass(frozen=True, slots=True)
class StoreAddress:
    """Where a database is; `url` holds the password, so that only `shown` is ever printed or kept."""

    url: str
    shown: str
    has_password: bool = False

    def __repr__(self) -> str:
        return f"StoreAddress({self.shown!r})"

    __str__ = __repr__


def parse_address(text: str) -> StoreAddress:
    """The address of a database. Raises ConfigError, which does not repeat the text."""
    if not text.startswith(_SCHEMES):
        raise ConfigError("a store is named by an address such as postgresql://user@host:5432/database")
    load_psycopg()
    from psycopg import ProgrammingError
    from psycopg.conninfo import conninfo_to_dict

    try:
        parts = conninfo_to_dict(text) if is_well_formed(text) else {}
    except ProgrammingError:
        parts = {}
    host, ports = str(parts.get("host") or ""), str(parts.get("port") or "")
    if not parts or "@" in host or not re.fullmatch("[0-9,]*", ports):  # libpq takes the first @ of a password
        raise ConfigError(
            f"the store's address {shown_address(text)!a} cannot be read; write postgresql://user@host:5432/database, "
            "and in it %2F, %3F, %23, %40 and %3A for a /, ?, #, @ or : of a user or password"
        )
    user = f"{parts['user']}@" if parts.get("user") else ""
    place = "local" if host.startswith("/") or not host else f"{host}:{ports}".rstrip(":")
    shown = f"postgresql://{user}{place}/{parts.get('dbname') or ''}"
    return StoreAddress(text, shown, has_password=bool(parts.get("password")))


def connect(address: StoreAddress, *, is_export: bool = False) -> Connection:
    """A connection that commits each statement by itself. Raises PublishError for an export, else IndexUnusable."""
    psycopg = load_psycopg()
    options = "-c client_min_messages=error" + ("" if is_export else f" -c statement_timeout={_REPLIES_S * 1000}")
    with failures(address, is_export=is_export):
        return psycopg.connect(
            address.url, autocommit=True, connect_timeout=_CONNECT_S, application_name="hub-index", options=options
        )


def load_psycopg() -> type[psycopg.Connection[tuple[object, ...]]]:
    """psycopg's Connection, whose method `connect` opens one. Raises ConfigError if it is not installed."""
    try:
        import psycopg
    except ModuleNotFoundError as error:
        raise ConfigError(f"a store in PostgreSQL needs psycopg: {install_hint('postgres')}") from error
    _quiet_psycopg()
    return psycopg.Connection


def _quiet_psycopg() -> None:
    """Keeps psycopg's warnings from stderr: a lost connection is raised as an error anyway."""
    logger = logging.getLogger("psycopg")
    if not logger.handlers:  # a program with its own logging gets the warnings as before
        logger.addHandler(logging.NullHandler())


@contextmanager
def failures(address: StoreAddress, *, is_export: bool = False) -> Iterator[None]:
    """Whatever psycopg raises inside becomes one of our errors, without a cause that could say more."""
    import psycopg

    try:
        yield
    except psycopg.Error as error:
        raise _translate(error, address, is_export=is_export) from None


def _translate(error: psycopg.Error, address: StoreAddress, *, is_export: bool) -> HubIndexError:
    from psycopg import errors

    reason = _reason(error)
    # of a connection that the server refuses psycopg knows no more than libpq's words
    is_unknown = isinstance(error, errors.OperationalError) and reason.endswith(" does not exist")
    is_nowhere = isinstance(error, errors.InvalidCatalogName) or (is_unknown and 'database "' in reason)
    is_stranger = isinstance(error, errors.InvalidPassword | errors.InvalidAuthorizationSpecification)
    is_refused = is_stranger or "password" in reason or (is_unknown and 'role "' in reason)
    is_extension = isinstance(error, errors.UndefinedFile | errors.FeatureNotSupported) and "extension" in reason
    causes = (
        (is_nowhere, "this database does not exist; create it, then run again"),
        (is_refused, "the database refuses the user or the password; give others"),
        (is_extension, "the server has no pgvector; install its package there, then run again"),
        (isinstance(error, errors.InsufficientPrivilege), f"the user may not do that ({reason}); ask its owner"),
        (isinstance(error, errors.QueryCanceled), f"no answer within {_REPLIES_S} s; try again"),
        (isinstance(error, errors.DiskFull | errors.OutOfMemory), f"the server is out of room ({reason})"),
    )
    broken: type[HubIndexError] = PublishError if is_export else IndexUnusable
    for is_so, message in causes:
        if is_so:
            return broken(f"{address.shown}: {message}")
    if isinstance(error, errors.OperationalError):
        gone: type[HubIndexError] = RemoteUnavailable if is_export else IndexUnusable
        return gone(f"{address.shown}: the database cannot be reached, or went away ({reason}); try again later")
    return broken(f"{address.shown}: it refused a statement ({reason}); load the hub again with `export postgres`")


def _reason(error: psycopg.Error) -> str:
    """The server's first line, or libpq's last: what all addresses that were tried have in common."""
    primary = error.diag.message_primary
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return short_line(primary or (lines[-1] if lines else type(error).__name__), _MAX_REASON_CHARS)
