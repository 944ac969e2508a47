"""The parts of an address that may be shown: never its user, password or query, even if a part of it is mistyped.

The one rule for every address: a hub's, a database's, a model server's, a scheduler's. A malformed address may have its
password anywhere before the last `@`, so that only its scheme and the text after that sign are shown.
"""

import re

TYPE_CHECKING = False  # typing itself costs a search 5 ms
if TYPE_CHECKING:
    from collections.abc import Iterable

# the only schemes shown of a malformed address: another word before a colon may be a user, or the password
_SCHEMES = "https?|ssh|git|file|ftps?|postgres(?:ql)?|tcp|tls|wss?"
_START = re.compile(rf"\s*(?P<scheme>(?:{_SCHEMES})(?:://|:/|//))", re.IGNORECASE)
_HOST = r"(?:[\w.%-]*|\[[^\]/@]*\])(?::\d*)?"
# one @ at most: git and libpq take the first one for the end of a user and a password, curl the last one
_URL = re.compile(
    rf"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*://)(?:(?P<user>[^/?#@\s]*)@)?(?P<host>{_HOST}(?:,{_HOST})*)"
    r"(?P<path>(?:/[^@?#]*)?)(?:[?#](?P<query>[^@]*))?",
    re.DOTALL,
)
_LOCAL_URL = re.compile(r"file:///[^?#]*", re.IGNORECASE | re.DOTALL)
_SHORT_SSH = re.compile(rf"(?:[^/@:\s]+@)?(?!(?:{_SCHEMES}):)(?:\[[^\]/@]+\]|[^/@:\[\]\s]+):(?!//)[^@]+", re.DOTALL)
_IN_TEXT = rf"(?!file:///)((?:{_SCHEMES}):?/+|[a-z][a-z0-9+.-]*://)"
_IN_QUOTES = re.compile(rf"(?i)(?<=['\"]){_IN_TEXT}[^'\"\n]*@")
_IN_A_WORD = re.compile(rf"(?i)\b{_IN_TEXT}\S*@")


def shown_address(text: str) -> str:
    """The address without its secret parts; the text itself if it is a well-formed address without them."""
    if match := _URL.fullmatch(text):
        is_scheme = not match["user"] or _START.match(text)
        return (match["scheme"] if is_scheme else "***@") + match["host"] + match["path"]
    if is_well_formed(text):
        return text
    start = _START.match(text)
    _, at, after = text.rpartition("@")
    if not start and not at:
        return text  # a folder
    return (start["scheme"] if start else "***@") + (re.split("[?#]", after)[0] if at else "***")


def is_well_formed(text: str) -> bool:
    """Whether the text is an address, of a URL's form or `user@host:path`, whose parts cannot be mistaken."""
    return any(form.fullmatch(text) for form in (_URL, _LOCAL_URL, _SHORT_SSH))


def is_address(text: str) -> bool:
    """Whether the text is more likely an address, be it a mistyped one, than a folder or a name."""
    before, at, after = text.rpartition("@")
    is_remote = bool(at) and (":" in before or text.lstrip().startswith("//"))
    is_short = bool(at) and "/" not in before and ":" in after.partition("/")[0]
    return "://" in text or bool(_START.match(text)) or is_remote or is_short


def without_credentials(text: str, addresses: "Iterable[str]" = ()) -> str:
    """A message without the secrets of these addresses, nor the users and passwords of any other (F43)."""
    for address in addresses:
        for written in (address, ascii(address)[1:-1]):
            text = text.replace(written, shown_address(address))
        for secret in sorted(_secrets(address), key=len, reverse=True):
            text = text.replace(secret, "***")
    return _IN_A_WORD.sub(r"\1", _IN_QUOTES.sub(r"\1", text))


def _secrets(address: str) -> set[str]:
    """The parts that a server or a program may quote alone."""
    match = _URL.fullmatch(address)
    if match is None:
        return set()
    user, _, password = (match["user"] or "").partition(":")
    # a user without a password is a token, except for ssh, where it is the account that everybody shares
    alone = user if not password and match["scheme"].lower() in ("http://", "https://") else ""
    query = match["query"] or ""
    values = (part.partition("=")[2] for part in query.split("&"))
    return {secret for secret in (password, query, alone, *values) if secret}
